#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A mark goes only when all writes are done and safe on all legs.
# Write-intent: before a region is written every leg says so, and after a crash only such regions are copied. It is said no
# longer when all writes are done and safe, and never while a leg is away.
# guest: --memory 1536
# kernels: all
# debug: yes
# module: tests/functional/medium-module
# timeout: 900
. ./lib.sh

MB=/dev/mapper/mb
OFFSET=8192
REGION=8192
# The bitmap on a leg, in sectors.
BITMAP=144 BITMAP_SECTORS=128
ZEROS=$(head -c 4096 /dev/zero | cksum)
need modprobe dm-mod
need insmod ./dm-medium.ko
need modprobe dm-mirrorbal intent_delay=1
ram_disks 4 36
need random_file /tmp/content 64
need random_file /tmp/other 32

# array LAYOUT LEGS [OPTION]...: a new one, all of whose copies are the same. Regions are 4 MiB.
array() {
	local layout=$1 legs=$2 leg
	shift 2
	! dmsetup info mb >/dev/null 2>&1 || need stop_mb
	! dmsetup info leg0 >/dev/null 2>&1 || remove_medium_legs
	LEGS=
	for leg in 0 1 2 3; do
		need blkdiscard -f -z /dev/ram$leg
	done
	for ((leg = 0; leg < legs; leg++)); do
		LEGS+=" /dev/mapper/leg$leg"
	done
	medium_legs "$legs"
	# shellcheck disable=SC2086
	check "an array is created: $layout on $legs" \
		mirrorbal create mb --layout "$layout" --chunk 64K --assume-clean "$@" $LEGS
	udevadm settle
}

# bits LEG: the regions that it says may differ.
bits() {
	dd if="/dev/ram$1" bs=512 skip=$BITMAP count=1 iflag=direct status=none | od -An -v -tu1 -w1 |
		awk '{ for (bit = 0; bit < 8; bit++) if (int($1 / 2 ^ bit) % 2) print (NR - 1) * 8 + bit }' | xargs
}

# both: of legs 0 and 1.
both() {
	echo "$(bits 0) / $(bits 1)"
}

# put REGION [BLOCK]: write a block of it.
put() {
	local at=$(($1 * REGION / 8 + ${2:-0}))
	dd if=/tmp/other of=$MB bs=4K skip=$((at % 8192)) seek=$at count=1 oflag=direct conv=notrunc status=none
}

