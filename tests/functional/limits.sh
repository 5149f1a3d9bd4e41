#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What an array tells of itself to those above: sizes of I/O as md's for the same shape, blocks, discards, and what its
# legs cannot do.
# guest: --nvme 32M --nvme 32M --nvme 32M:4096 --nvme 32M:4096 --sas 32M:rotational --sas 32M
# timeout: 400
. ./lib.sh

MB=/dev/mapper/mb
MD=/dev/md127
read -r -a NVME <<<"$LAB_NVME"
read -r -a SAS <<<"$LAB_SAS"

# limit DEVICE NAME: what the block layer says of it.
limit() {
	cat "/sys/class/block/$(basename "$(readlink -f "$1")")/queue/$2"
}

# limits DEVICE NAME...: several.
limits() {
	local device=$1 name
	shift
	for name; do
		echo "$name=$(limit "$device" "$name")"
	done | xargs
}

SIZES='minimum_io_size optimal_io_size logical_block_size physical_block_size'

need mkdir -p /run/udev/rules.d
need ln -s /dev/null /run/udev/rules.d/64-md-raid-assembly.rules
# Nobody looks at a device again because it was written: a write that may not wait is refused where pages are cached.
echo 'SUBSYSTEM=="block", OPTIONS+="nowatch"' >/run/udev/rules.d/99-nowatch.rules
need udevadm control --reload
need modprobe raid10
ram_disks 5 16
while read -r layout count chunk; do
	legs=$(printf '/dev/ram%s ' $(seq 0 $((count - 1))))
	# shellcheck disable=SC2086 # words
	need mdadm --create $MD --run --assume-clean --bitmap=none --metadata=1.2 --level=10 --layout="$layout" \
		--chunk="${chunk}K" --raid-devices="$count" $legs
	# shellcheck disable=SC2086 # words
	wanted=$(limits $MD $SIZES)
	need mdadm --stop $MD
	check "$layout on $count legs, chunk $chunk KiB starts" mb_create mb "$(mb_table "$layout" $((chunk * 2)) 2048 "$legs")"
	# shellcheck disable=SC2086 # words
	is "$layout on $count legs, chunk $chunk KiB: sizes are md's" "$(limits $MB $SIZES)" "$wanted"
	mb_remove mb
done <<-END
	n2 2 64
	n2 3 64
	n2 4 512
	n3 3 4
	n3 5 64
	f2 4 64
	f3 5 4
	o2 3 512
	o2 4 64
END

# shape "DEVICE..." WANTED: the limits of an array of these.
shape() {
	check "n2 on $1 starts" mb_create mb "$(mb_table n2 128 8 "$1")"
	is "n2 on $1" "$(limits $MB logical_block_size physical_block_size rotational stable_writes)" "$2"
	mb_remove mb
}
shape "${NVME[0]} ${NVME[1]}" 'logical_block_size=512 physical_block_size=512 rotational=0 stable_writes=1'
shape "${NVME[2]} ${NVME[3]}" 'logical_block_size=4096 physical_block_size=4096 rotational=0 stable_writes=1'
shape "${NVME[0]} ${NVME[2]}" 'logical_block_size=4096 physical_block_size=4096 rotational=0 stable_writes=1'
shape "${NVME[3]} ${NVME[1]}" 'logical_block_size=4096 physical_block_size=4096 rotational=0 stable_writes=1'
shape "${SAS[0]} ${SAS[1]}" 'logical_block_size=512 physical_block_size=512 rotational=1 stable_writes=1'
shape "${NVME[0]} ${SAS[0]}" 'logical_block_size=512 physical_block_size=512 rotational=1 stable_writes=1'

# The limits are still there after another table has taken over, and a suspension.
check 'an array starts' mb_create mb "$(mb_table n2 128 8 "${NVME[*]}")"
check 'the same table again' mb_reload mb "$(mb_table n2 128 8 "${NVME[*]}")"
is 'pages are still stable' "$(limit $MB stable_writes)" 1
# Bios count bytes in 32 bits, and whole blocks are wanted.
wanted=$(($(limit "${NVME[0]}" discard_max_bytes) * 4 / 2))
[[ $wanted -lt 4294967296 ]] || wanted=4294967296
got=$(limit $MB discard_max_bytes)
is "a discard may be as long as all legs take together ($got bytes)" $((got <= wanted && got > wanted - 65536)) 1
is 'no requests that need a data-integrity profile' "$(cat "/sys/class/block/$(basename "$(readlink -f $MB)")/integrity/format" 2>/dev/null || echo none)" none
is 'no direct access' "$(limit $MB dax)" 0
is 'not zoned' "$(limit $MB zoned)" none

# Read-ahead: arrays with heads get what their policy wants, and so does what lies on top of them.
check 'an array with a rotational leg starts' mb_create heads "$(mb_table n2 128 8 "${SAS[*]}" adaptive 0 1 nosync)"
is 'it reads ahead whole windows of both legs' "$(blockdev --getra /dev/mapper/heads)" 16384
is 'what it tells of striping stays' "$(limits /dev/mapper/heads minimum_io_size optimal_io_size)" \
	'minimum_io_size=65536 optimal_io_size=65536'
