#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# adaptive on simulated drives without heads: equal ones share, a slow one is left alone, said to be slow, and used again
# when it is well. By the instruction clock, so that each run gives the same.
# guest: --icount --memory 1024
# module: tests/spindle
# timeout: 600
. ./lib.sh

SECTORS=$((1 << 30))
MB=/dev/mapper/mb

without_udev
need modprobe dm-mod
need insmod ./dm-spindle.ko
need modprobe dm-mirrorbal
ram_disks 2 16

# solid NTH US: a drive that reads in so long, four at once.
solid() {
	need dmsetup create "drive$1" \
		--table "0 $SECTORS spindle solid /dev/ram$1 0 6 read_ns $(($2 * 1000)) jitter_ns $(($2 * 100)) units 4"
}

array() {
	need mb_create mb "$(mb_table n2 1024 8192 '/dev/mapper/drive0 /dev/mapper/drive1' adaptive 0 1 nosync)"
}

# reading DEPTH SECONDS: random reads; p99 in us, reads of leg 0, of leg 1.
reading() {
	local before0 before1
	before0=$(mb_counter mb 0 reads) before1=$(mb_counter mb 1 reads)
	fio --name=random --thread --filename=$MB --direct=1 --rw=randread --bs=4k --norandommap --randrepeat=1 --time_based \
		--runtime="$2" --ioengine=libaio --iodepth="$1" --lat_percentiles=1 --clat_percentiles=0 --output-format=json |
		jq '.jobs[0].read.lat_ns.percentile["99.000000"] / 1000 | round'
	echo "$(($(mb_counter mb 0 reads) - before0)) $(($(mb_counter mb 1 reads) - before1))"
}

# read_figures DEPTH SECONDS: the same in P99, LEG0, LEG1.
read_figures() {
	read -r P99 LEG0 LEG1 < <(reading "$@" | paste -sd' ')
}

solid 0 200
solid 1 200
array
for depth in 1 32; do
	read_figures $depth 1
	is "equal legs share, QD $depth: $LEG0 and $LEG1 reads" $((LEG0 * 100 <= LEG1 * 102 && LEG1 * 100 <= LEG0 * 102)) 1
done
is 'none is slow' "$(mb_field mb marks)" ..

read_figures 4 1
well=$P99
need dmsetup message drive0 0 slow 10
read_figures 4 1
read_figures 4 1
is "a second after a leg has turned ten times slower p99 is $P99 us, was $well" $((P99 * 10 <= well * 13)) 1
is "the leg is left alone: $LEG0 and $LEG1 reads" $((LEG0 * 50 <= LEG1)) 1
is 'but tried now and then' $((LEG0 > 0)) 1
is 'status says so' "$(mb_field mb marks)" s.
need mb_message mb write_mostly 0 on
is 'beside the other mark' "$(mb_field mb marks)" b.
need mb_message mb write_mostly 0 off
need dmsetup message drive0 0 slow 1
read_figures 4 9
read_figures 4 1
is "ten seconds after it is well it is used again: $LEG0 and $LEG1 reads" $((LEG0 * 10 >= LEG1 * 9)) 1
is 'and not slow' "$(mb_field mb marks)" ..
need mb_message mb policy queue-length
is 'other policies mark none' "$(mb_field mb marks)" ..
need dmsetup remove --retry mb
need dmsetup remove --retry drive0

solid 0 50
array
read_figures 1 1
read_figures 1 2
is "one is four times as fast, QD 1: $LEG0 and $LEG1 reads" $((LEG0 * 100 >= (LEG0 + LEG1) * 95)) 1
is 'the other is the slow one' "$(mb_field mb marks)" .s
need dmsetup remove --retry mb

done_testing
