#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The simulated drives give what was measured of real ones in 2016, alone and under md raid10, before anything is judged
# on them. By the instruction clock, so that each run gives the same.
# guest: --icount --memory 1024
# module: tests/spindle
# timeout: 600
. ./lib.sh

TB=$((10 ** 12 / 512))
MD=/dev/md127

# Nobody assembles what looks like md's as soon as a device is closed.
without_udev
need modprobe dm-mod
need insmod ./dm-spindle.ko
need modprobe raid10
ram_disks 4 16

# drives COUNT: spinning drives of 6 TB, /dev/mapper/drive0 and on, that keep their first 16 MiB and else give zeros.
drives() {
	local nth
	for ((nth = 0; nth < $1; nth++)); do
		need dmsetup create drive$nth --table "0 $((6 * TB)) spindle spinning /dev/ram$nth 0 2 seed $nth"
	done
	udevadm settle
}

# random_iops DEVICE: of 4 KiB reads, one at a time, over its first 5 TB.
random_iops() {
	fio --name=random --thread --filename="$1" --direct=1 --rw=randread --bs=4k --size=$((5 * 10 ** 12)) --norandommap \
		--random_generator=tausworthe64 --randrepeat=1 --number_ios=1500 --ioengine=libaio --iodepth=1 \
		--output-format=json | jq '.jobs[0].read.iops | round'
}

# rate DEVICE [SKIP_MIB]: of 192 MiB read in sequence and direct, in MB/s.
rate() {
	local began ended
	began=$(date +%s%N)
	dd if="$1" of=/dev/null bs=1M count=192 skip="${2:-0}" iflag=direct status=none || return
	ended=$(date +%s%N)
	echo $((192 * 1048576 * 1000 / (ended - began)))
}

# near TEXT GOT WANTED PERCENT
near() {
	is "$1: $2, published $3" "$(($2 * 100 >= $3 * (100 - $4) && $2 * 100 <= $3 * (100 + $4)))" 1
}

drives 4
is 'a spinning drive says that it is one' \
	"$(cat "/sys/class/block/$(dmsetup info -c --noheadings -o blkdevname drive0)/queue/rotational")" 1
near 'one drive, random' "$(random_iops /dev/mapper/drive0)" 83 5
near 'one drive, in sequence at its outer edge, MB/s' "$(rate /dev/mapper/drive0)" 218 3
check_fails 'half a drive is no drive' dmsetup create wrong --table '0 2048 spindle spinning - 0 2 queue_depth 0'
check_fails 'a key that is none is refused' dmsetup create wrong --table '0 2048 spindle spinning - 0 2 heads 4'

# What it keeps is right, through its write cache as well.
check 'data comes back as it was written' verified_fio --filename=/dev/mapper/drive1 --size=4M --io_size=1M
is 'it has a cache that may be flushed' \
	"$(cat "/sys/class/block/$(dmsetup info -c --noheadings -o blkdevname drive1)/queue/write_cache")" 'write back'
# Written into the cache at once, 64 places take it more than 64 half turns to reach; and then there is nothing left.
need fio --name=write --rw=randwrite --bs=4k --direct=1 --size=5T --number_ios=64 --allow_file_create=0 \
	--filename=/dev/mapper/drive1 --output=written
flush_ms() {
	local before
	before=$(date +%s%3N)
	need xfs_io -c fsync /dev/mapper/drive1
	echo $(($(date +%s%3N) - before))
}
first=$(flush_ms) second=$(flush_ms)
diag "flush: $first ms, and $second ms after it"
check 'a flush takes the time of what was written' [ "$first" -ge 250 ]
check 'and leaves nothing for another one' [ "$second" -lt $((first / 4)) ]

# md_row NAME LAYOUT COUNT PUBLISHED
md_row() {
	local legs
	legs=$(printf '/dev/mapper/drive%s ' $(seq 0 $(($3 - 1))))
	# shellcheck disable=SC2086 # words
	check "$1 starts" mdadm --create $MD --run --assume-clean --bitmap=none --level=10 --layout="$2" --chunk=512 \
		--raid-devices="$3" $legs
	near "$1, random" "$(random_iops $MD)" "$4" 5
	udevadm settle
	need mdadm --stop $MD
	# shellcheck disable=SC2086 # words
	need mdadm --zero-superblock $legs
}
# The kernels here choose the nearest head only among busy legs, so near is as before the patch of 2016.
md_row 'md raid10 n4 on 4' n4 4 83
md_row 'md raid10 f4 on 4' f4 4 115
md_row 'md raid10 n2 on 3' n2 3 96
md_row 'md raid10 f2 on 3' f2 3 111

done_testing
