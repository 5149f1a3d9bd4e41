# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Kernels that check themselves, made of Debian's own source: the recipe of what sets their images apart from others.
# An image of theirs is known by the checksum of this file and of its two configuration fragments, too.
#
#   debug  addresses (KASAN), locks, sleeping where it is not allowed, RCU, lists, objects, leaks; preemption anywhere
#   kcsan  data races

kernel_is_ours() {
	[[ " ${DEBUG_KERNELS[*]} " == *" $1 "* ]]
}

# What is left of the source is what modules are built against; the rest has two gigabytes.
KERNEL_UNUSED='Documentation arch/[a-w]* arch/x86/[b-hj-z]* block certs crypto drivers fs init io_uring ipc kernel lib mm net
	rust samples security sound usr virt tools/testing tools/perf'

# kernel_configure KERNEL ROOT SOURCE: SOURCE/.config, of the two fragments over what nothing can do without.
kernel_configure() {
	local kernel=$1 root=$2 source=$3 missing
	cat "$LAB_DIR/kernel-base.config" "$LAB_DIR/kernel-$kernel.config" >"$root/$source/lab.config"
	# shellcheck disable=SC2016 # expanded by the inner shell
	host_chroot "$root" sh -ec '
		cd "$1"
		make -s tinyconfig
		scripts/kconfig/merge_config.sh -m .config lab.config >/dev/null
		make -s olddefconfig' sh "$source" || return
	# An option whose needs are not met vanishes without a word.
	missing=$(grep '^CONFIG_' "$root/$source/lab.config" | grep -vxFf "$root/$source/.config")
	[[ -z $missing ]] || {
		printf 'E: not in the configuration: %s\n' $missing
		return 1
	}
}

# kernel_make KERNEL ROOT: compile and install it in ROOT. Progress goes to stdout, as mmdebstrap's.
kernel_make() {
	local kernel=$1 root=$2 source=/usr/src/linux-source-6.12
	echo "I: unpacking the kernel's source"
	tar -C "$root/usr/src" -xf "$root$source.tar.xz" && rm "$root$source.tar.xz" || return
	kernel_configure "$kernel" "$root" "$source" || return
	echo "I: compiling the kernel (15 minutes on two processors)"
	# shellcheck disable=SC2016 # expanded by the inner shell
	host_chroot "$root" sh -ec '
		cd "$1"
		make -s -j"$3" LOCALVERSION="-$2" bzImage modules
		release=$(make -s LOCALVERSION="-$2" kernelrelease)
		make -s LOCALVERSION="-$2" modules_install
		cp arch/x86/boot/bzImage "/boot/vmlinuz-$release"
		cp .config "/boot/config-$release"
		find . -path ./scripts -prune -o -path ./tools -prune -o \( -name "*.[ao]" -o -name ".*.cmd" -o -name "vmlinux*" \) \
			-type f -exec rm {} +
		rm -rf $4' sh "$source" "$kernel" "$(nproc)" "$KERNEL_UNUSED"
}
