#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Legs that give errors: nobody reads wrong data, nobody waits for what is not his, the right leg is failed, and the last
# good copy never is.
# guest: --nvme 32M --nvme 32M --nvme 32M --nvme 32M
# timeout: 600
. ./lib.sh

MB=/dev/mapper/mb
read -r -a NVME <<<"$LAB_NVME"
need random_file /tmp/content 32
ram_disks 4 16

# array [WORD]...: a fresh n2 array of two RAM disks behind bad_leg, written with /tmp/content.
array() {
	need bad_leg leg0 /dev/ram0
	need bad_leg leg1 /dev/ram1
	check 'an array of two legs starts' mb_create mb "$(mb_table n2 128 0 '/dev/mapper/leg0 /dev/mapper/leg1' "$@")"
	need fill /tmp/content 0 $MB
}

# read_at SECTOR COUNT: read so many sectors direct, compare.
read_at() {
	dd if=$MB bs=$(($2 * 512)) count=1 iflag=direct,skip_bytes skip=$(($1 * 512)) status=none |
		cmp -n $(($2 * 512)) -i "0:$(($1 * 512))" - /tmp/content
}

write_at() {
	dd if=/tmp/content of=$MB bs=$(($2 * 512)) count=1 iflag=skip_bytes skip=$(($1 * 512)) \
		oflag=direct,seek_bytes seek=$(($1 * 512)) conv=notrunc status=none
}

# counters COUNTER: of all legs.
counters() {
	local leg
	for ((leg = 0; leg < $(mb_field mb legs); leg++)); do
		mb_counter mb $leg "$1"
	done | xargs
}

events() {
	dmsetup info -c --noheadings -o events mb
}

diag 'Read errors'

array nearest-head 0 3 nosync write_mostly 1
bad_leg leg0 /dev/ram0 2000 8
mb_message mb reset_counters
check 'a sector that one leg cannot read is read' read_at 2000 8
is 'the error is counted' "$(counters read_errors)" '1 0'
is 'the other leg was asked' "$(counters redirected_reads)" '0 1'
is 'and has read it' "$(counters reads)" '1 1'
is 'no leg has failed' "$(mb_field mb health)" AA
check 'a large read that holds such a sector' read_at 1920 128
is 'is one error' "$(counters read_errors)" '2 0'
check 'all of it can be read' holds /tmp/content 0 $MB
mb_message mb reset_counters
is 'errors outlive reset_counters' "$([[ $(mb_counter mb 0 read_errors) -ge 2 ]] && counters reads)" '0 0'
is 'redirected reads do not' "$(counters redirected_reads)" '0 0'

before=$(counters read_errors)
drop_caches
check 'a read-ahead that fails' xfs_io -r -c 'fadvise -w 1024000 65536' $MB
is 'is not counted' "$(counters read_errors)" "$before"
is 'and not asked of another leg' "$(counters redirected_reads)" '0 0'
check 'who wants the data gets it' bash -c \
	"dd if=$MB bs=4K skip=250 count=16 status=none | cmp -n 65536 -i 0:1024000 - /tmp/content"
mb_remove mb

array
bad_leg leg0 /dev/ram0 4000 8
bad_leg leg1 /dev/ram1 4056 1 4104 8
for policy in nearest-head round-robin queue-length sequential-affinity; do
	mb_message mb policy $policy
	check "each leg has a bad sector of its own in a large read, $policy" read_at 3968 256
	check "again, from an odd start" read_at 3999 111
done
bad_leg leg0 /dev/ram0 4000 8 8000 8
bad_leg leg1 /dev/ram1 8004 8
check_fails 'what no leg can read is an error' read_at 8004 1
check_fails 'so is a read that holds it' read_at 7936 128
check 'right before it is none' read_at 8000 4
check 'nor right after it' read_at 8008 4
is 'no leg is failed for it' "$(mb_field mb health)" AA
mb_remove mb

diag 'Nobody waits for what is not his'