need pvcreate -q /dev/mapper/heads
need vgcreate -q vg /dev/mapper/heads
need lvcreate -q -n lv -l 100%FREE vg
need udevadm settle
is 'a logical volume on top reads as far' "$(blockdev --getra /dev/vg/lv)" 16384
need mkfs.ext4 -q /dev/vg/lv
need mount /dev/vg/lv /mnt
is 'so does a filesystem on that' "$(cat "/sys/class/bdi/$(mountpoint -d /mnt)/read_ahead_kb")" 8192
need umount /mnt
need vgremove -qqf vg
need blockdev --setra 512 /dev/mapper/heads
need suspend_and_resume heads
is 'who sets less has his way' "$(blockdev --getra /dev/mapper/heads)" 512
need mb_message heads policy adaptive 16384
is 'a policy with larger windows raises it' "$(blockdev --getra /dev/mapper/heads)" 32768
mb_remove heads
is 'nothing of the kind where nothing rotates' $(($(blockdev --getra $MB) < 16384)) 1

# NOWAIT
check 'a write that may not wait' xfs_io -d -c 'pwrite -N -V 1 -b 4096 0 4096' $MB
check 'a large one' xfs_io -d -c 'pwrite -N -V 1 -b 1M 0 1M' $MB
for engine in io_uring libaio; do
	check "reads and writes that may not wait, $engine" fio --name=nowait --thread --filename=$MB --direct=1 \
		--rw=randrw --bsrange=4k-32k --size=8M --ioengine=$engine --nowait=1 --iodepth=8 --verify=crc32c
done
mb_remove mb

# Streams are cut at windows, and legs asked for whole blocks.
check 'an array with windows that are no whole blocks starts' mb_create odd \
	"$(mb_table n2 128 8 "${SAS[0]} ${NVME[2]}" sequential-affinity 1 1001 1 nosync)"
check 'a stream is read' dd if=/dev/mapper/odd of=/dev/null bs=1M iflag=direct status=none
is 'without an error' "$(mb_counter odd 0 read_errors) $(mb_counter odd 1 read_errors)" '0 0'
mb_remove odd

# Polling, which a driver must have queues for. Its disks come back in any order.
need modprobe -r nvme
need modprobe nvme poll_queues=2
for device in "${NVME[@]}"; do
	until [[ -b $device ]]; do sleep 0.1; done
done
check 'an array of disks that can be polled starts' mb_create mb "$(mb_table n2 128 8 "${NVME[*]}")"
is 'it can be polled' "$(limit $MB io_poll)" 1
check 'polled reads and writes' fio --name=polled --thread --filename=$MB --direct=1 --rw=randrw --bs=4k --size=4M \
	--ioengine=io_uring --hipri --iodepth=4 --verify=crc32c
# device-mapper marks what is left of a polled request that was cut, by a bit that means something else to drivers.
check 'polled ones over chunks' fio --name=polled --thread --filename=$MB --direct=1 --rw=randrw --bs=256k --blockalign=4k \
	--size=8M --ioengine=io_uring --hipri --iodepth=4 --verify=crc32c
is 'no leg has failed' "$(mb_field mb health)" "$(printf 'A%.0s' "${NVME[@]}")"
mb_remove mb

# Filesystems align themselves to the stripe, directly and on a logical volume, however far is read ahead.
ram_disks 4 1200
for nth in 0 1 2 3; do
	echo 1 >/sys/class/block/ram$nth/queue/rotational
done
check 'an array starts' mb_create mb "$(mb_table n2 256 2048 '/dev/ram0 /dev/ram1 /dev/ram2 /dev/ram3' adaptive 0 1 nosync)"
contains 'mkfs.xfs finds the chunk and the stripe' "$(mkfs.xfs -N -f $MB)" 'sunit=32     swidth=64 blks'
contains 'so does mke2fs' "$(mke2fs -n -v -t ext4 $MB 2>&1)" 'Stride=32 blocks, Stripe width=64 blocks'
need pvcreate -q $MB
need vgcreate -q vg $MB
need lvcreate -q -n lv -l 100%FREE vg
need udevadm settle
contains 'mkfs.xfs on a logical volume, too' "$(mkfs.xfs -f /dev/vg/lv)" 'sunit=32     swidth=64 blks'
need mount /dev/vg/lv /mnt
is 'XFS on a logical volume reads ahead as far as the array' \
	"$(cat "/sys/class/bdi/$(mountpoint -d /mnt)/read_ahead_kb")" "$(($(blockdev --getra $MB) / 2))"
is 'which is whole windows' "$(blockdev --getra $MB)" 16384
need umount /mnt
need vgremove -qqf vg
mb_remove mb

done_testing
