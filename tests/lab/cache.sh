# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What is kept between runs, under the XDG cache folder, one folder an image:
#   <kernel>-<recipe>/root        Debian's files, for native builds by chroot
#   <kernel>-<recipe>/root.ext4   the same as a disk for guests
#   <kernel>-<recipe>/initrd-*    initial RAM disks
#   <kernel>-<recipe>/parts/      mirrorbal as built for this image, by checksum of its sources
#   <kernel>.lock                 held while an image is being made
# Everything is made under another name and renamed when whole, so what was interrupted is never taken for whole.

CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/mirrorbal/lab
KEEP_IMAGES=2	# of each kernel
# shellcheck disable=SC2034 # used by build.sh
KEEP_PARTS=4	# of each kind and image

# cache_image KERNEL: print the folder of that kernel's image, made or not.
cache_image() {
	local recipe
	local -a made_of=("$LAB_DIR/image.sh" "$LAB_DIR/packages")
	! kernel_is_ours "$1" || made_of+=("$LAB_DIR/kernel.sh" "$LAB_DIR"/kernel-{base,"$1"}.config)
	recipe=$(echo "$1" | cat - "${made_of[@]}" | sha256sum)
	echo "$CACHE/$1-${recipe:0:12}"
}

# cache_prune KEEP PATH...: remove all but the KEEP that were used last.
cache_prune() {
	local keep=$1 path
	shift
	# shellcheck disable=SC2012 # names of our own making
	while IFS= read -r path; do
		rm -rf --one-file-system "$path"
	done < <(ls -1dt "$@" 2>/dev/null | tail -n "+$((keep + 1))")
}

# cache_make KERNEL DIR MIRROR: all that an image consists of.
cache_make() {
	image_root "$@" || return
	if kernel_is_ours "$1"; then
		kernel_make "$1" "$2/root" || return
	fi
	image_disk "$2"
}

# cache_build KERNEL: see that its image is there. Says nothing if it is.
cache_build() {
	local kernel=$1 image mirror started=$SECONDS line
	image=$(cache_image "$kernel")
	if [[ -d $image ]]; then
		touch "$image"
		return
	fi

	mkdir -p "$CACHE"
	exec {image_lock}>"$CACHE/$kernel.lock"
	flock -n "$image_lock" || {
		say "$kernel: waiting for another lab that is making this image"
		flock "$image_lock"
	}
	if [[ ! -d $image ]]; then
		mirror=$(host_mirror) || exit
		say "$kernel: making the image ($(image_suites "$kernel"), about $(kernel_is_ours "$kernel" && echo 20 || echo 2) minutes and 2 GB)"
		rm -rf --one-file-system "$CACHE/$kernel"-*.new
		mkdir "$image.new"
		(set -o pipefail; cache_make "$kernel" "$image.new" "$mirror" 2>&1 |
			tee "$CACHE/$kernel.log" |
			while IFS= read -r line; do
				[[ $line != [IWE]:* ]] || say "$kernel: ${line#I: }"
			done) || {
			tail -n 20 "$CACHE/$kernel.log" >&2
			rm -rf --one-file-system "$image.new"
			die "$kernel: the image could not be made; the whole log is $CACHE/$kernel.log"
		}
		mkdir "$image.new/parts"
		mv "$image.new" "$image"
		cache_prune "$KEEP_IMAGES" "$CACHE/$kernel"-*/
		say "$kernel: image made in $((SECONDS - started)) s, kernel $(cache_release "$image")"
	fi
	exec {image_lock}>&-
}

# cache_release IMAGE: print the release of its kernel, as uname -r does in the guest.
cache_release() {
	basename "$1"/root/usr/lib/modules/*
}