array nearest-head 0 3 nosync write_mostly 1
# In the middle, where udev does not look: it would be gone for an hour.
bad_leg leg0 /dev/ram0 16384 1024
need leg_table leg1 "0 16384 linear /dev/ram1 0
16384 1024 delay /dev/ram1 16384 3600000
17408 15360 linear /dev/ram1 17408"
pids=()
for ((nth = 0; nth < 20; nth++)); do
	read_at $((16384 + nth * 8)) 8 &
	pids+=($!)
done
for ((tries = 0; tries < 600 && $(mb_counter mb 1 reads_in_flight) < 20; tries++)); do
	sleep 0.1
done
is '20 reads are being retried on a leg that takes an hour' "$(mb_counter mb 1 reads_in_flight)" 20
reads=0 writes=0
for ((nth = 0; nth < 20; nth++)); do
	read_at $((nth * 8)) 8 && reads=$((reads + 1))
	write_at $((8192 + nth * 8)) 8 && writes=$((writes + 1))
done
is 'other reads pass them by' $reads 20
is 'so do writes' $writes 20
is 'the 20 are still being retried' "$(mb_counter mb 1 reads_in_flight)" 20
is 'the policy can be switched meanwhile' "$(mb_message mb policy queue-length; mb_field mb policy)" queue-length
leg_table leg1 '0 32768 linear /dev/ram1 0'
failed=0
for pid in "${pids[@]}"; do
	wait "$pid" || failed=$((failed + 1))
done
is 'they end well when it answers' $failed 0
mb_remove mb

diag 'Write errors'

array
was=$(events)
kernel_log_mark
flaky_leg leg1 /dev/ram1 error_writes
check 'a write that one leg cannot take succeeds' write_at 256 8
is 'the error is counted' "$(counters write_errors)" '0 1'
is 'the leg is failed' "$(mb_field mb health)" AD
check 'an event was raised' timeout 60 dmsetup wait mb "$was"
is 'one' $(($(events) - was)) 1
contains 'the kernel log names the leg' "$(kernel_log)" 'leg 1 ('
contains 'the table leaves it out' "$(dmsetup table mb)" ' - 0 nearest-head'
mb_message mb reset_counters
flaky_leg leg1 /dev/ram1
check 'writes go on' write_at 512 128
check 'so do reads' holds /tmp/content 0 $MB
is 'the failed leg is not written' "$(mb_counter mb 1 writes)" 0
is 'nor read' "$(mb_counter mb 1 reads)" 0
flaky_leg leg0 /dev/ram0 error_writes
check_fails 'a write that the last leg cannot take is an error' write_at 1024 8
is 'the last leg is not failed' "$(mb_field mb health)" AD
check 'it can be read' read_at 4096 128
contains 'nor can a message fail it' "$(mb_message_error mb fail 0)" 'last good copy'
flaky_leg leg0 /dev/ram0
check 'writes succeed again' write_at 1024 8
mb_remove mb
flaky_leg leg1 /dev/ram1

# Both legs at once: one of them stays, and the error goes up.
array
flaky_leg leg0 /dev/ram0 error_writes
flaky_leg leg1 /dev/ram1 error_writes
check_fails 'a write that no leg can take is an error' write_at 0 8
is 'one leg stays' "$(mb_field mb health | tr -d D)" A
mb_remove mb

# may_fail LAYOUT LEGS "LEG..." HEALTH: of these legs as many fail as may.
may_fail() {
	local leg
	check "$1 on $2 legs starts" mb_create mb "$(mb_table "$1" 8 0 \
		"$(for ((leg = 0; leg < $2; leg++)); do echo -n "/dev/ram$leg "; done)")"
	for leg in $3; do
		mb_message mb fail "$leg" 2>/dev/null
	done
	is "$1 on $2 legs: of $3 may fail" "$(mb_field mb health)" "$4"
	# Written once so: all of it must find a leg.
	check "$1 on $2 legs: all of it is there" verified_fio --filename=$MB --size=2M --rw=randwrite
	is "$1 on $2 legs: and stays so" "$(mb_field mb health)" "$4"
	mb_remove mb
}
may_fail n2 4 '0 1 2 3' DADA
may_fail n2 4 '1 0 3 2' ADAD
may_fail n2 3 '2 1 0' AAD
may_fail n3 3 '0 1 2' DDA
may_fail n3 4 '3 0 1 2' DAAD
may_fail f2 3 '0 1 2' DAA
may_fail f2 4 '0 2 1 3' DADA
may_fail f2 4 '1 2 3 0' ADAD
may_fail o3 4 '0 1 2 3' DDAA

