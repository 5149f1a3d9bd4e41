#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# guest: --nvme 160M --nvme 160M --sas 160M
# timeout: 900
#
# mirrorbal bench: what it only reads stays as it is, what it makes goes, and arrays come and go on spare disks, also when
# it is broken off.
. "$(dirname "$0")/lib.sh"

read -r -a NVME <<<"$LAB_NVME"
A=${NVME[0]} B=${NVME[1]} C=$LAB_SAS
QUICK='--seconds 1'

cat >read.fio <<'FIO'
[global]
bs=4k
direct=1
runtime=1
[in sequence]
rw=read
[here and there]
stonewall
rw=randread
FIO
sed 's/rw=randread/rw=randrw/' read.fio >write.fio
printf '[long]\nrw=randread\nbs=4k\ndirect=1\ntime_based\nruntime=6\n' >long.fio

content() {
	md5sum <"$1"
}

# What a disk carries, where it begins and where an array's data would.
carried() {
	blkid -p -o value -s TYPE "$1"
	blkid -p -o value -s TYPE -O 4194304 "$1"
}

# nothing_left TEXT: no array of any kind, no member, no fio.
nothing_left() {
	local disk
	udevadm settle
	is "$1: no md array" "$(grep -c '^md' /proc/mdstat)" 0
	is "$1: no device-mapper device" "$(dmsetup ls | grep -c bench)" 0
	is "$1: nobody has the disks" "$(lsblk -nro NAME,TYPE "$A" "$B" "$C" | awk '$2 != "disk"')" ''
	for disk in "$A" "$B" "$C"; do
		is "$1: $disk carries nothing" "$(carried "$disk")" ''
		is "$1: $disk is no leg" "$(mirrorbal examine --json "$disk" | jq -r '.[0].stamp')" absent
	done
	is "$1: no fio" "$(pgrep -c -x fio)" 0
}

# --- What makes no sense -------------------------------------------------------------------------------------------
usage_error 'nothing to measure' 'give a device' mirrorbal bench
usage_error 'no time' "--seconds '0'" mirrorbal bench --seconds 0 "$A"
usage_error 'a file of no size' "--size '1M'" mirrorbal bench --size 1M new
usage_error 'a layout without arrays' 'are of arrays' mirrorbal bench --layout f2 "$A" "$B"
usage_error 'a policy for one disk' 'are of arrays' mirrorbal bench --destroy-data --policy split "$A"
usage_error 'a layout that is none' "layout is 'x2'" mirrorbal bench --destroy-data --layout x2 "$A" "$B"
refused 'a job that is none' 'neither raid10 nor homelab' mirrorbal bench --job fast "$A"
refused 'a path that cannot be' 'No such file' mirrorbal bench /nowhere/new
refused 'a folder' 'name a file in it' mirrorbal bench .
refused 'a character device' 'not a block device' mirrorbal bench /dev/null
: >empty
refused 'an empty file' 'less than 4 MiB' mirrorbal bench empty
refused 'no room for a file' '--size makes a smaller one' mirrorbal bench --size 100T new
check 'no file was made' test ! -e new
(cat read.fio; echo "filename=$B") >named.fio
refused 'a job file that names a device of its own' "line 10: 'filename'" mirrorbal bench --job named.fio "$A"
refused 'without fio' 'apt-get install fio' unshare -m bash -c "mount --bind empty $(command -v fio); mirrorbal bench $A"
(cat read.fio; echo unlink=1) >unlink.fio
refused 'a job file that would remove what it has read' "line 10: 'unlink'" mirrorbal bench --job unlink.fio "$A"
(cat read.fio; echo bs=much) >much.fio
refused 'fio does not like the job' much mirrorbal bench --job much.fio "$A"
refused 'a job file that is no file' 'no regular file' mirrorbal bench --job /dev/null "$A"

# --- Only read -----------------------------------------------------------------------------------------------------
need mkfs.ext4 -q "$A"
before=$(content "$A")
run mirrorbal bench $QUICK "$A"
is 'a device: status' "$STATUS" 0
is 'a device: each step gave something' "$(awk -v d="$A" '$1 == d && $3 > 0 && $4 > 0 { print $2 }' <<<"$OUT" | paste -sd' ')" \
	'sequential random random-32 readers-4'
contains 'a device: how far it is' "$ERR" "75.0 %  $A: readers-4"
run mirrorbal bench --job read.fio "$A" "$C" --json
is 'two devices by a job file: status' "$STATUS" 0
is 'two devices by a job file: all that was asked for' "$(jq -r '"\(.on) \(.job)"' <<<"$OUT" | paste -sd,)" \
	"$A in sequence,$A here and there,$C in sequence,$C here and there"
is 'two devices by a job file: each gave something' \
	"$(jq -s 'map(.read_iops > 0 and .read_mean_ns > 0 and .read_p99_ns > 0 and .write_iops == 0) | all' <<<"$OUT")" true
