#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Wrong tables and messages: each is refused with a line that names what is wrong, what it was and what is allowed; and
# nothing is left behind.
# guest: --nvme 32M:4096 --nvme 32M:4096 --nvme 32M
# timeout: 600
. ./lib.sh

read -r -a NVME <<<"$LAB_NVME"
without_udev
ram_disks 4 8
A=/dev/ram0 B=/dev/ram1 C=/dev/ram2
AB="2 $A 0 $B 0"
SYNC='nearest-head 0 1 nosync'

# wrong LENGTH TEXT PART...: such a table must be refused with all of the parts in the reason.
WRONG=0
wrong() {
	local length=$1 text=$2 error part
	shift 2
	WRONG=$((WRONG + 1))
	error=$(mb_error "0 $length mirrorbal $text")
	for part in . "$@"; do
		if [[ -z $error || ($part != . && $error != *"$part"*) ]]; then
			not_ok "refused: $length $text"
			diag "reason:       $error"
			diag "must contain: $part"
			return
		fi
	done
	ok "refused: $length $text"
	diag "$error"
}

check 'the right table is taken' mb_create mb "0 8192 mirrorbal n2 128 $AB $SYNC"
mb_remove mb

# too short
wrong 8192 'n2' 'ends' 'chunk_sectors'
wrong 8192 'n2 128' 'ends' 'number of legs'
wrong 8192 'n2 128 2' 'ends' 'device of leg 0'
wrong 8192 "n2 128 2 $A" 'ends' 'data offset of leg 0'
wrong 8192 "n2 128 2 $A 0" 'ends' 'device of leg 1'
wrong 8192 "n2 128 2 $A 0 $B" 'ends' 'data offset of leg 1'
wrong 8192 "n2 128 $AB round-robin" 'ends' 'arguments of policy round-robin'
wrong 8192 "n2 128 $AB nearest-head 0 1 write_mostly" 'ends' 'write_mostly'
# layout
wrong 8192 "x2 128 $AB $SYNC" "'x2'" 'n<copies>'
wrong 8192 "2n 128 $AB $SYNC" "'2n'" 'n<copies>'
wrong 8192 "n 128 $AB $SYNC" "'n'" '2 to 32'
wrong 8192 "n2x 128 $AB $SYNC" "'n2x'" '2 to 32'
wrong 8192 "raid10 128 $AB $SYNC" "'raid10'" 'n2'
wrong 8192 "f0 128 $AB $SYNC" "'f0'" '2 to 32'
wrong 8192 "o1 128 $AB $SYNC" "'o1'" '2 to 32'
wrong 8192 "n33 128 $AB $SYNC" "'n33'" '2 to 32'
wrong 8192 "n3 128 $AB $SYNC" 'copies is 3' '2 to'
# chunk
wrong 8192 "n2 x $AB $SYNC" "'x'" '8 to'
wrong 8192 "n2 128k $AB $SYNC" "'128k'" '8 to'
wrong 8192 "n2 -128 $AB $SYNC" "'-128'" '8 to'
wrong 8192 "n2 0 $AB $SYNC" "'0'" '8 to'
wrong 8192 "n2 4 $AB $SYNC" "'4'" '8 to'
wrong 8192 "n2 100 $AB $SYNC" '100' 'powers of two'
wrong 8192 "n2 4194304 $AB $SYNC" '4194304' '2097152'
wrong 8192 "n2 99999999999999999999 $AB $SYNC" '99999999999999999999' '8 to'
# legs
wrong 8192 "n2 128 two $A 0 $B 0 $SYNC" "'two'" '2 to 32'
wrong 8192 "n2 128 1 $A 0 $SYNC" "'1'" '2 to 32'
wrong 8192 "n2 128 33 $A 0 $B 0 $SYNC" "'33'" '2 to 32'
wrong 8192 "n2 128 2x $A 0 $B 0 $SYNC" "'2x'" '2 to 32'
wrong 8192 "n2 128 2 $A 0 $B 0 $C 0 $SYNC" "'nearest-head'" 'feature words'
wrong 8192 "n2 128 3 $A 0 $B 0 $SYNC" 'nosync'
wrong 8192 "n2 128 2 $A $B 0 0 $SYNC" 'data offset of leg 0' "$B"
wrong 8192 "n2 128 2 $A 12x $B 0 $SYNC" 'data offset of leg 0' '12x'
wrong 8192 "n2 128 2 $A 0 $B -8 $SYNC" 'data offset of leg 1' '-8'
wrong 8192 "n2 128 2 $A 4M $B 0 $SYNC" 'data offset of leg 0' '4M'
wrong 8192 "n2 128 2 $A 0 $A 0 $SYNC" 'leg 1' "$A" 'leg 0'
wrong 8192 "n2 128 2 $A 0 $(stat -c %Hr:%Lr $A) 0 $SYNC" 'leg 1' 'same device as leg 0'
need ln -sf ram0 /dev/another-name
wrong 8192 "n2 128 2 $A 0 /dev/another-name 0 $SYNC" 'leg 1' 'same device as leg 0'
rm /dev/another-name
wrong 8192 "n2 128 2 $A 0 /dev/nothing-here 0 $SYNC" 'leg 1' '/dev/nothing-here'
wrong 8192 "n2 128 2 $A 0 /etc/passwd 0 $SYNC" 'leg 1' '/etc/passwd'
wrong 8192 "n2 128 2 $A 0 /dev/null 0 $SYNC" 'leg 1' '/dev/null'
wrong 8192 "n2 128 2 $A 0 99:99 0 $SYNC" 'leg 1' '99:99'
wrong 8192 "n2 128 2 - 0 - 0 $SYNC" 'missing'
wrong 8192 "n2 128 4 - 0 - 0 $A 0 $B 0 $SYNC" 'missing' '0x3'
wrong 8192 "f2 128 4 - 0 $A 0 $B 0 - 0 $SYNC" 'missing' '0x9'
# room
wrong 16512 "n2 128 $AB $SYNC" 'leg 0' 'too small' '16384' '16512'
wrong 16384 "n2 128 2 $A 0 $B 8 $SYNC" 'leg 1' 'too small' 'offset 8'
wrong 8192 "n2 128 2 $A 99999999 $B 0 $SYNC" 'leg 0' 'too small' '99999999'
wrong 16512 "f2 128 2 $A 0 $B 0 $SYNC" 'length is 16512'
wrong 16640 "f2 128 2 $A 0 $B 0 $SYNC" 'leg 0' 'too small'
# length
wrong 1 "n2 128 $AB $SYNC" 'length is 1' '128'
wrong 8191 "n2 128 $AB $SYNC" 'length is 8191' '128'
wrong 640 "f2 128 $AB $SYNC" 'length is 640' '512 and 768'
wrong 384 "n2 128 4 $A 0 $B 0 $C 0 /dev/ram3 0 $SYNC" 'length is 384' '256 and 512'
# policy
wrong 8192 "n2 128 $AB adaptive 1 16M 1 nosync" "'16M'" 'never hand over'
wrong 8192 "n2 128 $AB split 1 2 1 nosync" 'split takes no arguments'
wrong 8192 "n2 128 $AB fastest 0 1 nosync" "'fastest'" 'nearest-head, round-robin'
wrong 8192 "n2 128 $AB nearest-head nosync" "'nosync'" '0 to'
wrong 8192 "n2 128 $AB nearest-head 1 nosync" 'takes no arguments' 'did you mean `nearest-head 0 1 nosync`'
wrong 8192 "n2 128 $AB round-robin 1 64k 1 nosync" "'64k'" '0 (every read)'
wrong 8192 "n2 128 $AB round-robin 2 1 2 1 nosync" 'at most 1'
wrong 8192 "n2 128 $AB round-robin 9 1" '9' '1 words'
wrong 8192 "n2 128 $AB sequential-affinity 1 -1 1 nosync" "'-1'" 'never hand over'
wrong 8192 "n2 128 $AB a-policy-with-a-name-as-long-as-this-one 0 1 nosync" '31 characters'
# features
wrong 8192 "n2 128 $AB nearest-head 0 2 resync_limit fast" "'fast'" '0 to'
wrong 8192 "n2 128 $AB nearest-head 0 nosync" "'nosync'"
wrong 8192 "n2 128 $AB nearest-head 0 2 nosync" '2 feature words' '1 follow'
wrong 8192 "n2 128 $AB nearest-head 0 1 nosync junk" '1 feature words' '2 follow'
wrong 8192 "n2 128 $AB nearest-head 0 1x nosync" "'1x'"
wrong 8192 "n2 128 $AB nearest-head 0 1 nosnyc" "'nosnyc'" 'nosync, write_mostly'
wrong 8192 "n2 128 $AB nearest-head 0 3 nosync write_mostly 2" "'2'" '0 to 1'
wrong 8192 "n2 128 $AB nearest-head 0 2 write_mostly nosync" "'nosync'" '0 to 1'
wrong 8192 "n2 128 $AB nearest-head 0 1 metadata" 'leg 0 (' 'is no mirrorbal superblock'
wrong 8192 "n2 128 $AB nearest-head 0 2 metadata nosync" 'features metadata and nosync are both given'
wrong 8192 "n2 128 $AB nearest-head 0 3 nosync region_size 2048" 'region_size is not in this version'
wrong 8192 "n2 128 $AB nearest-head 0 2 nosync copy_writes" 'copy_writes is not in this version'

