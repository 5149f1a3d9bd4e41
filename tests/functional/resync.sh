#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A new array whose legs differ becomes one whose copies are the same, from the first copy, while it is used: until then
# all read that copy, and no write falls between.
# guest: --memory 1536
# kernels: all
# debug: yes
# module: tests/functional/medium-module
# timeout: 900
. ./lib.sh

MB=/dev/mapper/mb
CHUNK=128
need modprobe dm-mod
need insmod ./dm-medium.ko
need modprobe dm-mirrorbal
need random_file /tmp/other 1
ram_disks 4 2
for leg in 0 1 2 3; do
	need random_file /tmp/leg$leg 4
done

# legs COUNT: as many whose contents have nothing in common.
legs() {
	local leg
	DEVICES=
	for ((leg = 0; leg < $1; leg++)); do
		need fill /tmp/leg$leg 0 /dev/ram$leg
		DEVICES+=" /dev/mapper/leg$leg"
	done
	medium_legs "$1"
}

# table LAYOUT [FEATURE WORD]...: for the legs, without nosync.
table() {
	local layout=$1
	shift
	mb_table "$layout" $CHUNK 0 "$DEVICES" round-robin 1 4096 $# "$@"
}

# array LAYOUT LEGS [FEATURE WORD]...: a new one of such legs.
array() {
	local layout=$1 legs=$2
	shift 2
	legs "$legs"
	check "an array starts unsynced: $layout on $legs" mb_create mb "$(table "$layout" "$@")"
}

remove_array() {
	need mb_remove mb
	remove_medium_legs
}

# first_copies LAYOUT LEGS CHUNKS: what copy 0 of each chunk holds, by md(4)'s words on where it lies.
first_copies() {
	local chunk leg row
	for ((chunk = 0; chunk < $3; chunk++)); do
		case $1 in
		n*)	leg=$((chunk * ${1:1} % $2)) row=$((chunk * ${1:1} / $2)) ;;
		f*)	leg=$((chunk % $2)) row=$((chunk / $2)) ;;
		o*)	leg=$((chunk % $2)) row=$((chunk / $2 * ${1:1})) ;;
		esac
		dd if=/tmp/leg$leg bs=$((CHUNK * 512)) skip=$row count=1 status=none
	done
}

