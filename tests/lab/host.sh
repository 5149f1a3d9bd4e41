# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the lab needs of the machine that it runs on: packages, a Debian mirror, mounts in a chroot, KVM.

say() {
	echo "lab: $*" >&2
}

die() {
	say "$*"
	exit 125
}

# Each command the lab calls and the package that brings it.
HOST_COMMANDS="
qemu-system-x86_64 qemu-system-x86
mmdebstrap mmdebstrap
mke2fs e2fsprogs
cpio cpio
xz xz-utils
flock util-linux
unshare util-linux
setpriv util-linux
numfmt coreutils
"

# apt-get as said, its many words shown only if it fails.
host_apt_get() {
	local words
	words=$(DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@" 2>&1) || {
		tail -n 20 <<<"$words" >&2
		return 1
	}
}

# Install what is missing. Asked for once a run; does nothing on a machine that has it all.
host_packages() {
	local command package
	local -a missing=()

	[[ $(id -u) -eq 0 ]] || die "must run as root (it makes Debian root folders and devices); try sudo"
	while read -r command package; do
		[[ -n $command ]] || continue
		command -v "$command" >/dev/null || missing+=("$package")
	done <<<"$HOST_COMMANDS"
	# An older keyring cannot verify the newest suite that images are made of.
	compgen -G '/usr/share/keyrings/debian-archive-trixie-stable.*' >/dev/null || missing+=(debian-archive-keyring)
	[[ ${#missing[@]} -gt 0 ]] || return 0

	say "installing on this machine: ${missing[*]}"
	host_apt_get update || say "apt-get update failed; going on with the package lists at hand"
	host_apt_get install -y --no-install-recommends "${missing[@]}" ||
		die "apt-get could not install: ${missing[*]}"
}

# Print the path of the keyring that verifies Debian's suites.
host_keyring() {
	compgen -G '/usr/share/keyrings/debian-archive-keyring.[gp][pg][gp]' | head -n 1
}

# URI, codename and origin of each Debian index in the machine's apt configuration, in either of its formats.
host_debian_indexes() {
	# shellcheck disable=SC2016 # expanded by apt
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(ORIGIN) $(COMPONENT)' 'Created-By: Packages' |
		awk '$3 == "Debian" && $4 == "main" && $2 !~ /security|updates|backports/ { print $1 }'
}

# Print the URI of the mirror that this machine's own apt uses for Debian.
host_mirror() {
	local uri list

	uri=$(host_debian_indexes | head -n 1)
	if [[ -z $uri ]]; then
		# Origins are known only once the Release files have been fetched.
		say "reading the package lists (apt-get update)"
		host_apt_get update || true
		uri=$(host_debian_indexes | head -n 1)
	fi
	[[ -n $uri ]] || die "this machine's apt configuration names no Debian mirror (suite with origin Debian, component main)"

	# A mirror list stands for the mirrors in it.
	if [[ $uri == mirror+file:* ]]; then
		list=/${uri#mirror+file:}
		list=${list%/}
		uri=$(awk '!/^[[:space:]]*(#|$)/ { print $1; exit }' "$list")
		[[ -n $uri ]] || die "the mirror list $list is empty"
	fi
	echo "$uri"
}

# The machine's own settings of how to fetch (proxy, certificates, validity), as apt.conf lines.
host_apt_options() {
	apt-config dump | grep -E '^Acquire::(https?::.*|Check-[A-Za-z-]*|Retries) ' | grep -v '::User-Agent' || true
}

# host_chroot ROOT COMMAND [ARG]...: run COMMAND natively in ROOT.
# The mounts live in a namespace of their own, so that nothing is left behind however it ends. Where mounting is
# not allowed (a plain container) the few files of /proc that compilers and objtool read are put there as copies.
host_chroot() {
	local root=$1
	shift
	local -a clean=(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 TERM="${TERM:-dumb}")

	if unshare --mount true 2>/dev/null; then
		# shellcheck disable=SC2016 # expanded by the inner shell
		unshare --mount --propagation private sh -c '
			root=$1
			shift
			mount -t proc proc "$root/proc" 2>/dev/null || mount --rbind /proc "$root/proc" || exit 125
			exec chroot "$root" "$@"' sh "$root" "${clean[@]}" "$@"
	else
		mkdir -p "$root/proc/self"
		# objtool wants to know where its stack lies, to explain an overflow: any process' map will do.
		cp /proc/self/limits /proc/self/maps "$root/proc/self/"
		cp /proc/cpuinfo /proc/meminfo /proc/mounts "$root/proc/"
		chroot "$root" "${clean[@]}" "$@"
	fi
}