# devices that cannot be legs, or not so
wrong 8192 "n2 128 2 ${NVME[0]} 4 ${NVME[1]} 0 $SYNC" 'leg 0' 'offset 4' '8 sectors'
wrong 8192 "n2 128 2 ${NVME[2]} 0 ${NVME[1]} 12 $SYNC" 'leg 1' 'offset 12' '8 sectors'
need modprobe null_blk nr_devices=1 zoned=1 zone_size=4 gb=1
wrong 8192 "n2 128 2 $A 0 /dev/nullb0 0 $SYNC" 'leg 1' 'zoned'
need modprobe -r null_blk
need mkfs.ext4 -q -F $C
need mount $C /mnt
wrong 8192 "n2 128 2 $A 0 $C 0 $SYNC" 'leg 1' 'in use'
need umount /mnt
need blockdev --setro $C
wrong 8192 "n2 128 2 $A 0 $C 0 $SYNC" 'leg 1' 'read-only'
check 'a read-only array may have read-only legs' dmsetup create mb -r --table "0 8192 mirrorbal n2 128 2 $A 0 $C 0 $SYNC"
check_fails 'it cannot be written' dd if=/dev/zero of=/dev/mapper/mb bs=4K count=1 oflag=direct
need dmsetup create above --table '0 8192 linear /dev/mapper/mb 0'
need udevadm settle
check_fails 'nor through a table above' dd if=/dev/zero of=/dev/mapper/above bs=4K count=1 oflag=direct
check_fails 'nor zeroed' blkdiscard -z -l 4096 /dev/mapper/above
check 'a flush has nothing to do' xfs_io -c fsync /dev/mapper/above
is 'its legs are well' "$(mb_field mb health) $(mb_counter mb 0 writes) $(mb_counter mb 1 writes)" 'AA 0 0'
need dmsetup remove --retry above
need mb_remove mb
need blockdev --setrw $C
need mb_create mb "0 8192 mirrorbal n2 128 $AB $SYNC"
wrong 8192 "n2 128 2 $C 0 $B 0 $SYNC" 'leg 1' 'in use' 'leg 1 of'
wrong 8192 "n2 128 2 $A 4096 $C 0 $SYNC" 'leg 0' 'in use' 'leg 0 of'
kernel_log_mark
check_fails 'two arrays in one table are refused' dmsetup create mb-two --table "0 8192 mirrorbal n2 128 2 $C 0 /dev/ram3 0 $SYNC
8192 8192 mirrorbal n2 128 2 $C 8192 /dev/ram3 8192 $SYNC"
contains 'with the reason' "$(kernel_log)" 'must appear alone in table'
is 'more than 60 were wrong' $((WRONG >= 60)) 1

