#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Acknowledged is what every leg has that is called in sync, and no leg is used that is stale or another's.
# What an array keeps on its legs: who is in sync is known over stops and crashes, nothing is acknowledged that a leg may
# have missed before the others say so, and no stale or foreign leg is used.
# guest: --memory 1536
# kernels: all
# debug: yes
# module: tests/functional/medium-module
# timeout: 900
. ./lib.sh

MB=/dev/mapper/mb
OFFSET=8192
# The superblocks, in sectors.
SB=128 SB_SECTORS=16
need modprobe dm-mod
need insmod ./dm-medium.ko
need modprobe dm-mirrorbal
ram_disks 4 12
need random_file /tmp/content 16
need random_file /tmp/other 16

# fresh LEGS: as many legs that nothing is known of.
fresh() {
	local leg
	! dmsetup info mb >/dev/null 2>&1 || need mb_remove mb
	! dmsetup info leg0 >/dev/null 2>&1 || remove_medium_legs
	LEGS=
	for leg in 0 1 2 3; do
		need blkdiscard -f -z /dev/ram$leg
	done
	for ((leg = 0; leg < $1; leg++)); do
		LEGS+=" /dev/mapper/leg$leg"
	done
	medium_legs "$1"
}

# array LAYOUT LEGS [OPTION]...: a new one, full of /tmp/content.
array() {
	local layout=$1 legs=$2
	shift 2
	fresh "$legs"
	# shellcheck disable=SC2086
	check "an array is created: $layout on $legs" \
		mirrorbal create mb --layout "$layout" --chunk 64K --assume-clean "$@" $LEGS
	need fill /tmp/content 0 $MB
	sync $MB
}

# sb LEG QUERY: of its superblock, by jq.
sb() {
	mirrorbal examine --json "/dev/ram$1" | jq -r ".[0].superblock | $2"
}

# The states of all legs, as leg LEG knows them.
states() {
	sb "$1" '[.legs[].state] | join(", ")'
}

# Fingerprint of what leg LEG holds before its data.
area() {
	dd if="/dev/ram$1" bs=1M count=4 iflag=direct status=none | cksum
}

put() {
	dd if=/tmp/other of=$MB bs=4K skip="$1" seek="$1" count=1 oflag=direct conv=notrunc status=none
}