link=$(find -L /dev/disk/by-path -samefile "$C" | head -n 1)
contains 'a name with colons in it' "$link" ':'
run mirrorbal bench --job read.fio "$link"
is 'a name with colons in it: status' "$STATUS" 0
refused 'a job that writes, on a device' '--destroy-data says' mirrorbal bench --job homelab "$A"
refused 'a job file that writes, on a device' 'read-only mode' mirrorbal bench --job write.fio "$A"
is 'the device is as it was' "$(content "$A")" "$before"
need mount "$A" /mnt
run mirrorbal bench --job read.fio "$A"
is 'a mounted device may be read: status' "$STATUS" 0

# --- Files ---------------------------------------------------------------------------------------------------------
run mirrorbal bench $QUICK --size 32M /mnt/new
is 'a new file: status' "$STATUS" 0
is 'a new file: each step gave something' "$(awk '$1 == "/mnt/new" && $3 > 0 { print $2 }' <<<"$OUT" | paste -sd' ')" \
	'sequential random random-32 readers-4'
check 'a new file: it is gone' test ! -e /mnt/new
run mirrorbal bench $QUICK --job homelab --size 32M /mnt/new --json
json 'a job that writes, on a new file' '.job == "homelab" and .read_iops > 0 and .write_iops > 0 and .read_mean_ns == null' true
check 'a job that writes: the file is gone' test ! -e /mnt/new
need dd if=/dev/urandom of=/mnt/old bs=1M count=16 status=none
before=$(content /mnt/old)
run mirrorbal bench $QUICK /mnt/old
is 'a file that is there: status' "$STATUS" 0
refused 'a job that writes, on a file that is there' 'name a file that is not there' mirrorbal bench --job homelab /mnt/old
refused 'a job file that writes, on a file that is there' 'read-only mode' mirrorbal bench --job write.fio /mnt/old
is 'the file is as it was' "$(content /mnt/old)" "$before"
refused 'a file is no disk to be destroyed' 'not a block device' mirrorbal bench --destroy-data --yes /mnt/old "$B"

# reading_on PATTERN: until fio is in the midst of what matches.
reading_on() {
	local -i left=600
	while ((left-- > 0)); do
		pgrep -f "fio .*--filename=$1 " >/dev/null && sleep 1 && return
		sleep 0.1
	done
	return 1
}

# broken_off TEXT SIGNAL PATTERN COMMAND...
broken_off() {
	local text=$1 signal=$2 pattern=$3
	shift 3
	env --default-signal=INT,QUIT "$@" >stdout 2>stderr </dev/null &
	BENCH=$!
	check "$text: it has begun" reading_on "$pattern"
	kill -"$signal" $BENCH
	wait $BENCH
	STATUS=$? OUT=$(<stdout) ERR=$(<stderr)
}

# fio would cut a name at these, and take the rest of it for the file.
run mirrorbal bench $QUICK --size 32M '/mnt/old#1' '/mnt/old;1' '/mnt/old ' '/mnt/a:b'
is 'names that fio would cut: status' "$STATUS" 0
is 'names that fio would cut: what has the shorter name is as it was' "$(content /mnt/old)" "$before"
is 'names that fio would cut: nothing is left' "$(ls -I lost+found /mnt)" old

broken_off 'a file, interrupted' INT '/proc/[0-9]*/fd/[0-9]*' mirrorbal bench --job long.fio --size 32M /mnt/new
is 'a file, interrupted: status' "$STATUS" 3
contains 'a file, interrupted: it says so' "$ERR" interrupted
check 'a file, interrupted: it is gone' test ! -e /mnt/new
mirrorbal bench --job long.fio --size 32M /mnt/new >stdout 2>stderr </dev/null &
BENCH=$!
check 'a file, killed: it has begun' reading_on '/proc/[0-9]*/fd/[0-9]*'
check 'a file: it has no name while it is read' test ! -e /mnt/new
kill -KILL $BENCH
wait $BENCH 2>/dev/null
sleep 1
is 'a file, killed: no fio' "$(pgrep -c -x fio)" 0
need umount /mnt

# --- Arrays on spare disks -----------------------------------------------------------------------------------------
is 'the disk still holds what it held' "$(carried "$A")" ext4
need wipefs -qa "$B"
need mirrorbal create vm --size 16M "$B" "$C"
need mkfs.ext4 -q -L former /dev/mapper/vm
need udevadm settle
need mirrorbal stop vm
refused 'legs of an array are not destroyed' 'only `mirrorbal erase' mirrorbal bench --destroy-data --yes "$A" "$B"
need mirrorbal erase --yes "$B" "$C"
need dd if=/dev/zero of="$C" bs=1M seek=4 count=4 oflag=direct status=none
refused 'nobody to ask' 'nobody is there to ask' mirrorbal bench --destroy-data "$A" "$B"
contains 'what would be lost is told' "$ERR" 'ext4 filesystem'
contains 'also what a former array held' "$ERR" "ext4 filesystem 'former' of a former array"
contains 'a terminal is asked, and no means no' "$(tty_says n "mirrorbal bench --destroy-data $A $B")" '[y/N]'
is 'nothing was touched' "$(carried "$A") $(carried "$B" | paste -sd' ')" 'ext4 ext4'
need mount "$A" /mnt
refused 'a mounted disk is not destroyed, whatever is said' 'mounted on /mnt' \
	mirrorbal bench --destroy-data --yes "$A" "$B"