diag 'Messages'

# wrong_message TEXT PART...
wrong_message() {
	local text=$1 error part
	shift
	# shellcheck disable=SC2086 # words
	error=$(mb_message_error mb $text)
	for part in . "$@"; do
		if [[ -z $error || ($part != . && $error != *"$part"*) ]]; then
			not_ok "refused: message $text"
			diag "reason:       $error"
			diag "must contain: $part"
			return
		fi
	done
	ok "refused: message $text"
	diag "$error"
}

before=$(dmsetup table mb; dmsetup status mb | cut -d ' ' -f 1-11)
wrong_message frobnicate 'no such message' 'policy_set, fail'
wrong_message FAIL 'no such message'
wrong_message policy '0 arguments' 'policy <name>'
wrong_message 'policy fastest' "'fastest'" 'nearest-head, round-robin' 'loaded'
wrong_message 'policy adaptive 1 2' 'at most 1'
wrong_message 'policy nearest-head 1' 'takes no arguments'
wrong_message 'policy round-robin x' "'x'" '0 (every read)'
wrong_message 'policy round-robin 1 2' 'at most 1'
wrong_message 'policy round-robin 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17' '18 arguments' 'policy <name>'
wrong_message 'policy_set bytes' '1 arguments' 'policy_set <key> <value>'
wrong_message 'policy_set bytes 1 2' '3 arguments' 'policy_set <key> <value>'
wrong_message 'policy_set bytes 1' 'nearest-head has no settings'
wrong_message fail '0 arguments' 'fail <leg>'
wrong_message 'fail 2' "'2'" '0 to 1'
wrong_message 'fail +1' "'+1'" '0 to 1'
wrong_message 'fail 0x' "'0x'" '0 to 1'
wrong_message 'fail 0 1' '2 arguments'
wrong_message 'write_mostly 0' '1 arguments' 'on|off'
wrong_message 'write_mostly 0 yes' "'yes'" 'on and off'
wrong_message 'write_mostly 7 on' "'7'" '0 to 1'
wrong_message 'reset_counters now' '1 arguments'
wrong_message 'counters 0' '1 arguments'
wrong_message 'resync_limit fast' "'fast'" 'KiB a second'
wrong_message 'frozen now' '1 arguments'
for message in check repair; do
	wrong_message "$message" 'not in this version'