# block FILE REGION [BLOCK]
block() {
	local at=$(($2 * REGION / 8 + ${3:-0})) direct=iflag=direct
	[[ $1 != /dev/ram* ]] || at=$((at + OFFSET / 8))
	[[ $1 == /dev/* ]] || direct=
	# shellcheck disable=SC2086
	dd if="$1" bs=4K skip=$at count=1 $direct status=none | cksum
}

diag 'Said before, and no longer when all is done'

array n2 2
is 'of a new array nothing differs' "$(both)" ' / '
need spoil 1 bad $BITMAP $BITMAP_SECTORS
need dmsetup message leg1 0 hold
put 2 &
writer=$!
check 'the first write to a region: the bitmap is written' becomes 1 waiting 1
check 'and waited for' waits $writer
is 'meanwhile no leg has the data' "$(block /dev/ram0 2) $(block /dev/ram1 2)" "$ZEROS $ZEROS"
check 'reads do not wait' timeout 60 dd if=$MB of=/dev/null bs=4K count=40 iflag=direct status=none
need dmsetup message leg1 0 let_go
check 'then it is done' wait $writer
is 'both legs say so' "$(both)" '2 / 2'
need spoil 1 bad $BITMAP $BITMAP_SECTORS
need dmsetup message leg1 0 hold
check 'another write to it waits for nothing' timeout 60 bash -c "$(declare -f put); REGION=$REGION MB=$MB; put 2 1"
need dmsetup message leg1 0 let_go
need spoil 1 good $BITMAP $BITMAP_SECTORS
check 'when it is left alone for a while, it is said no longer' becomes ' / ' both
check 'then the next write says it again' put 2
is 'on both legs' "$(both)" '2 / 2'

diag 'Not while a write is under way'

array n2 2
put 3
need spoil 1 bad $((OFFSET + 3 * REGION + 16)) 8
need dmsetup message leg1 0 hold
put 3 2 &
writer=$!
check 'a write waits at a leg' becomes 1 waiting 1
sleep 6
is 'however long' "$(both)" '3 / 3'
need dmsetup message leg1 0 let_go
check 'it is done' wait $writer
check 'then' becomes ' / ' both

diag 'Crashes'

for shape in 'n2 2' 'f2 2' 'o2 3' 'n2 4'; do
	read -r layout nr <<<"$shape"
	array "$layout" "$nr"
	need fill /tmp/content 0 $MB
	sync $MB
	check 'left alone' becomes '' bits 0
	last=$((($(sectors $MB) - 1) / REGION))
	put 1 && put $last
	said=$(bits 0)
	need power_off
	# A clean region that differs shows that nothing is copied there; what a crash leaves differs in dirty ones only.
	for leg in 0 1; do
		dd if=/dev/urandom of=/tmp/garbage$leg bs=4K count=1 status=none
		dd if=/tmp/garbage$leg of=/dev/ram$leg bs=4K seek=$(((OFFSET + 2 * REGION) / 8 + 5)) oflag=direct conv=notrunc status=none
	done
	need mirrorbal assemble mb
	check 'it is synced soon' becomes yes synced
	is 'with the regions that were written, and no more' "$said" "1 $last"
	[[ $layout != n2 ]] ||
		is 'a clean region was not touched' "$(block /dev/ram0 2 5) $(block /dev/ram1 2 5)" \
			"$(block /tmp/garbage0 0) $(block /tmp/garbage1 0)"
	check 'and then said no longer' becomes '' bits 0
done

array n2 2
need fill /tmp/content 0 $MB
sync $MB
check 'left alone' becomes ' / ' both
put 5
need power_off
dd if=/tmp/other of=/dev/ram1 bs=4K skip=77 seek=$(((OFFSET + 5 * REGION) / 8 + 9)) count=1 oflag=direct conv=notrunc status=none
need mirrorbal assemble mb
check 'a region that was written when the power went is made the same' becomes yes synced
is 'from the first copy' "$(block /dev/ram1 5 9)" "$(block /tmp/content 5 9)"

# Before it has come there, of such a region everybody reads one copy; of others all.
put 6
put 5
need power_off
need mirrorbal assemble mb
need mb_message mb resync_limit 1
need mb_message mb policy round-robin 4096
need stop_mb
need mirrorbal assemble mb
if [[ $(synced) != yes ]]; then
	need mb_message mb reset_counters
	check 'a clean region is read' dd if=$MB of=/dev/null bs=4K skip=$((2 * REGION / 8)) count=64 iflag=direct status=none
	is 'from both legs' "$(($(mb_counter mb 0 reads) > 0 && $(mb_counter mb 1 reads) > 0))" 1
	need mb_message mb reset_counters
	check 'one that may differ is read' dd if=$MB of=/dev/null bs=4K skip=$((6 * REGION / 8 + 512)) count=64 iflag=direct status=none
	is 'from one leg' "$(($(mb_counter mb 0 reads) > 0 && $(mb_counter mb 1 reads) > 0))" 0
	is 'stopped before it was done, it is still said' "$(bits 0)" "$(bits 1)"
	need mb_message mb resync_limit 0
	check 'it comes to its end' becomes yes synced
else
	skip 'a clean region is read' 'it was done already'
fi
check 'and then said no longer' becomes ' / ' both

diag 'A leg is away'

array n2 2
put 1
need mirrorbal fail mb leg1
put 4
sleep 5
is 'what it misses is said as long as it is away' "$(bits 0)" '1 4'
need stop_mb
is 'over a stop' "$(bits 0)" '1 4'
check_fails 'it starts, degraded' mirrorbal assemble mb
is 'nothing is to be resynced' "$(synced)" yes
put 6
sleep 5
is 'what it misses more is added' "$(bits 0)" '1 4 6'

diag 'Legs that do not take it'

array n2 2
need spoil 1 broken $BITMAP $BITMAP_SECTORS
check 'a leg does not take the bitmap: the write is done' put 2
is 'the leg has failed' "$(mb_field mb health)" AD
is 'the other says it' "$(bits 0)" 2
need spoil 0 broken $BITMAP $BITMAP_SECTORS
check_fails 'the last leg does not take it: the write fails' put 3
check_fails 'and all others' put 2
is 'it stays' "$(mb_field mb health)" AD
check 'all can be read' timeout 60 dd if=$MB of=/dev/null bs=4K count=40 iflag=direct status=none

diag 'Ranges, suspend, reload, beside others'

array n2 2
check 'zeroes over several regions' blkdiscard -f -z -o $((REGION * 512)) -l $((REGION * 512 * 3)) $MB
is 'marks them all' "$(both)" '1 2 3 / 1 2 3'
check 'and over an edge' blkdiscard -f -z -o $((REGION * 512 * 5 - 65536)) -l 131072 $MB
is 'as well' "$(both)" '1 2 3 4 5 / 1 2 3 4 5'
check 'it is suspended and resumed' suspend_and_resume mb
is 'suspended, all is done' "$(both)" ' / '
put 1
check 'it is loaded again' mb_reload mb "$(dmsetup table mb)"
check 'and written' put 1
is 'which is said' "$(both)" '1 / 1'
check 'verified writes, while regions come and go' verified_fio --filename=$MB --size=24M --runtime=12 --time_based \
	--rate_iops=400
need stop_mb
is 'stopped, nothing differs' "$(both)" ' / '
is 'indeed' "$(dd if=/dev/ram0 bs=1M skip=4 iflag=direct status=none | cksum)" \
	"$(dd if=/dev/ram1 bs=1M skip=4 iflag=direct status=none | cksum)"

# Chunks larger than regions: a write can lie in two.
array n2 2 --chunk 16M
dd if=/tmp/other of=$MB bs=64K seek=63 count=1 oflag=direct conv=notrunc status=none
is 'up to the edge of a region' "$(both)" '0 / 0'
dd if=/tmp/other of=$MB bs=96K seek=$((8 * 1024 * 1024 / 98304)) count=1 oflag=direct conv=notrunc status=none
is 'over the edge' "$(both)" '0 1 2 / 0 1 2'
need stop_mb

done_testing