# block FILE SECTOR: eight sectors of it; of a device, as they are on it.
block() {
	local direct=
	[[ $1 != /dev/* ]] || direct=iflag=direct
	# shellcheck disable=SC2086 # none or one
	dd if="$1" bs=512 skip="$2" count=8 $direct status=none | cksum
}

legs_same() {
	local leg
	for ((leg = 1; leg < $1; leg++)); do
		cmp /dev/ram0 /dev/ram$leg || return
	done
}

diag 'Layouts'

for shape in 'n2 2' 'n2 3' 'n3 3' 'n2 4' 'f2 2' 'f3 4' 'o2 3'; do
	read -r layout nr <<<"$shape"
	array "$layout" "$nr" resync_limit 1
	check 'it has begun' becomes "256/$(sectors $MB)" mb_field mb sync
	is 'and says so' "$(mb_field mb action) $(mb_field mb health)" "resync $(printf '%*s' "$nr" '' | tr ' ' a)"
	first_copies "$layout" "$nr" $(($(sectors $MB) / CHUNK)) >/tmp/first
	check 'what is read is the first copy' holds /tmp/first 0 $MB
	check 'each time' holds /tmp/first 0 $MB
	contains 'the table line asks for a resync when it is used again' "$(dmsetup table mb)" ' 2 resync_limit 1'
	need mb_message mb resync_limit 0
	check 'it comes to its end' becomes yes synced
	is 'and says so' "$(mb_field mb action) $(mb_field mb health)" "idle $(printf '%*s' "$nr" '' | tr ' ' A)"
	is 'the table line has nosync' "$(dmsetup table mb | cut -d " " -f $((10 + 2 * nr))-)" "1 nosync"
	check 'the content is that of the first copies' holds /tmp/first 0 $MB
	check 'all copies are the same' copies_equal mb "${layout:1}" "$nr"
	remove_array
done

diag 'Before it has come there, one leg is read'

ram_disks 4 4

array n2 2 write_mostly 0 resync_limit 1
check 'it has begun' becomes "256/$(sectors $MB)" mb_field mb sync
need mb_message mb reset_counters
check 'all behind the mark is read' dd if=$MB of=/dev/null bs=64K skip=2 iflag=direct status=none
is 'from one leg only, write-mostly or not' "$(mb_counter mb 1 reads)" 0
need mb_message mb reset_counters
check 'below it' dd if=$MB of=/dev/null bs=64K count=2 iflag=direct status=none
is 'from whichever may be read' "$(mb_counter mb 0 reads)" 0
remove_array

diag 'Writes'

array n2 2 resync_limit 1
check 'it has begun' becomes "256/$(sectors $MB)" mb_field mb sync
check 'a write behind the mark' dd if=/tmp/other of=$MB bs=4K seek=100 count=1 oflag=direct conv=notrunc status=none
is 'is on both legs' "$(block /dev/ram0 800) $(block /dev/ram1 800)" "$(block /tmp/other 0) $(block /tmp/other 0)"
check 'zeroes behind it' blkdiscard -f -z -o 819200 -l 65536 $MB
is 'are on both legs' "$(block /dev/ram0 1600)" "$(block /dev/ram1 1600)"

# What is copied next has a sector on leg 1 at whose write the copy waits.
spoil 1 bad 600 1
need dmsetup message leg1 0 hold
need mb_message mb resync_limit 0
check 'a copy is under way' becomes 1 waiting 1
dd if=/tmp/other of=$MB bs=4K seek=75 skip=1 count=1 oflag=direct conv=notrunc status=none &
writer=$!
sleep 2
is 'a write to it waits' "$(jobs -pr | grep -cx $writer)" 1
is 'and is on no leg' "$(block /dev/ram0 600)" "$(block /tmp/leg0 600)"
check 'a read does not' timeout 60 dd if=$MB of=/dev/null bs=4K skip=75 count=1 iflag=direct status=none
need dmsetup message leg1 0 let_go
check 'and is done when the copy is' wait $writer
check 'to the end' becomes yes synced
check 'the legs are the same' legs_same 2
is 'and hold what was written last' "$(block $MB 600)" "$(block /tmp/other 8)"
remove_array

diag 'A leg that fails'

# While a copy from it is under way, all go on to read it: what it gives is what all will have.
array n2 2 resync_limit 1
check 'it has begun' becomes "256/$(sectors $MB)" mb_field mb sync
spoil 1 bad 600 1
need dmsetup message leg1 0 hold
need mb_message mb resync_limit 0
check 'a copy is under way' becomes 1 waiting 1
kernel_log_mark
need mb_message mb fail 0
is 'its source fails' "$(mb_field mb health)" Da
contains 'what that means for the rest is told' "$(kernel_log)" 'which may differ'
is 'what is read is what it held' "$(block $MB 600)" "$(block /tmp/leg0 600)"
check 'behind that and below the mark is written to the other' timeout 60 bash -c \
	"for at in 256 1; do dd if=/tmp/other of=$MB bs=4K seek=\$at count=1 oflag=direct conv=notrunc status=none || exit; done"
check 'a read of all three' dd if=$MB of=/tmp/got bs=2M count=1 iflag=direct status=none
is 'is right in each part' "$(block /tmp/got 8) $(block /tmp/got 600) $(block /tmp/got 2048)" \
	"$(block /tmp/other 0) $(block /tmp/leg0 600) $(block /tmp/other 0)"
need dmsetup message leg1 0 let_go
check 'nothing is left to be copied' becomes yes synced
is 'what is read is the same' "$(block $MB 600)" "$(block /tmp/leg0 600)"
is 'on the other leg' "$(mb_field mb health)" DA
remove_array

# table_of LEG KIND: what its device does from now on.
table_of() {
	need dmsetup load "leg$1" --table "0 $(sectors "/dev/ram$1") $2"
	need dmsetup suspend --nolockfs "leg$1"
	need dmsetup resume "leg$1"
}

array n2 2 resync_limit 1
check 'it has begun' becomes "256/$(sectors $MB)" mb_field mb sync
table_of 0 error
table_of 1 error
kernel_log_mark
need mb_message mb resync_limit 0
check 'no leg can be reached: it stops' becomes idle mb_field mb action
is 'where it was' "$(mb_field mb sync)" "256/$(sectors $MB)"
contains 'and says so' "$(kernel_log)" 'no copy can be read, though not for a bad sector'
table_of 0 "linear /dev/ram0 0"
table_of 1 "linear /dev/ram1 0"
need mb_message mb idle
check 'they come back, and it comes to its end' becomes yes synced
check 'the legs are the same' legs_same 2
remove_array

diag 'Beside others'

for shape in 'n2 3' 'f2 3' 'o2 3'; do
	read -r layout nr <<<"$shape"
	array "$layout" "$nr" resync_limit 512
	load_start $MB --rw=randrw --bs=4k-64k --ioengine=libaio --iodepth=4 --direct=1 --io_size=2M
	check "it is resynced under verified reads and writes, $layout" becomes yes synced
	check "none of which was wrong, $layout" load_stop
	check "all copies are the same, $layout" copies_equal mb "${layout:1}" "$nr"
	remove_array
done

diag 'Bad sectors'

array n3 3 resync_limit 1
check 'it has begun' becomes "256/$(sectors $MB)" mb_field mb sync
spoil 0 bad 2000 8
is 'what the first copy cannot give is read from the second' "$(block $MB 2000)" "$(block /tmp/leg1 2000)"
is 'by when all have it' "$(bad 0) $(block /dev/ram0 2000) $(block /dev/ram2 2000)" \
	"0 $(block /tmp/leg1 2000) $(block /tmp/leg1 2000)"
is 'which is counted as repaired' "$(mb_counter mb 0 sectors_repaired)" 8
spoil 0 bad 3008 8
check 'of a larger read the rest is of the first copy' dd if=$MB of=/tmp/got bs=64K skip=23 count=1 iflag=direct status=none
is 'around the bad block' "$(block /tmp/got 56) $(block /tmp/got 72)" "$(block /tmp/leg0 3000) $(block /tmp/leg0 3016)"
is 'and at it that of the second' "$(block /tmp/got 64)" "$(block /tmp/leg1 3008)"
spoil 0 bad 4000 8
spoil 0 broken 5000 8
spoil 1 broken 5000 8
spoil 2 broken 5000 8
kernel_log_mark
need mb_message mb resync_limit 0
check 'resync meets others, and comes to its end' becomes yes synced
is 'one that can be had is copied' "$(bad 0) $(block /dev/ram0 4000) $(block /dev/ram2 4000)" \
	"8 $(block /tmp/leg1 4000) $(block /tmp/leg1 4000)"
contains 'one that nobody has is told' "$(kernel_log)" 'sector 5000 cannot be read from any copy'
check_fails 'and cannot be read' dd if=$MB of=/dev/null bs=4K skip=625 count=1 iflag=direct status=none
is 'its copies are left as they are' "$(block /dev/ram0 5000) $(block /dev/ram1 5000)" \
	"$(block /tmp/leg0 5000) $(block /tmp/leg1 5000)"
is 'all legs are in sync' "$(mb_field mb health)" AAA
remove_array

array n2 2 resync_limit 1
check 'it has begun' becomes "256/$(sectors $MB)" mb_field mb sync
spoil 1 broken 4000 8
need mb_message mb resync_limit 0
check 'a leg that cannot be written fails' becomes AD mb_field mb health
check 'what is read is the first copy' holds /tmp/leg0 0 $MB
remove_array

# Leg 0 may not fail, since leg 1 has; and what lies in its chunk 17 is on leg 2 first.
array n2 3 resync_limit 1
check 'it has begun' becomes "256/$(sectors $MB)" mb_field mb sync
need mb_message mb fail 1
spoil 0 broken 2176 8
kernel_log_mark
need mb_message mb resync_limit 0
check 'what cannot be written nor be given up stops it' log_tells 'resync cannot go on'
check 'for good' becomes idle mb_field mb action
is 'with its legs' "$(mb_field mb health)" aDa
need dmsetup message leg0 0 good 2176 8
need mb_message mb idle
check 'it can be told to try again' becomes yes synced
is 'and comes to its end' "$(mb_field mb health)" ADA
remove_array

diag 'Orders'

array n2 2 resync_limit 1
check 'it has begun' becomes "256/$(sectors $MB)" mb_field mb sync
need mb_message mb frozen
is 'it is frozen' "$(mb_field mb action)" frozen
need mb_message mb resync_limit 0
sleep 2
is 'and stays' "$(mb_field mb sync)" "256/$(sectors $MB)"
need mb_reload mb "$(table n2)"
is 'over a reload' "$(mb_field mb action) $(mb_field mb sync)" "frozen 256/$(sectors $MB)"
need mb_reload mb "$(table n2 nosync)"
is 'one with nosync does not make it synced' "$(mb_field mb sync)" "256/$(sectors $MB)"
event=$(dmsetup info -c --noheadings -o events mb)
need mb_message mb idle
check 'it goes on' becomes yes synced
check 'its end is an event' becomes yes bash -c "[[ \$(dmsetup info -c --noheadings -o events mb) -gt $event ]] && echo yes"
check 'the legs are the same' legs_same 2
need mb_reload mb "$(table n2)"
is 'and stay so over a reload without nosync' "$(mb_field mb sync)" "$(sectors $MB)/$(sectors $MB)"
need fill /tmp/leg2 0 /dev/ram1
need mb_message mb resync_limit 1
need mb_message mb resync
check 'resync begins anew' becomes "256/$(sectors $MB)" mb_field mb sync
check 'it is suspended and resumed at it' suspend_and_resume mb
is 'and goes on from there' "$(mb_field mb action)" resync
check 'it comes to its end' mb_message mb resync_limit 0
check 'for certain' becomes yes synced
check 'the legs are the same' legs_same 2
need mb_message mb resync_limit 1
need mb_message mb resync
check 'it can be removed at it' timeout 60 dmsetup remove --retry mb
need mb_create mb "$(table n2 resync_limit 1)"
remove_array

diag 'Nothing to copy to; nothing to be written'

legs 2
check 'an array of one leg' mb_create mb "$(mb_table n2 $CHUNK 0 '/dev/mapper/leg0 -')"
need mb_remove mb
check 'without nosync' mb_create mb "$(mb_table n2 $CHUNK 0 '/dev/mapper/leg0 -' nearest-head 0)"
check 'has nothing to resync' becomes A- mb_field mb health
need mb_remove mb
check 'a read-only one starts' dmsetup create mb -r --table "$(table n2)"
need udevadm settle
is 'and is not resynced' "$(mb_field mb action) $(mb_field mb sync)" "idle 0/$(sectors $MB)"
check 'what is read is the first copy' holds /tmp/leg0 0 $MB
spoil 0 bad 2000 8
is 'or the second, where that cannot be read' "$(block $MB 2000)" "$(block /tmp/leg1 2000)"
check 'of a larger read' dd if=$MB of=/tmp/got bs=64K skip=15 count=1 iflag=direct status=none
is 'only there' "$(block /tmp/got 72) $(block /tmp/got 80) $(block /tmp/got 88)" \
	"$(block /tmp/leg0 1992) $(block /tmp/leg1 2000) $(block /tmp/leg0 2008)"
is 'nothing is written' "$(bad 0) $(block /dev/ram0 2000)" "8 $(block /tmp/leg0 2000)"
contains 'resync is refused' "$(mb_message_error mb resync)" 'read-only'
remove_array
done_testing
