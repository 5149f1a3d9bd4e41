#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A sector that one leg cannot read is written to it again from another copy, read back and counted, and no write of
# others falls in between.
# guest: --memory 1024
# kernels: all
# debug: yes
# module: tests/functional/medium-module
# timeout: 600
. ./lib.sh

MB=/dev/mapper/mb
need modprobe dm-mod
need insmod ./dm-medium.ko
need modprobe dm-mirrorbal
need random_file /tmp/content 32
need random_file /tmp/other 1
ram_disks 3 16

# array LAYOUT LEGS [FEATURE WORD]...: a fresh array on drives that can have bad sectors, written with /tmp/content.
array() {
	local layout=$1 legs=$2 leg
	local -a devices=()
	shift 2
	for ((leg = 0; leg < legs; leg++)); do
		devices+=("/dev/mapper/leg$leg")
	done
	medium_legs "$legs"
	check "an array starts: $layout on $legs" \
		mb_create mb "$(mb_table "$layout" 128 0 "${devices[*]}" nearest-head 0 $((1 + $#)) nosync "$@")"
	need fill /tmp/content 0 $MB
}

remove_array() {
	need mb_remove mb
	remove_medium_legs
}

# read_at SECTOR COUNT: read so many sectors direct, compare.
read_at() {
	dd if=$MB bs=$(($2 * 512)) count=1 iflag=direct,skip_bytes skip=$(($1 * 512)) status=none |
		cmp -n $(($2 * 512)) -i "0:$(($1 * 512))" - /tmp/content
}

# write_other SECTOR COUNT
write_other() {
	dd if=/tmp/other of=$MB bs=$(($2 * 512)) count=1 oflag=direct,seek_bytes seek=$(($1 * 512)) conv=notrunc status=none
}

repaired() {
	mb_counter mb "$1" sectors_repaired
}

# settled: any repair that has been asked for is done; suspend waits for the one at work, and begins no other.
settled() {
	sleep 2
	dmsetup suspend mb && dmsetup resume mb
}

diag 'A bad sector'

array n2 2 write_mostly 1
kernel_log_mark
spoil 0 bad 2001 3
check 'what one leg cannot read is read' read_at 1920 128
check 'it is written again' becomes 0 bad 0
check 'and counted: the whole physical block' becomes 8 repaired 0
is 'on that leg only' "$(repaired 1)" 0
contains 'the log tells the leg and the place' "$(kernel_log)" '8 sectors at 2000'
before=$(mb_counter mb 0 read_errors)
check 'it is read' read_at 1920 128
is 'from that leg' "$(mb_counter mb 0 read_errors)" "$before"
is 'which has not failed' "$(mb_field mb health)" AA
is 'what was written is right' "$(cmp /dev/ram0 /dev/ram1 && echo same)" same

spoil 0 bad 4096 1
spoil 0 bad 4223 1
check 'bad blocks at both ends of a read are read' read_at 4096 128
check 'both are written again' becomes 0 bad 0
check 'and counted' becomes 24 repaired 0
mb_message mb reset_counters
is 'reset_counters leaves the count: it tells of errors' "$(repaired 0)" 24
need dmsetup load mb --table "$(dmsetup table mb)"
need dmsetup suspend mb
need dmsetup resume mb
is 'so does a reload' "$(repaired 0)" 24

drop_caches
spoil 0 bad 1000 8
check 'a read-ahead that fails' xfs_io -r -c 'fadvise -w 512000 4096' $MB
check 'is not repaired' settled
is 'nor counted' "$(bad 0) $(repaired 0)" '8 24'
spoil 0 good 1000 8
remove_array

diag 'Each leg has one of its own'