# Block N of a file or device; of the array's data if it is a leg.
block() {
	local skip=$2 direct=iflag=direct
	[[ $1 != /dev/ram* ]] || skip=$((skip + OFFSET / 8))
	[[ $1 == /dev/* ]] || direct=
	# shellcheck disable=SC2086
	dd if="$1" bs=4K skip=$skip count=1 $direct status=none | cksum
}

diag 'Start and stop'

for shape in 'n2 2' 'f2 3' 'o2 3' 'n3 4'; do
	read -r layout nr <<<"$shape"
	array "$layout" "$nr"
	contains 'the table says so' "$(dmsetup table mb)" ' 1 metadata'
	is 'while it runs the legs say that it is in use' "$(for ((leg = 0; leg < nr; leg++)); do
		sb $leg .dirty; done | sort -u)" true
	generation=$(sb 0 .generation)
	whole=$(cksum <$MB)
	line=$(dmsetup table mb)
	need stop_mb
	is 'when it is stopped, no more, and all of the same time' "$(for ((leg = 0; leg < nr; leg++)); do
		sb $leg '"\(.dirty) \(.generation)"'; done | sort -u)" "false $((generation + 1))"
	check 'it is assembled' mirrorbal assemble mb
	is 'and is as it was' "$(dmsetup table mb)" "$line"
	is 'with all legs, in sync' "$(mb_field mb health) $(synced)" "$(printf '%*s' "$nr" '' | tr ' ' A) yes"
	is 'and its content' "$(cksum <$MB)" "$whole"
done

array n2 2
before=$(sb 1 .generation)
check 'it is suspended and resumed' suspend_and_resume mb
is 'which is stored twice' "$(sb 1 .generation)" $((before + 2))
check 'it is loaded again' mb_reload mb "$(dmsetup table mb)"
is 'which is stored, too' "$(sb 1 .generation)" $((before + 4))
line=$(dmsetup table mb)
need stop_mb
before="$(area 0) $(area 1)"
check 'it starts read-only' dmsetup create mb --readonly --table "$line"
check 'and can be read' holds /tmp/content 0 $MB
need mb_remove mb
is 'nothing is written then' "$(area 0) $(area 1)" "$before"
need dmsetup create mb --notable
need dmsetup load mb --table "$line"
need mb_remove mb
is 'a table that never ran writes nothing' "$(area 0) $(area 1)" "$before"

diag 'What is refused'

# refuses TEXT PART TABLE: the kernel does, and says PART.
refuses() {
	contains "refused: $1" "$(mb_error "$3")" "$2"
}

# word N VALUE: the table line with its Nth word changed.
word() {
	awk -v n="$1" -v value="$2" '{ $n = value; print }' <<<"$line"
}

legs=$(cut -d' ' -f 7-10 <<<"$line")
read -r dev0 _ dev1 _ <<<"$legs"
refuses 'legs in the wrong order' "it is leg 1 of 'mb'" "$(awk '{ leg = $7; $7 = $9; $9 = leg; print }' <<<"$line")"
refuses 'another chunk' "'mb' is n2 with chunks of 128 sectors" "$(word 5 64)"
refuses 'another length' 'sectors long' "$(word 2 $(($(cut -d' ' -f2 <<<"$line") - 128)))"
refuses 'another data offset' 'its data begin at sector 8192, not 8064' "$(word 8 8064)"
refuses 'the words metadata and nosync' 'both given' "${line% 1 metadata} 2 metadata nosync"
is 'after all that nothing was written' "$(area 0) $(area 1)" "$before"

check 'it runs without the word, too, on its owner'"'"'s account' dmsetup create mb --table "${line% 1 metadata} 1 nosync"
udevadm settle
contains 'the word cannot come by a reload' "$(mb_load_error mb "$line")" 'reload: feature metadata is given'
need mb_remove mb
need dmsetup create mb --table "$line"
udevadm settle
contains 'nor go' "$(mb_load_error mb "${line% 1 metadata} 1 nosync")" 'reload: feature metadata is not given'
need mb_remove mb

dd if=/dev/ram0 of=/tmp/area0 bs=1M count=4 iflag=direct status=none
dd if=/dev/ram1 of=/tmp/area1 bs=1M count=4 iflag=direct status=none
restore() {
	dd if=/tmp/area0 of=/dev/ram0 bs=1M oflag=direct conv=notrunc status=none
	dd if=/tmp/area1 of=/dev/ram1 bs=1M oflag=direct conv=notrunc status=none
}
# spoil_block BLOCK: of leg 1, as far as a checksum tells.
spoil_block() {
	printf 'X' | dd of=/dev/ram1 bs=1 seek=$(((SB + 8 * $1) * 512 + 300)) conv=notrunc,fsync status=none
}
newest=$(mirrorbal examine --json /dev/ram1 | jq -r '.[0].superblock.generation % 2')
# Which block is the newer one: by what is left when one is damaged.
spoil_block 0
generation=$(sb 1 .generation)
restore
newest=$(($(sb 1 .generation) == generation))
spoil_block "$newest"
check 'the newest block of a leg is damaged: it starts by the other' dmsetup create mb --table "$line"
is 'with both legs' "$(mb_field mb health)" AA
udevadm settle
need mb_remove mb
spoil_block 0
spoil_block 1
refuses 'both are damaged' "leg 1 ($(basename "$(readlink -f /dev/mapper/leg1)")): block 0 is damaged" "$line"
restore

# Another array's leg, in all like this one.
fresh 3
need mirrorbal create mb --layout n2 --chunk 64K --assume-clean /dev/mapper/leg0 /dev/mapper/leg2
need stop_mb
restore
dd if=/dev/ram2 of=/dev/ram1 bs=1M count=4 oflag=direct conv=notrunc status=none
refuses 'a leg of another array' "legs 0 and 1 are of different arrays" \
	"$(sed "s/$dev0/\/dev\/mapper\/leg0/; s/$dev1/\/dev\/mapper\/leg1/" <<<"$line")"

diag 'A leg fails'

array n2 2
need mirrorbal fail mb leg1
is 'the other says so before anybody hears of it' "$(states 0)" 'in sync, failed'
is 'the failed one is not touched' "$(states 1)" 'in sync, in sync'
put 7
need stop_mb
check_fails 'it starts, and is degraded' mirrorbal assemble mb
is 'the stale leg is not used' "$(mb_field mb health)" AD
is 'what was written is there' "$(block $MB 7)" "$(block /tmp/other 7)"
is 'the stale leg was not written' "$(block /dev/ram1 7)" "$(block /tmp/content 7)"
need stop_mb
check_fails 'the same by a plain table' test "$(mb_create mb "$(sed "s/$dev0/\/dev\/mapper\/leg0/; s/$dev1/\/dev\/mapper\/leg1/" <<<"$line")" &&
	mb_field mb health)" = AA
is 'the stale leg is not used' "$(mb_field mb health)" AD

for what in write fsync discard; do
	array n2 2
	# Leg 1 does not take it; on leg 0 the superblock that says so waits.
	need spoil 0 bad $SB $SB_SECTORS
	need dmsetup message leg0 0 hold
	case $what in
	write)	spoil 1 broken $((OFFSET + 8 * 50)) 8
		put 50 & ;;
	discard) spoil 1 broken $((OFFSET + 8 * 50)) 8
		blkdiscard -f -z -o $((50 * 4096)) -l 4096 $MB & ;;
	fsync)	need mb_message mb fail 1 &
		becomes 1 waiting 0
		dd if=/tmp/other of=$MB bs=4K skip=50 seek=50 count=1 conv=notrunc,fsync status=none & ;;
	esac
	writer=$!
	check "$what: the superblock is under way" becomes 1 waiting 0
	check "$what: nobody hears of it before it is durable" waits $writer
	is "$what: leg 0 still calls leg 1 in sync" "$(states 0)" 'in sync, in sync'
	# The kernel lets nobody seek in a device that is being discarded.
	[[ $what == discard ]] ||
		check "$what: reads do not wait" timeout 60 dd if=$MB of=/dev/null bs=4K count=40 iflag=direct status=none
	check "$what: nor does status" timeout 60 dmsetup status mb
	is "$what: leg 1 is out" "$(mb_field mb health)" AD
	need dmsetup message leg0 0 let_go
	check "$what: then it ends, well" wait $writer
	is "$what: leg 0 says so by then" "$(states 0)" 'in sync, failed'
	wait
done

array n3 3
need spoil 1 broken $((OFFSET + 8 * 50)) 8
need spoil 2 broken $SB $SB_SECTORS
check 'a survivor does not take the superblock: the write is done' put 50
is 'that one fails, too' "$(mb_field mb health)" ADD
is 'which is stored' "$(states 0)" 'in sync, failed, failed'
need stop_mb
check_fails 'it starts with what is left' mirrorbal assemble mb
is 'the write is there' "$(block $MB 50)" "$(block /tmp/other 50)"

array n2 2
need spoil 1 broken $((OFFSET + 8 * 50)) 8
need spoil 0 broken $SB $SB_SECTORS
check_fails 'no leg takes it: the write fails' put 50
is 'the last leg stays' "$(mb_field mb health)" AD
check_fails 'no other write succeeds' put 51
is 'all can be read' "$(block $MB 3)" "$(block /tmp/content 3)"
check 'it can be loaded again' mb_reload mb "$(dmsetup table mb)"
check_fails 'still no write succeeds' put 51
need spoil 0 good $SB $SB_SECTORS
check 'it is loaded again' mb_reload mb "$(dmsetup table mb)"
check 'now writes succeed' put 51
is 'and it is stored who is out' "$(states 0)" 'in sync, failed'
need stop_mb
check_fails 'it starts without leg 1' mirrorbal assemble mb
is 'the write is there' "$(block $MB 51)" "$(block /tmp/other 51)"

# A leg that has to stay must not come to lack two superblocks: nothing could start the array then.
array n2 4
need mirrorbal fail mb leg1
need mirrorbal fail mb leg3
need spoil 2 broken $SB $SB_SECTORS
check_fails 'a leg that has to stay does not take a superblock: setting something fails nobody' \
	test "$(mb_message mb write_mostly 0 on; mb_field mb health)" = ADDD
for _ in 1 2 3; do
	need mb_reload mb "$(dmsetup table mb)"
done
need stop_mb
need spoil 2 good $SB $SB_SECTORS
check_fails 'it still starts' mirrorbal assemble mb
is 'with the legs that were in sync' "$(mb_field mb health)" ADAD
check 'and can be written' put 3

diag 'Crashes'

array n2 2
put 9
need power_off
is 'after a crash the legs say that it was in use' "$(sb 0 .dirty) $(sb 1 .dirty)" 'true true'
# A write that was under way is on one leg only.
dd if=/tmp/other of=/dev/ram1 bs=4K skip=200 seek=$((200 + OFFSET / 8)) count=1 oflag=direct conv=notrunc status=none
need mirrorbal assemble mb
check 'all is resynced' becomes yes synced
is 'both copies are the same' "$(block /dev/ram0 200)" "$(block /dev/ram1 200)"
is 'as the first was' "$(block $MB 200)" "$(block /tmp/content 200)"
is 'what was acknowledged is there' "$(block $MB 9)" "$(block /tmp/other 9)"

array n2 2
need power_off
need mirrorbal assemble mb
need mb_message mb resync_limit 1
need mb_message mb resync
need stop_mb
is 'stopped while it is resynced: that is not forgotten' "$(sb 0 .dirty)" true
need mirrorbal assemble mb
is 'nor is the limit' "$(dmsetup table mb | grep -o 'resync_limit 1')" 'resync_limit 1'
is 'it goes on' "$(mb_field mb action)" resync
need mb_message mb resync_limit 0
check 'to its end' becomes yes synced
need stop_mb
is 'then it is stored that all is the same' "$(sb 0 .dirty) $(sb 1 .dirty)" 'false false'

# The power goes while a superblock is written: one leg has it, one has the one before.
array n2 2
need stop_mb
dd if=/dev/ram1 of=/tmp/area1 bs=1M count=4 iflag=direct status=none
need mirrorbal assemble mb
need power_off
dd if=/tmp/area1 of=/dev/ram1 bs=1M oflag=direct conv=notrunc status=none
is 'one leg has the superblock before' $(($(sb 0 .generation) - $(sb 1 .generation))) 1
need mirrorbal assemble mb
is 'it has missed nothing' "$(mb_field mb health)" AA
check 'and all is the same' becomes yes synced
is 'each got what it lacked first, then the next' "$(sb 0 .generation)" "$(sb 1 .generation)"
need mb_message mb write_mostly 0 on
need power_off
dd if=/tmp/area1 of=/dev/ram1 bs=1M oflag=direct conv=notrunc status=none
refused 'one leg lacks two: it has missed writes' 'without a leg that was in sync' mirrorbal assemble mb
contains 'one leg lacks two: which one is told' "$ERR" 'it is older than the others think'
line="0 $(sb 0 '.array_bytes / 512') mirrorbal n2 128 2 /dev/mapper/leg0 8192 /dev/mapper/leg1 8192 adaptive 0 1 metadata"
refuses 'by the kernel, too' 'was in sync and has missed writes since' "$line"
check_fails 'one leg lacks two: it starts without, when that is asked for' mirrorbal assemble --degraded mb
is 'it is left out' "$(mb_field mb health)" A-
need stop_mb

diag 'Halves that disagree'

array n2 2
need stop_mb
# apart LEG: only this one is connected.
apart() {
	local leg
	for leg in 0 1; do
		! dmsetup info leg$leg >/dev/null 2>&1 || need mb_remove leg$leg
	done
	need dmsetup create "leg$1" --table "0 $(sectors "/dev/ram$1") medium /dev/ram$1"
	dd if=/dev/ram$((1 - $1)) of=/tmp/hidden bs=1M count=4 iflag=direct status=none
	need blkdiscard -f -z -o 0 -l 4M /dev/ram$((1 - $1))
	udevadm settle
}
together() {
	need dd if=/tmp/hidden of=/dev/ram$((1 - $1)) bs=1M oflag=direct conv=notrunc status=none
	need dmsetup create "leg$((1 - $1))" --table "0 $(sectors /dev/ram0) medium /dev/ram$((1 - $1))"
	udevadm settle
}
apart 0
refused 'a leg that was in sync is not there' 'assemble --degraded mb' mirrorbal assemble mb
contains 'which one is told' "$ERR" 'leg 1, device not found'
check_fails 'without it, when that is asked for' mirrorbal assemble --degraded mb
is 'it runs with the other' "$(mb_field mb health)" A-
put 20
history=$(sb 0 .history)
need stop_mb
together 0
check_fails 'both are there again: the one that was away is stale' mirrorbal assemble mb
is 'and not used' "$(mb_field mb health)" AD
is 'what was written without it is there' "$(block $MB 20)" "$(block /tmp/other 20)"
need stop_mb
apart 1
check_fails 'the other half alone, when that is asked for' mirrorbal assemble --degraded mb
is 'it runs' "$(mb_field mb health)" -A
is 'with what it had' "$(block $MB 20)" "$(block /tmp/content 20)"
is 'as something else from here on' "$([[ $(sb 1 .history) != "$history" ]] && echo yes)" yes
put 21
need stop_mb
together 1
run mirrorbal status mb
contains 'both halves: status says it' "$OUT" 'have each been used without the other'
refused 'both halves: not assembled' 'have each been used without the other' mirrorbal assemble --degraded mb
line="0 $(sb 0 '.array_bytes / 512') mirrorbal n2 128 2 /dev/mapper/leg0 8192 /dev/mapper/leg1 8192 adaptive 0 1 metadata"
refuses 'both halves, by the kernel' 'have each been used without the other' "$line"
need mirrorbal erase --yes /dev/mapper/leg1
udevadm settle
check_fails 'one is decided for' mirrorbal assemble --degraded mb
is 'its content' "$(block $MB 20)" "$(block /tmp/other 20)"
need stop_mb

diag 'Settings'

array n2 3 --policy round-robin,65536 --write-mostly leg1
need mirrorbal set mb bytes 4096
need mirrorbal set mb write-mostly leg2 on
need mirrorbal set mb resync-limit 5M
line=$(dmsetup table mb)
need power_off
need mirrorbal assemble mb
is 'policy, marks and limit outlive a crash' "$(dmsetup table mb)" "$line"
contains 'as they were set' "$line" 'round-robin 1 4096 7 metadata resync_limit 5120 write_mostly 1 write_mostly 2'

diag 'What changes between a table and its start'

array n2 2
line=$(dmsetup table mb)
need stop_mb
dd if=/dev/ram1 of=/tmp/area1 bs=1M count=4 iflag=direct status=none
need dmsetup create mb --notable
need dmsetup load mb --table "$line"
need blkdiscard -f -z -o 0 -l 4M /dev/ram1
check 'it is resumed' dmsetup resume mb
udevadm settle
contains 'and does no I/O, and says why' "$(dmsetup status mb)" 'mirrorbal Fail leg 1 ('
check_fails 'no read' dd if=$MB of=/dev/null bs=4K count=1 iflag=direct status=none
check_fails 'no write' put 0
run mirrorbal status mb
is 'status: down' "$STATUS" 2
contains 'status: why' "$OUT" 'it does no I/O: leg 1 ('
check 'its table can be printed' dmsetup table mb
check 'it is suspended and resumed' suspend_and_resume mb
contains 'which changes nothing' "$(dmsetup status mb)" 'mirrorbal Fail leg 1 ('
dd if=/tmp/area1 of=/dev/ram1 bs=1M oflag=direct conv=notrunc status=none
check 'when that is over, the same table loaded again works' mb_reload mb "$line"
is 'with both legs' "$(mb_field mb health)" AA
check 'and all content' holds /tmp/content 0 $MB
need stop_mb

diag 'A table that leaves out the last good copy'

# It was not the last one yet when the table was loaded.
array n2 4
line=$(dmsetup table mb)
need dmsetup load mb --table "$(word 9 -)"
need mb_message mb fail 0
check 'it takes over' dmsetup resume mb
check_fails 'nothing can be written' put 40
check_fails 'nor zeroed' blkdiscard -f -z -o 0 -l 4M $MB
need stop_mb
check_fails 'with all legs it starts again' mirrorbal assemble mb
is 'and all that was in sync is' "$(mb_field mb health)" DAAA
check 'with all content' holds /tmp/content 0 $MB
check 'and can be written' put 40
array n2 2
line=$(dmsetup table mb)
need dmsetup load mb --table "$(word 9 -)"
need mb_message mb fail 0
need dmsetup resume mb
check_fails 'what no leg takes is not done' blkdiscard -f -z -o 0 -l 64K $MB

diag 'Any mutation'

# Whatever stands in the metadata: a refusal that says why, or all the content; and no leg is used that is stale.
array n2 2
need mirrorbal fail mb leg1
need fill /tmp/other 0 $MB
need stop_mb
dd if=/dev/ram0 of=/tmp/area0 bs=1M count=4 iflag=direct status=none
dd if=/dev/ram1 of=/tmp/area1 bs=1M count=4 iflag=direct status=none
line="0 $(sb 0 '.array_bytes / 512') mirrorbal n2 128 2 /dev/mapper/leg0 8192 /dev/mapper/leg1 8192 adaptive 0 1 metadata"
without_udev
RANDOM=4
# mutate: some bytes of both legs' superblocks.
mutate() {
	local -i count=$((RANDOM % 4 + 1)) at
	while ((count-- > 0)); do
		at=$((SB * 512 + RANDOM % (SB_SECTORS * 512)))
		printf '%b' "\\x$(printf '%02x' $((RANDOM % 256)))" |
			dd of="/dev/ram$((RANDOM % 2))" bs=1 seek=$at conv=notrunc,fsync status=none
	done
}
started=0 refusals=0 wrong=
for ((nth = 0; nth < 40; nth++)); do
	restore
	mutate
	if dmsetup create mb --table "$line" 2>/dev/null; then
		started=$((started + 1))
		case $(mb_field mb health) in
		AD) holds /tmp/other 0 $MB >/dev/null || wrong+=" $nth" ;;
		*) wrong+=" $nth" ;;
		esac
		dmsetup remove mb
	else
		refusals=$((refusals + 1))
	fi
done
is 'no wrong leg is used, nothing else is read' "$wrong" ''
is 'some start, some do not' "$((started > 3 && refusals > 0))" 1
diag "$started started, $refusals refused"

done_testing
