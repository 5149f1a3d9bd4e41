#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# LVM on an array: linear, thin and snapshot volumes with files, found again after a stop and a start by the printed
# table, and never found on the legs.
# guest: --nvme 512M --nvme 512M --nvme 512M
# timeout: 600
. ./lib.sh

MB=/dev/mapper/mb
read -r -a NVME <<<"$LAB_NVME"
OFFSET=8192	# 4 MiB
LOG=/tmp/lvm.log

# lvm_do COMMAND [ARG]...: what it says is kept.
lvm_do() {
	"$@" 2>&1 | tee -a $LOG
}

# checksums DIRECTORY: of all its files.
checksums() {
	(cd "$1" && find . -xdev -type f ! -path './lost+found/*' -exec sha256sum {} + | sort -k 2)
}

# nothing_on DEVICE: is it taken for nothing by whoever looks?
nothing_on() {
	local found
	found=$(blkid -p "$1"; wipefs --noheadings "$1"; pvs --noheadings "$1" 2>/dev/null)
	[[ -z $found ]] || { echo "$found"; return 1; }
}

# started COMMAND: the array, by the line that `mirrorbal table` printed, as a person would paste it.
started() {
	kernel_log_mark
	bash -c "$1" && udevadm settle && [[ -b $MB ]] && return
	kernel_log
	return 1
}

mounted() {
	mkdir -p "/mnt/$1" && mount "/dev/vg/$1" "/mnt/$1"
}

check 'an array starts' mb_create mb "$(mb_table n2 128 $OFFSET "${NVME[*]}")"
check 'a physical volume on it' lvm_do pvcreate -y $MB
check 'a volume group' lvm_do vgcreate vg $MB
check 'a linear volume' lvm_do lvcreate -y -L 352M -n linear vg
check 'a thin pool' lvm_do lvcreate -y -L 96M -T vg/pool
check 'a thin volume' lvm_do lvcreate -y -V 256M -T vg/pool -n thin
check 'XFS on the linear volume' mkfs.xfs -q -f /dev/vg/linear
check 'ext4 on the thin one' mkfs.ext4 -q /dev/vg/thin
need mounted linear
need mounted thin
need cp -a /usr/lib/udev /mnt/linear/files
need cp -a /etc /mnt/thin/files
sync
before=$(checksums /mnt/linear)
check 'a snapshot of the linear volume' lvm_do lvcreate -y -s -L 32M -n snap vg/linear
check 'and one of the thin one' lvm_do lvcreate -y -s -kn -n thinsnap vg/thin
thin_before=$(checksums /mnt/thin)
need cp -a /etc /mnt/linear/more
need rm -rf /mnt/thin/files
need cp -a /usr/lib/udev /mnt/thin/other
check 'fstrim through it all' fstrim -v /mnt/thin
after=$(checksums /mnt/linear)
thin_after=$(checksums /mnt/thin)

# files_are_right: in volumes and snapshots.
files_are_right() {
	mkdir -p /mnt/snap /mnt/thinsnap
	mount -o ro,nouuid /dev/vg/snap /mnt/snap && mount -o ro /dev/vg/thinsnap /mnt/thinsnap || return
	drop_caches
	diff <(checksums /mnt/linear) - <<<"$after" && diff <(checksums /mnt/thin) - <<<"$thin_after" &&
		diff <(checksums /mnt/snap) - <<<"$before" && diff <(checksums /mnt/thinsnap) - <<<"$thin_before" || return
	umount /mnt/snap /mnt/thinsnap
}
check 'files are right, in snapshots as well' files_are_right
is 'and not few' $(($(wc -l <<<"$after") > 100)) 1

# stopped: as before a reboot.
stopped() {
	umount /mnt/linear /mnt/thin && lvm_do vgchange -an vg && mb_remove mb
}

line=$(mirrorbal table mb)
check 'it is stopped' stopped
for device in "${NVME[@]}"; do
	check "nothing is found on $device" nothing_on "$device"
done
is 'LVM finds no volume' "$(lvm_do pvs --noheadings)" ''
udevadm trigger --action=change --subsystem-match=block --settle
for device in "${NVME[@]}"; do
	is "udev finds nothing of LVM on $device" \
		"$(udevadm info --query=property --name="$device" | grep -E '^(ID_FS_TYPE=LVM|ID_FS_UUID|LVM_)')" ''
done

check 'it is started with the printed line' started "$line"
is 'which is printed again' "$(mirrorbal table mb)" "$line"
is 'LVM finds the volume on the array alone' "$(lvm_do pvs --noheadings -o pv_name | xargs)" "$MB"
check 'the volumes are activated' lvm_do vgchange -ay vg
need mounted linear
need mounted thin
check 'files are right' files_are_right

# with a leg less
check 'a leg fails' mb_message mb fail 1
check 'files are right without it' files_are_right
need cp -a /etc /mnt/linear/without-leg
after=$(checksums /mnt/linear)
line=$(mirrorbal table mb)
contains 'the printed line leaves it out' "$line" " - $OFFSET "
check 'it is stopped' stopped
check 'nothing is found on the leg that failed' nothing_on "${NVME[1]}"
check 'it is started with the printed line' started "$line"
is 'LVM finds the volume on the array alone' "$(lvm_do pvs --noheadings -o pv_name | xargs)" "$MB"
check 'the volumes are activated' lvm_do vgchange -ay vg
need mounted linear
need mounted thin
check 'files are right' files_are_right
check 'filesystems are whole' bash -c 'umount /mnt/linear /mnt/thin && xfs_repair -n /dev/vg/linear && e2fsck -fn /dev/vg/thin'
is 'LVM never warned' "$(grep -iE 'warning|duplicate|not found' $LOG | grep -viE 'thin pool|thinly|autoextend|wip' )" ''

done_testing