diag 'Flush errors: these need drives with a cache'

need flaky_leg leg0 "${NVME[0]}"
need flaky_leg leg1 "${NVME[1]}"
check 'an array of two NVMe disks starts' mb_create mb "$(mb_table n2 128 0 '/dev/mapper/leg0 /dev/mapper/leg1')"
is 'it has a cache to flush' "$(cat "/sys/class/block/$(basename "$(readlink -f $MB)")/queue/write_cache")" 'write back'
check 'a flush reaches it' xfs_io -c fsync $MB
is 'and fails no leg' "$(mb_field mb health)" AA
flaky_leg leg0 "${NVME[0]}" error_writes
check 'a flush that one leg refuses succeeds' xfs_io -c fsync $MB
is 'that leg is failed' "$(mb_field mb health)" DA
is 'and it is counted' "$(counters write_errors)" '1 0'
flaky_leg leg1 "${NVME[1]}" error_writes
check_fails 'a flush that the last leg refuses is an error' xfs_io -c fsync $MB
is 'the last leg stays' "$(mb_field mb health)" DA
flaky_leg leg1 "${NVME[1]}"
check_fails 'no write is taken from then on, since a flush is missing' write_at 0 8
check_fails 'nor a flush' xfs_io -c fsync $MB
check_fails 'nor zeroes' blkdiscard -z -l 4096 $MB
check 'what is there can be read' dd if=$MB of=/dev/null bs=64K count=16 iflag=direct
check 'the table is loaded again' mb_reload mb "$(mb_table n2 128 0 '/dev/mapper/leg0 /dev/mapper/leg1')"
is 'the leg that failed stays failed' "$(mb_field mb health)" DA
check 'and writes are taken again' write_at 0 8
mb_remove mb
flaky_leg leg0 "${NVME[0]}"
flaky_leg leg1 "${NVME[1]}"
check 'an array of two NVMe disks starts' mb_create mb "$(mb_table n2 128 0 '/dev/mapper/leg0 /dev/mapper/leg1')"
flaky_leg leg1 "${NVME[1]}" error_writes
check 'a write with FUA that one leg refuses succeeds' \
	dd if=/tmp/content of=$MB bs=4K count=1 oflag=direct,dsync conv=notrunc status=none
is 'that leg is failed' "$(mb_field mb health)" AD
mb_remove mb
need dmsetup remove leg0 leg1

diag 'A real driver and a medium error'

need modprobe scsi_debug dev_size_mb=16 opts=2 medium_error_start=5000 medium_error_count=10 lbpu=1 lbpws=1 delay=0 \
	max_queue=32
need udevadm settle
SCSI=/dev/$(ls /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block)
check 'an array with a SCSI disk starts' mb_create mb \
	"$(mb_table n2 128 0 "$SCSI /dev/ram0" nearest-head 0 3 nosync write_mostly 1)"
need fill /tmp/content 0 $MB
is 'writes do not fail for it' "$(mb_field mb health)" AA
check 'what is around an unreadable sector can be read' read_at 4992 128
check 'alone as well' read_at 5000 1
is 'both are counted' "$(counters read_errors)" '2 0'
is 'the other leg was asked' "$(counters redirected_reads)" '0 2'
check 'all of it can be read' holds /tmp/content 0 $MB
is 'no leg has failed' "$(mb_field mb health)" AA
mb_remove mb
echo 0 >/sys/bus/pseudo/drivers/scsi_debug/opts

diag 'Discards and zeroes'

# all_zero DEVICE: is there nothing but zeros?
all_zero() {
	cmp -n "$(blockdev --getsize64 "$1")" "$1" /dev/zero
}

# zeroed LEG...: fill the array, zero it, and look at each leg.
zeroed() {
	local leg
	fill /tmp/content 0 $MB || return
	blkdiscard -z $MB || return
	drop_caches
	for leg in $MB "$@"; do
		all_zero "$leg" || return
	done
}