array n2 2
spoil 0 bad 4000 8
spoil 1 bad 4056 1
check 'a read that no leg can serve whole is read' read_at 3968 256
check 'again, so that each leg is asked' read_at 3968 256
check 'one leg is repaired' becomes 0 bad 0
check 'and the other' becomes 0 bad 1
spoil 0 bad 8000 8
spoil 1 bad 8000 8
check_fails 'what no leg can read is an error' read_at 8000 8
check 'which the log tells' log_tells 'no other copy of it can'
check 'and stays' settled
is 'as it is' "$(bad 0) $(bad 1)" '8 8'
is 'no leg has failed' "$(mb_field mb health)" AA
check 'until it is written' write_other 8000 8
is 'on both' "$(bad 0) $(bad 1)" '0 0'
remove_array

diag 'A leg that cannot be helped'

array n2 2 write_mostly 1
kernel_log_mark
spoil 0 stubborn 2000 8
check 'what cannot be read after it was written' read_at 2000 8
check 'is told in the log' log_tells 'cannot be read back'
is 'and not counted as repaired' "$(repaired 0)" 0
spoil 0 broken 2000 8
check 'what can be neither read nor written' read_at 2000 8
check 'fails the leg' becomes DA mb_field mb health
is 'as a write error' "$(mb_counter mb 0 write_errors)" 1
remove_array

diag 'Nobody writes in between'

array n2 2 write_mostly 1
spoil 0 bad 2000 8
need dmsetup message leg0 0 hold
check 'a bad sector is read' read_at 2000 8
check 'its repair is under way' becomes 1 waiting 0
write_other 2000 8 &
writer=$!
check 'other blocks can be written meanwhile' timeout 60 dd if=/tmp/other of=$MB bs=4K seek=2000 count=1 oflag=direct \
	conv=notrunc status=none
check 'and read, the block itself too' timeout 60 dd if=$MB of=/dev/null bs=4K skip=250 count=1 iflag=direct status=none
blkdiscard -f -z -o 1040384 -l 4096 $MB
is 'zeroes elsewhere are not held' $? 0
sleep 2
is 'a write to the block waits' "$(jobs -pr | grep -cx $writer)" 1
need dmsetup message leg0 0 let_go
check 'and is done when the repair is' wait $writer
is 'both copies are the same' "$(cmp /dev/ram0 /dev/ram1 && echo same)" same
is 'and what was written last' \
	"$(dd if=$MB bs=4K skip=250 count=1 iflag=direct status=none | cmp -n 4096 - /tmp/other && echo same)" same

spoil 0 bad 6000 8
need dmsetup message leg0 0 hold
check 'a repair is under way again' read_at 6000 8
check 'for certain' becomes 1 waiting 0
dmsetup suspend mb &
suspend=$!
sleep 2
is 'suspend waits for it' "$(jobs -pr | grep -cx $suspend)" 1
need dmsetup message leg0 0 let_go
check 'and ends with it' wait $suspend
need dmsetup resume mb
is 'what was repaired is counted' "$(repaired 0)" 16
remove_array

diag 'Layouts; read-only'

for layout in n2 f2 o2; do
	array $layout 3
	for leg in 0 1 2; do
		spoil $leg bad $((16 + 1024 * leg)) 8
	done
	# Which copy is asked is chance but for this: of two copies, the one whose leg is not left in peace.
	for leg in 0 1 2; do
		need mb_message mb write_mostly $leg on
		check "all of it is read, $layout, but for leg $leg" holds /tmp/content 0 $MB
		need mb_message mb write_mostly $leg off
	done
	check "the legs agree with the array after it, $layout" settled
	for leg in 0 1 2; do
		[[ $(bad $leg) -eq 0 || $(repaired $leg) -eq 0 ]] || not_ok "leg $leg is repaired in part, $layout"
	done
	is "all is repaired, $layout" "$(repaired 0) $(repaired 1) $(repaired 2)" '8 8 8'
	remove_array
done

array n2 2 write_mostly 1
table=$(dmsetup table mb)
need mb_remove mb
check 'it starts read-only' dmsetup create mb -r --table "$table"
need udevadm settle
spoil 0 bad 2000 8
check 'what one leg cannot read is read' read_at 2000 8
check 'nothing is written' settled
is 'the leg is as it was' "$(bad 0) $(repaired 0)" '8 0'
remove_array
done_testing
