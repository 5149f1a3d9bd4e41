#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# adaptive beside md raid10 on the same simulated drives, both as they come: random reads at several depths, readers in
# sequence, and what is left of both when they meet. By the instruction clock, so that each run gives the same.
# guest: --icount --memory 2048
# module: tests/spindle
# timeout: 900
. ./lib.sh

TB=$((10 ** 12 / 512))
MD=/dev/md127
MB=/dev/mapper/mb

without_udev
need modprobe dm-mod
need insmod ./dm-spindle.ko
need modprobe -a raid10 dm-mirrorbal
ram_disks 4 16
for nth in 0 1 2 3; do
	need dmsetup create drive$nth --table "0 $((6 * TB)) spindle spinning /dev/ram$nth 0 2 seed $nth"
done

# random_iops DEVICE DEPTH BYTES: 4 KiB reads over so many bytes.
random_iops() {
	fio --name=random --thread --filename="$1" --direct=1 --rw=randread --bs=4k --size="$3" --norandommap \
		--random_generator=tausworthe64 --randrepeat=1 --ramp_time=3 --runtime=25 --time_based \
		--ioengine=libaio --iodepth="$2" --allow_file_create=0 --output-format=json | jq '.jobs[0].read.iops | round'
}

# rate DEVICE READERS: MB/s of readers in sequence, through the page cache, a part each of 1536 MiB. Threads of one
# program: when programs of their own would begin depends on how soon the host's disk gives them.
rate() {
	fio --name=reader --thread --filename="$1" --rw=read --bs=1M --ioengine=psync --numjobs="$2" --group_reporting \
		--offset_increment=200000M --size=$((1536 / $2))M --fadvise_hint=0 --allow_file_create=0 \
		--output-format=json | jq '.jobs[0].read.bw_bytes / 1e6 | round'
}

# at_least TEXT GOT PERCENT BASE
at_least() {
	is "$1: $2 for $4, at least $3 %" $(($2 * 100 >= $4 * $3)) 1
}

# beside_md LAYOUT COUNT BYTES {DEPTH PERCENT}...: random reads of both.
beside_md() {
	local layout=$1 count=$2 bytes=$3 legs nth
	local -a md=()
	shift 3
	legs=$(printf '/dev/mapper/drive%s ' $(seq 0 $((count - 1))))
	# shellcheck disable=SC2086 # words
	need mdadm --create $MD --run --assume-clean --bitmap=none --level=10 --layout="$layout" --chunk=512 \
		--raid-devices="$count" $legs
	for ((nth = 1; nth < $#; nth += 2)); do
		md+=("$(random_iops $MD "${!nth}" "$bytes")")
	done
	need mdadm --stop $MD
	# shellcheck disable=SC2086 # words
	need mdadm --zero-superblock $legs
	need mb_create mb "$(mb_table "$layout" 1024 8192 "$legs" adaptive 0 1 nosync)"
	for ((nth = 0; $# > 0; nth++)); do
		at_least "$layout on $count, random, QD $1" "$(random_iops $MB "$1" "$bytes")" "$2" "${md[nth]}"
		shift 2
	done
}

# as_simulated LAYOUT COUNT DEPTH BYTES: what is read here, put to the simulator, takes as long there.
as_simulated() {
	local iops simulated
	rm -f trace # fio would append to it
	iops=$(fio --name=random --thread --filename=$MB --direct=1 --rw=randread --bs=4k --size="$4" --norandommap \
		--random_generator=tausworthe64 --randrepeat=1 --number_ios=2000 --ioengine=libaio --iodepth="$3" \
		--allow_file_create=0 --write_iolog=trace --output-format=json | jq '.jobs[0].read.iops')
	simulated=$(mirrorbal simulate trace --layout "$1" --legs "$2" --depth "$3" --leg-size $((6 * TB))s --policy adaptive \
		--json | jq '.requests * 1e9 / .run_ns')
	is "$1 on $2, QD $3: $iops IOPS here, $simulated in the simulator" \
		"$(jq -n "$iops / $simulated | . > 0.9 and . < 1.1")" true
}

SINGLE=$(rate /dev/mapper/drive0 1)
diag "one drive: $SINGLE MB/s"
beside_md n4 4 $((5 * 10 ** 12)) 1 138 8 103 32 112
at_least 'n4 on 4, one reader, of one drive' "$(rate $MB 1)" 250 "$SINGLE"
at_least 'n4 on 4, four readers, of one drive' "$(rate $MB 4)" 330 "$SINGLE"
as_simulated n4 4 1 $((5 * 10 ** 12))
as_simulated n4 4 32 $((5 * 10 ** 12))
need dmsetup remove --retry mb
beside_md n2 2 $((5 * 10 ** 12)) 1 122 4 108 32 112
at_least 'n2 on 2, one reader, of one drive' "$(rate $MB 1)" 170 "$SINGLE"
need dmsetup remove --retry mb

done_testing