# refuse OPCODE: the SCSI disk does not know this command, from now on.
refuse() {
	local file
	for file in /sys/kernel/debug/scsi_debug/*/error; do
		[[ -e $file ]] && echo "2 1 $1 0 0 0x2 0x5 0x20 0x0" >"$file" || return
	done
}

SYS=/sys/class/block/$(basename "$SCSI")/queue
# A RAM disk discards but has no command for zeroes; the NVMe disk has both.
check 'an array of drives of two kinds starts' mb_create mb "$(mb_table n2 128 0 "$SCSI ${NVME[0]}")"
check 'zeroes reach every leg' zeroed "$SCSI"
check 'a discard succeeds' blkdiscard $MB
is 'no leg has failed' "$(mb_field mb health)" AA
if [[ $(cat "$SYS/write_zeroes_max_bytes") -gt 0 ]] && refuse 0x93 && refuse 0x41 && refuse 0x42; then
	check 'zeroes that one leg refuses reach every leg' zeroed "$SCSI"
	is 'no leg has failed' "$(mb_field mb health)" AA
	check 'a discard that one leg refuses succeeds' blkdiscard $MB
	is 'no leg has failed' "$(mb_field mb health)" AA
	is 'nor is it an error' "$(counters write_errors)" '0 0'
	check 'zeroes after that' zeroed "$SCSI"
else
	skip 'zeroes and discards that a leg refuses' 'this kernel has no way to make a drive refuse commands'
fi
mb_remove mb

check 'an array whose legs cannot all discard starts' mb_create mb "$(mb_table n2 128 0 "$SCSI ${NVME[0]}")"
echo 0 >"$SYS/discard_max_bytes"
check 'a discard succeeds' blkdiscard $MB
is 'no leg has failed' "$(mb_field mb health)" AA
mb_remove mb

# discards LAYOUT: discard the whole array; print for each leg how many requests and sectors that were.
discards() {
	local device
	local -A requests sectors
	check "$1 on 4 legs starts" mb_create mb "$(mb_table "$1" 128 8 "${NVME[*]}")"
	for device in "${NVME[@]}"; do
		requests[$device]=$(disk_stat "$device" discards)
		sectors[$device]=$(disk_stat "$device" sectors_discarded)
	done
	check "$1 on 4 legs: all of it is discarded" blkdiscard $MB
	for device in "${NVME[@]}"; do
		requests[$device]=$(($(disk_stat "$device" discards) - ${requests[$device]}))
		is "$1 on 4 legs: $device is discarded in few requests (${requests[$device]})" \
			$((${requests[$device]} <= 8)) 1
		is "$1 on 4 legs: all of $device that holds data" \
			$(($(disk_stat "$device" sectors_discarded) - ${sectors[$device]})) \
			$(($(sectors $MB) * 2 / 4))
	done
	mb_remove mb
}
discards n2
discards f2
discards o2

diag 'More read errors than a leg may have'

array nearest-head 0 3 nosync write_mostly 1
bad_leg leg0 /dev/ram0 2000 8
kernel_log_mark
# read_bad TIMES: what leg 0 cannot read.
read_bad() {
	local nth
	for ((nth = 0; nth < $1; nth++)); do
		read_at 2000 8 || return
	done
}
check 'twenty reads fail on a leg' read_bad 20
is 'and are served by the other' "$(counters redirected_reads)" '0 20'
is 'the leg stays' "$(mb_field mb health)" AA
need mb_reload mb "$(dmsetup table mb)"
check 'one more, in whichever table' read_bad 1
is 'and it is failed' "$(mb_field mb health)" DA
contains 'which the log tells' "$(kernel_log)" 'too many reads failed in a short time'
check 'all is read' holds /tmp/content 0 $MB
bad_leg leg1 /dev/ram1 3000 8
fails=0
for ((nth = 0; nth < 30; nth++)); do
	read_at 3000 8 2>/dev/null || fails=$((fails + 1))
done
is 'the last copy is never failed for it' "$fails $(mb_field mb health)" '30 DA'
mb_remove mb

done_testing
