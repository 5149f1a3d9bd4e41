# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The recipe of the root images. An image is known by the checksum of this file and of the package list: keep here
# what shapes an image and nothing else, since every change makes all of them anew.

IMAGE_SIZE=6G	# of the filesystem; its file is sparse

# image_suites KERNEL: the suites to install from, the first as the base, the last for the kernel.
image_suites() {
	case $1 in
	6.1)	echo bookworm ;;
	6.12 | debug | kcsan)	echo trixie ;;
	7.3)	echo trixie trixie-backports ;;
	*)	return 1 ;;
	esac
}

# image_kernel_packages KERNEL SUITE: the kernel, or what it takes to make one (kernel.sh).
image_kernel_packages() {
	case $1 in
	debug | kcsan)	printf '%s\n' linux-source-6.12 bc bison flex libelf-dev libssl-dev ;;
	*)	printf '%s\n' {linux-image-amd64,linux-headers-amd64,linux-perf}/"$2" ;;
	esac
}

# image_packages KERNEL: the packages as mmdebstrap takes them, comma-separated.
image_packages() {
	local -a suites
	read -r -a suites <<<"$(image_suites "$1")"
	local kernel_suite=${suites[-1]}

	{
		sed 's/#.*//' "$LAB_DIR/packages"
		image_kernel_packages "$1" "$kernel_suite"
		# Trixie's udev wants sysusers, of systemd or without it.
		[[ ${suites[0]} == bookworm ]] || echo systemd-standalone-sysusers
	} | awk 'NF { printf "%s%s", sep, $1; sep = "," }'
}

# image_root KERNEL DIR MIRROR: make DIR/root, for chroot. Progress of mmdebstrap goes to stdout.
image_root() {
	local kernel=$1 dir=$2 mirror=$3 suite
	local -a suites sources=() options=()
	local option path
	read -r -a suites <<<"$(image_suites "$kernel")"

	for suite in "${suites[@]}"; do
		sources+=("deb [signed-by=$(host_keyring)] $mirror $suite main")
	done
	while read -r option; do
		[[ -z $option ]] || options+=(--aptopt="${option%;}")
	done <<<"$(host_apt_options)"
	# Where a container forbids mounting, packages are configured without /proc and /sys.
	unshare --mount true 2>/dev/null || options+=('--skip=check/canmount,chroot/mount')

	# Documentation, and drivers that no guest has a device for, only make everything slower. Initial RAM disks
	# are the lab's own.
	for path in '/usr/share/doc/*' '/usr/share/man/*' '/usr/share/info/*' '/usr/share/locale/*' \
		    '*/kernel/sound/*' '*/kernel/drivers/gpu/*' '*/kernel/drivers/media/*' \
		    '*/kernel/drivers/net/wireless/*' /etc/kernel/postinst.d/initramfs-tools; do
		options+=(--dpkgopt="path-exclude=$path")
	done

	mmdebstrap --mode=root --variant=minbase --architectures=amd64 \
		--aptopt='Acquire::Languages "none"' --aptopt='APT::Sandbox::User "root"' --dpkgopt=force-unsafe-io "${options[@]}" \
		--include="$(image_packages "$kernel")" \
		"${suites[0]}" "$dir/root" "${sources[@]}" || return

	# Debian's tools must all be configured: a package left half-way would fail much later, in a guest.
	if chroot "$dir/root" dpkg --audit | grep .; then
		return 1
	fi

	echo lab >"$dir/root/etc/hostname"
	echo '127.0.0.1 localhost lab' >"$dir/root/etc/hosts"
	: >"$dir/root/etc/resolv.conf"
}

# image_disk DIR: make DIR/root.ext4 of DIR/root, for guests.
image_disk() {
	local dir=$1
	# No journal: a guest's root is thrown away.
	mke2fs -q -t ext4 -O ^has_journal -E lazy_itable_init=1,nodiscard -L labroot -d "$dir/root" \
		"$dir/root.ext4" "$IMAGE_SIZE"
}
