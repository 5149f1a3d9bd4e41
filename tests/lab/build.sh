# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# mirrorbal built natively in an image's root folder, as it will be in the guest.
#
# What is built, each part only when its own sources changed: "module" (through dkms) and "command"; or, in the place of
# "module", a step before it: "source" (as before dkms) or "built" (as after dkms build). Each part is kept as a tar of
# the files that it adds to the pristine image, which the guest unpacks before anything else starts.

# What each part is made of, relative to the checkout. Both know their version from dkms.conf.
build_sources() {
	case $1 in
	module | source | built) echo dm-mirrorbal dkms.conf LICENSE Makefile ;;
	command) echo userspace dm-mirrorbal/core tests/simulator tests/spindle dkms.conf Makefile ;;
	esac
}

# build_has PART: whether the checkout holds something to build this part of.
build_has() {
	case $1 in
	module | source | built) compgen -G "$CHECKOUT/dm-mirrorbal/[KM]*" >/dev/null ;; # Kbuild or Makefile
	command) [[ -e $CHECKOUT/userspace/Makefile ]] ;;
	esac
}

# The files of a source folder without what a build leaves in it, NUL-separated.
build_files() {
	find "$@" -type f ! -name '*.o' ! -name '*.ko' ! -name '*.mod' ! -name '*.mod.c' ! -name '*.cmd' ! -name '*.d' \
		! -name Module.symvers ! -name modules.order ! -name '*.swp' ! -name '*~' -print0 | sort -z
}

# build_hash PART FOLDER: print the checksum of its sources in that folder, names and modes included.
build_hash() {
	local hash
	local -a sources
	read -r -a sources <<<"$(build_sources "$1")"
	hash=$(cd "$2" && {
		cat "$LAB_DIR/build.sh"
		build_files "${sources[@]}" | xargs -0 sha256sum
		build_files "${sources[@]}" | xargs -0 stat -c '%a %n'
	} | sha256sum)
	echo "${hash:0:16}"
}

# build_copy DEST PATH...: bring DEST to the state of the checkout's PATHs. Files that did not change keep their
# times, so that make builds what changed and no more; files that are gone are removed.
build_copy() {
	local dest=$1 list
	shift
	mkdir -p "$dest"
	list=$(mktemp)
	(cd "$CHECKOUT" && build_files "$@") >"$list"
	if [[ -e $dest/.files ]]; then
		comm -z -13 "$list" "$dest/.files" | (cd "$dest" && xargs -0r rm -f)
	fi
	while IFS= read -r -d '' path; do
		cmp -s "$CHECKOUT/$path" "$dest/$path" && continue
		mkdir -p "$dest/$(dirname "$path")"
		cp --preserve=mode "$CHECKOUT/$path" "$dest/$path"
	done <"$list"
	mv "$list" "$dest/.files"
}

# build_version: print the version that dkms.conf holds.
build_version() {
	sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$CHECKOUT/dkms.conf"
}

# Take out of an image's root folder what an earlier build put in, or left half-done.
build_clean() {
	local root=$1 release=$2
	rm -rf --one-file-system "$root"/usr/src/mirrorbal-* "$root"/var/lib/dkms "$root/usr/lib/modules/$release"/updates \
		"$root/build/dest" "$root/build/part.tar"
	mkdir -p "$root/build/dest" "$root/var/lib/dkms"
}

# Each build_part_* leaves /build/part.tar in the root folder: paths relative to /.
build_part_source() {
	local root=$1
	host_chroot "$root" sh -ec '
		make -s -C /build/src/source dkms-source DESTDIR=/build/dest
		tar -C /build/dest -cf /build/part.tar .'
}

# build_by_dkms ROOT RELEASE VERSION PART: as far as dkms build.
build_by_dkms() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	host_chroot "$1" sh -ec '
		make -s -C /build/src/$3 dkms-source DESTDIR=
		dkms add -m mirrorbal -v $2
		dkms build -m mirrorbal -v $2 -k $1 || { cat /var/lib/dkms/mirrorbal/$2/build/make.log; exit 1; }' \
		sh "$2" "$3" "$4"
}

build_part_built() {
	local root=$1 release=$2 version
	version=$(build_version)
	build_by_dkms "$root" "$release" "$version" built || return
	tar -C "$root" -cf "$root/build/part.tar" "usr/src/mirrorbal-$version" var/lib/dkms
}

build_part_module() {
	local root=$1 release=$2 version
	version=$(build_version)
	build_by_dkms "$root" "$release" "$version" module || return
	# shellcheck disable=SC2016 # expanded by the inner shell
	host_chroot "$root" sh -ec '
		dkms install -m mirrorbal -v $1 -k $2
		cd /
		tar -cf /build/part.tar usr/src/mirrorbal-$1 var/lib/dkms \
			usr/lib/modules/$2/updates usr/lib/modules/$2/modules.*' sh "$version" "$release"
}