umount /mnt
refused 'more copies than disks' 'number of copies is 3' mirrorbal bench --destroy-data --yes --layout n3 "$A" "$B"
refused 'a policy that is none, the second' "policy 'frob'" \
	mirrorbal bench --destroy-data --yes --policy split --policy frob "$A" "$B"
refused 'without mdadm' 'apt-get install mdadm' \
	unshare -m bash -c "mount --bind empty $(command -v mdadm); mirrorbal bench --destroy-data --yes $A $B"
is 'still nothing was touched' "$(carried "$A") $(carried "$B" | paste -sd' ')" 'ext4 ext4'

tty_says y "mirrorbal bench $QUICK --destroy-data $A $B --policy adaptive --policy round-robin,65536" >table
is 'md and mirrorbal in turn' "$(tr '\r' '\n' <table | sed 's/\x1b\[K//' |
	awk '/^ON / { listed = 1 } listed && / random / { sub(/ +random .*/, ""); print }' | paste -sd,)" \
	"one disk, $A,md raid10 n2,mirrorbal n2 adaptive,mirrorbal n2 round-robin,65536"
is 'asked once' "$(grep -o 'y/N' table | wc -l)" 1
nothing_left 'after it'

run mirrorbal bench $QUICK --destroy-data --yes --job homelab --layout f2 --chunk 64K "$A" "$B" "$C" --json
is 'far, of three: status' "$STATUS" 0
is 'far, of three: all there' "$(jq -r .on <<<"$OUT" | paste -sd,)" "one disk, $A,md raid10 f2,mirrorbal f2 adaptive"
is 'far, of three: read and written' "$(jq -s 'map(.read_iops > 0 and .write_iops > 0) | all' <<<"$OUT")" true
is 'far, of three: as a part of md' "$(jq -s '[.[] | .of_md] | .[0] > 0 and .[1] == null and .[2] > 0' <<<"$OUT")" true
nothing_left 'far, of three'
run mirrorbal bench $QUICK --destroy-data --yes --job write.fio "$A" --json
json 'one disk, written to' 'select(.job == "here and there").write_iops > 0' true

# --- Broken off ----------------------------------------------------------------------------------------------------
COMPARE="mirrorbal bench --destroy-data --yes --job long.fio $A $B"
need mkfs.ext4 -q "$A"
# shellcheck disable=SC2086 # words
broken_off 'one disk, quit' QUIT "$A" $COMPARE
is 'one disk, quit: status' "$STATUS" 3
nothing_left 'one disk, quit'
# shellcheck disable=SC2086
broken_off 'md, terminated' TERM '/dev/md[0-9]*' $COMPARE
is 'md, terminated: status' "$STATUS" 3
contains 'md, terminated: what was measured before is not lost' "$OUT" "one disk, $A"
nothing_left 'md, terminated'
# shellcheck disable=SC2086
broken_off 'mirrorbal, interrupted' INT /dev/mapper/mirrorbal-bench $COMPARE
is 'mirrorbal, interrupted: status' "$STATUS" 3
contains 'mirrorbal, interrupted: what was measured before is not lost' "$OUT" 'md raid10 n2'
nothing_left 'mirrorbal, interrupted'

# shellcheck disable=SC2086
$COMPARE >stdout 2>stderr </dev/null &
BENCH=$!
check 'fio killed: it has begun' reading_on '/dev/md[0-9]*'
pkill -KILL -x fio
wait $BENCH
is 'fio killed: status' $? 3
contains 'fio killed: it says so' "$(<stderr)" 'fio ended with status 137'
nothing_left 'fio killed'

# shellcheck disable=SC2086
$COMPARE >stdout 2>stderr </dev/null &
BENCH=$!
check 'killed: it has begun' reading_on /dev/mapper/mirrorbal-bench
kill -KILL $BENCH
wait $BENCH 2>/dev/null
sleep 1
is 'killed: fio has ended, too' "$(pgrep -c -x fio)" 0
# shellcheck disable=SC2086
refused 'killed: it does not begin over what is there' "device 'mirrorbal-bench' already" $COMPARE
check 'killed: the array can be stopped' mirrorbal stop mirrorbal-bench
check 'killed: and its legs erased' mirrorbal erase --yes "$A" "$B"
nothing_left 'killed, and tidied up'

check 'the kernel has nothing to complain of' kernel_log_clean
done_testing