done
is 'nothing has changed' "$(dmsetup table mb; dmsetup status mb | cut -d ' ' -f 1-11)" "$before"
need mb_message mb policy round-robin
wrong_message 'policy_set run 1' "'run'" 'only bytes'
wrong_message 'policy_set bytes x' "'x'" 'allowed'
need mb_message mb fail 0
wrong_message 'fail 0' 'not in sync'
wrong_message 'fail 1' 'last good copy'
need mb_remove mb

diag 'Nothing is left behind'

# used: KiB of the kernel's small objects and of its memory per CPU.
used() {
	awk '/^kmalloc-/ { sum += $2 * $4 } END { printf "%d ", sum / 1024 }' /proc/slabinfo
	awk '/^Percpu/ { print $2 }' /proc/meminfo
}

# refused_often COUNT: tables that are wrong in their last word, after everything was allocated.
refused_often() {
	local nth
	for ((nth = 0; nth < $1; nth++)); do
		dmsetup create wrong --table "0 8192 mirrorbal n2 128 $AB round-robin 1 65536 3 nosync write_mostly 1" && return 1
		dmsetup create wrong --table "0 16512 mirrorbal n2 128 $AB $SYNC" && return 1
	done 2>/dev/null
	return 0
}

# That its legs are in use is found last, when all else has been made.
need dmsetup create holder --table "0 8192 mirrorbal n2 128 $AB $SYNC"
check 'wrong tables are refused' refused_often 8
read -r slab percpu <<<"$(used | xargs)"
check '80 more are refused' refused_often 40
read -r slab_after percpu_after <<<"$(used | xargs)"
diag "slab: $slab KiB before, $slab_after after; per CPU: $percpu, $percpu_after"
# An array of two legs has more than 5 KiB of each.
is 'no memory is lost' $((slab_after - slab < 150 && percpu_after - percpu < 150)) 1
need mb_remove holder
is 'nobody holds the module' "$(cat /sys/module/dm_mirrorbal/refcnt)" 0
check 'nor a leg' modprobe -r brd
check 'the module can be removed' rmmod dm-mirrorbal
check 'and loaded again' modprobe dm-mirrorbal

done_testing