build_part_command() {
	local root=$1
	host_chroot "$root" sh -ec '
		make -s -C /build/src/command userspace
		make -s -C /build/src/command install-userspace DESTDIR=/build/dest PREFIX=/usr
		tar -C /build/dest -cf /build/part.tar .'
}

# build_part IMAGE PART: print the path of the part's tar, built now if its sources changed.
build_part() {
	local image=$1 part=$2 source tar log started=$SECONDS
	local -a sources
	source=$image/root/build/src/$part
	tar=$image/parts/$part-$(build_hash "$part" "$CHECKOUT").tar
	if [[ ! -e $tar ]]; then
		exec {build_lock}>"$image/build.lock"
		flock "$build_lock"
		if [[ ! -e $tar ]]; then
			say "$(basename "${image%-*}"): building the $part"
			log=$image/parts/$part.log
			read -r -a sources <<<"$(build_sources "$part")"
			build_clean "$image/root" "$(cache_release "$image")"
			build_copy "$source" "${sources[@]}"
			# Of what was copied: somebody may have edited the checkout meanwhile.
			tar=$image/parts/$part-$(build_hash "$part" "$source").tar
			"build_part_$part" "$image/root" "$(cache_release "$image")" >"$log" 2>&1 || {
				cat "$log" >&2
				die "the $part does not build for kernel $(cache_release "$image")"
			}
			mv "$image/root/build/part.tar" "$tar"
			build_clean "$image/root" "$(cache_release "$image")"
			cache_prune "$KEEP_PARTS" "$image/parts/$part"-*.tar
			say "$(basename "${image%-*}"): $part built in $((SECONDS - started)) s"
		fi
		exec {build_lock}>&-
	fi
	touch "$tar"
	echo "$tar"
}

# Debian's sparse (0.6.4) is older than what the newest kernels' headers ask for. These two definitions, harmless to
# older headers, give it what it lacks: an operator, and a length that it can compute.
SPARSE_FLAGS="-Wsparse-error -D__typeof_unqual__=__typeof__ -D'__builtin_strlen(s)=(sizeof(s)-1)'"

# Debian's headers of 7.3 lack the script that tells kbuild whether sparse may be called.
build_enable_sparse() {
	local script
	script=$(echo "$1"/root/usr/src/linux-headers-*-common/scripts)/checker-valid.sh
	[[ -e $script ]] || install -m 755 /dev/stdin "$script" <<<$'#!/bin/sh\necho 1'
}

# build_check IMAGE OUT|"" [DIR]...: compile dm-mirrorbal, and each DIR of the checkout that holds a module which uses
# its symbols, with every warning an error, and check it with sparse. What did not change is not compiled again.
# With OUT, the modules go to OUT/<kernel>/. Returns 1 if anything complained.
build_check() {
	local image=$1 out=$2 kernel release work dir log status=0
	shift 2
	kernel=$(basename "${image%-*}")
	release=$(cache_release "$image")
	# What was compiled under other rules counts as not compiled.
	work=build/check-$(sha256sum <"$LAB_DIR/build.sh" | cut -c 1-12)
	log=$(mktemp)

	exec {check_lock}>"$image/check.lock"
	flock "$check_lock"
	[[ -d $image/root/$work ]] || rm -rf --one-file-system "$image"/root/build/check*
	build_enable_sparse "$image"
	build_copy "$image/root/$work" dm-mirrorbal dkms.conf "$@"
	for dir in dm-mirrorbal "$@"; do
		# A file that sparse complains about counts as not compiled and is looked at again the next time.
		# Kbuild's own warnings (of modpost, say) do not make it fail, so its words are read as well.
		host_chroot "$image/root" make -s -k -j"$(nproc)" -C "/lib/modules/$release/build" "M=/$work/$dir" \
			KBUILD_EXTRA_SYMBOLS="$([[ $dir == dm-mirrorbal ]] || echo "/$work/dm-mirrorbal/Module.symvers")" \
			W=1 KCFLAGS=-Werror C=1 CF="$SPARSE_FLAGS" modules >"$log" 2>&1 || status=1
		sed "s|/$work/||; s|^|lab: $kernel: |" "$log" >&2
		! grep -qiE '(warning|error):|sparse is not available' "$log" || status=1
		[[ $status -eq 0 ]] || break
	done
	rm -f "$log"
	if [[ $status -eq 0 && -n $out ]]; then
		mkdir -p "$out/$kernel"
		for dir in dm-mirrorbal "$@"; do
			cp "$image/root/$work/$dir"/*.ko "$out/$kernel/"
		done
	fi
	exec {check_lock}>&-
	return "$status"
}
