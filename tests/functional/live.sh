#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What may be changed while an array is in use: policy, table, suspension; under verified load.
# module: tests/functional/policy-module
# timeout: 600
. ./lib.sh

MB=/dev/mapper/mb
ROUNDS=5

# Legs that can be made to fail.
ram_disks 4 16
for leg in 0 1 2 3; do
	need bad_leg leg$leg /dev/ram$leg
done
LEGS='/dev/mapper/leg0 /dev/mapper/leg1 /dev/mapper/leg2 /dev/mapper/leg3'
TABLE=$(mb_table n2 128 8 "$LEGS")

# numbers TABLE: with devices as the kernel prints them.
numbers() {
	local leg table=$1
	for leg in 0 1 2 3; do
		table=${table//\/dev\/mapper\/leg$leg/$(dmsetup info -c --noheadings -o major,minor --separator : leg$leg)}
	done
	echo "$table"
}

errors() {
	local leg
	for leg in 0 1 2 3; do
		echo "$(mb_counter mb $leg read_errors) $(mb_counter mb $leg write_errors)"
	done | xargs
}

check 'an array starts' mb_create mb "$TABLE"
is 'dmsetup table prints the line that made it' "$(dmsetup table mb)" "$(numbers "$TABLE")"
check_fails 'the module cannot be removed while an array uses it' rmmod dm-mirrorbal

# Policies

load_start $MB --size=12M
switched=
for ((round = 0; round < ROUNDS; round++)); do
	for policy in 'round-robin 0' 'round-robin 1 65536' 'sequential-affinity 0' 'sequential-affinity 1 128' \
		      'queue-length 0' 'nearest-head 0'; do
		read -r name _ args <<<"$policy"
		# shellcheck disable=SC2086 # words
		mb_message mb policy $name $args || switched+="$policy was refused; "
		[[ $(mb_field mb policy) == "$name" ]] || switched+="$policy is not shown; "
		[[ $(dmsetup table mb) == *" $policy 1 nosync" ]] || switched+="$policy is not in the table; "
	done
	mb_message mb policy round-robin && mb_message mb policy_set bytes 12345 || switched+='policy_set was refused; '
	[[ $(dmsetup table mb) == *' round-robin 1 12345 1 nosync' ]] || switched+="policy_set shows as: $(dmsetup table mb); "
done
is 'policies are switched, shown and printed, under load' "$switched" ''
check 'with nothing lost or wrong' load_stop

# Suspension

load_start $MB --size=12M
for options in '' --noflush --nolockfs '--noflush --nolockfs'; do
	# shellcheck disable=SC2086 # words
	for ((round = 0; round < ROUNDS; round++)); do
		suspend_and_resume mb $options || break
	done
	is "suspended and resumed $ROUNDS times ${options:-with flush}, under load" $round $ROUNDS
done
check 'with nothing lost or wrong' load_stop

need mkfs.ext4 -q -F $MB
mkdir -p /mnt/mb
need mount $MB /mnt/mb
dmsetup suspend mb
(echo kept >/mnt/mb/file; sync -f /mnt/mb; touch /tmp/written) &
is 'nothing is written while suspended' "$([[ -e /tmp/written ]] || echo waits)" waits
mb_message mb policy queue-length
is 'the policy can be switched while suspended' "$(mb_field mb policy)" queue-length
dmsetup resume mb
check 'what waited is written after resume' wait $!
check 'and the filesystem is whole' bash -c "umount /mnt/mb && e2fsck -fn $MB"

# Tables

load_start $MB --size=12M
for ((round = 0; round < ROUNDS; round++)); do
	mb_reload mb "$TABLE" >/dev/null || break
done
is "the same table loaded $ROUNDS times, under load" $round $ROUNDS
check 'a table with another policy takes over' mb_reload mb "${TABLE/nearest-head 0/round-robin 1 4096}"
is 'its policy is there' "$(mb_field mb policy)" round-robin
check 'with nothing lost or wrong' load_stop

# refused_reload TEXT TABLE PART...: the error says all of the parts.
refused_reload() {
	local text=$1 table=$2 error part
	shift 2
	error=$(mb_load_error mb "$table") || { not_ok "$text"; diag 'it was taken'; return; }
	for part; do
		contains "$text: $part" "$error" "$part"
	done
}

read -r _ length _ <<<"$TABLE"
refused_reload 'another length' "${TABLE/0 $length/0 $((length - 256))}" "length is $((length - 256))" "has $length"
refused_reload 'another layout' "$(mb_table f2 128 8 "$LEGS")" 'layout is f2' 'has n2'
refused_reload 'another chunk' "${TABLE/ n2 128/ n2 64}" 'chunk is 64' 'has 128'
refused_reload 'another order' "$(mb_table n2 128 8 '/dev/mapper/leg1 /dev/mapper/leg0 /dev/mapper/leg2 /dev/mapper/leg3')" \
	'reload: leg 0' 'cannot change places'
refused_reload 'another offset' "$(mb_table n2 128 8 "$LEGS" | sed 's/ 8 / 0 /')" 'offset 0' 'has 8'
refused_reload 'fewer legs' "$(mb_table n2 128 8 '/dev/mapper/leg0 /dev/mapper/leg1')" 'there are 2 legs' 'has 4'
is 'the array is as it was' "$(dmsetup table mb | sed 's/round-robin.*//')" \
	"$(numbers "$TABLE" | sed 's/nearest-head.*//')"

# What the array knows of its legs outlives its table

need random_file /tmp/content 40
need fill /tmp/content 0 $MB
bad_leg leg1 /dev/ram1 0 256
check 'with a leg that fails, data can be read' holds /tmp/content 0 $MB
check 'and written' dd if=/tmp/content of=$MB bs=64K count=1 oflag=direct conv=notrunc
bad_leg leg1 /dev/ram1
is 'the leg is failed' "$(mb_field mb health)" ADAA
before=$(errors)
is 'errors are counted' "$([[ $before != '0 0 0 0 0 0 0 0' ]] && echo counted)" counted
check 'the same table is loaded again' mb_reload mb "$TABLE"
is 'the leg is still failed' "$(mb_field mb health)" ADAA
is 'and its errors are remembered' "$(errors)" "$before"
is 'the table leaves it out' "$(dmsetup table mb)" "$(numbers "$TABLE" | sed 's/[0-9:]* 8/- 8/2')"
check 'data can be read' holds /tmp/content 0 $MB

read -r -a words <<<"$TABLE"
without() {
	local copy=("${words[@]}") leg
	for leg; do
		copy[6 + leg * 2]=-
	done
	echo "${copy[*]}"
}

load_start $MB --offset=16M --size=8M
check 'a table without the failed leg takes over, under load' mb_reload mb "$(without 1)"
is 'the leg is missing' "$(mb_field mb health)" A-AA
check 'a leg in sync can be left out as well' mb_reload mb "$(without 1 3)"
is 'and is missing' "$(mb_field mb health)" A-A-
check 'with nothing lost or wrong' load_stop
refused_reload 'a leg that was missing' "$(without 1)" 'leg 3' 'missing in the running array' "give '-'"

# The last good copy stays
refused_reload 'a table without the last good copy' "$(without 1 0)" 'leg'
check 'the array can be resumed after that' dmsetup resume mb
is 'and has the legs that it had' "$(mb_field mb health)" A-A-
dd if=$MB of=/dev/null bs=64K count=16 iflag=direct status=none
is 'and can be read' $? 0
mb_message mb fail 2 2>/dev/null
is 'nor can a message fail it' "$(mb_field mb health)" A-A-
check_fails 'an array that is open cannot be removed' bash -c "exec 3<$MB; dmsetup remove mb"
check 'it is removed' mb_remove mb

# With one leg failed and the other left out nothing would be left that is right

check 'an array of two legs starts' mb_create mb "$(mb_table n2 128 8 '/dev/mapper/leg0 /dev/mapper/leg1')"
mb_message mb fail 0
refused_reload 'a table with the failed leg alone' "$(mb_table n2 128 8 '/dev/mapper/leg0 -')" 'leg'
is 'the array runs on' "$(mb_field mb health)" DA
check 'it is removed' mb_remove mb

# A leg that is left out by a table loaded while another copy was there, which then failed: no copy is left

check 'an array starts' mb_create mb "$TABLE"
need fill /tmp/content 0 $MB
need dmsetup load mb --table "$(without 0)"
mb_message mb fail 1
check 'resumed with a table that leaves out the last good copy' dmsetup resume mb
is 'says so' "$(mb_field mb health)" -DAA
check_fails 'no leg that is behind is read' dd if=$MB of=/dev/null bs=4K count=1 iflag=direct
check_fails 'nor written' dd if=/dev/zero of=$MB bs=4K count=1 oflag=direct
check 'what has a good leg can be read' bash -c \
	"dd if=$MB bs=64K skip=1 count=1 iflag=direct status=none | cmp -n 65536 -i 0:65536 - /tmp/content"
check 'it is removed' mb_remove mb

# A policy in a module of its own

KO=dm-mirrorbal-lowest.ko
[[ -e $KO ]] || bail "$KO is missing: give --file"
mkdir -p "/lib/modules/$(uname -r)/extra"
need cp $KO "/lib/modules/$(uname -r)/extra"
need depmod -a
lowest() {
	mb_table n2 128 8 "$LEGS" lowest "$@" 1 nosync
}

check 'an array starts' mb_create mb "$TABLE"
contains 'a message does not load a module' "$(mb_message_error mb policy lowest)" "policy 'lowest' is not known"
check 'it is removed' mb_remove mb
check 'a table loads it' mb_create mb "$(lowest 0)"
is 'the policy is in use' "$(mb_field mb policy)" lowest
need fill /tmp/content 0 $MB
mb_message mb reset_counters
check 'data is right' holds /tmp/content 0 $MB
is 'the policy decides' "$(mb_counter mb 1 reads) $(mb_counter mb 3 reads)" '0 0'
check_fails 'its module cannot be removed while it is in use' rmmod dm-mirrorbal-lowest
check 'a setting of it is changed' mb_message mb policy_set lie 4294967295
is 'and printed' "$(dmsetup table mb)" "$(numbers "$(lowest 1 4294967295)")"
check 'with an index that is no index data is right' holds /tmp/content 0 $MB
mb_message mb policy_set lie 1
check 'with another leg than it means as well' holds /tmp/content 0 $MB
load_start $MB --size=12M
for lie in 0 1 2 3 2147483648 4294967294 0 1; do
	mb_message mb policy_set lie $lie
	mb_message mb policy round-robin
	mb_message mb policy lowest 1 $lie
done
check 'with nothing lost or wrong under load' load_stop
contains "its arguments' errors are its own" "$(mb_message_error mb policy lowest x)" "lie is 'x'"
check 'another policy takes over' mb_message mb policy queue-length
check 'then its module can be removed' rmmod dm-mirrorbal-lowest
contains 'and is not known to messages' "$(mb_message_error mb policy lowest)" "policy 'lowest' is not known"
check 'it is removed' mb_remove mb
check 'a table loads it again' mb_create mb "$(lowest 1 7)"
check 'and is removed with it in use' mb_remove mb
check 'modules go' rmmod dm-mirrorbal-lowest
check 'the last of all' rmmod dm-mirrorbal

done_testing
