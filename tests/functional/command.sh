#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# guest: --nvme 64M --nvme 64M --nvme 64M --nvme 64M --nvme 64M:4096
# kernels: 6.12
# timeout: 900
#
# The mirrorbal command: every verb, what it refuses, what it says, and what it leaves on the disks.
. "$(dirname "$0")/lib.sh"

read -r -a DISKS <<<"$LAB_NVME"
A=${DISKS[0]} B=${DISKS[1]} C=${DISKS[2]} D=${DISKS[3]} K4=${DISKS[4]}
LEGS3="$A $B $C"

serial() {
	xargs <"/sys/block/${1#/dev/}/device/serial"
}

property() {
	udevadm info -q property "$1" | sed -n "s/^$2=//p"
}

# typed LINES: run commands that were printed, one by one, as a person would who says yes.
typed() {
	local line
	while IFS= read -r line; do
		bash -c "${line/mirrorbal erase/mirrorbal erase --yes}" || return
	done <<<"$1"
}

# The whole array, as one number.
content() {
	dd if="/dev/mapper/$1" bs=1M iflag=direct status=none | md5sum
}

# Undo everything: no array, no stamps, no signatures.
fresh() {
	local name disk
	for name in $(dmsetup ls --target mirrorbal | awk '!/^No/ { print $1 }'); do
		mb_remove "$name"
	done
	for disk in "${DISKS[@]}"; do
		mirrorbal erase --yes --wipe "$disk" "$disk" >/dev/null 2>&1
		wipefs -qaf "$disk"
	done
	udevadm settle
}

# ends DISK...: the parts of the disks that anything but data is written to, as one number.
ends() {
	local disk
	for disk in "$@"; do
		head -c 6M "$disk"
		tail -c 1M "$disk"
	done | md5sum
}

# fill DISK: content of its own in the first 12 MiB, which looks like nothing known.
fill() {
	openssl enc -aes-128-ctr -nosalt -K "$(printf '%032x' 1)" -iv "$(printf '%032x' "${1//[^0-9]/}")" \
		-in /dev/zero 2>/dev/null | head -c 12M | dd of="$1" bs=1M iflag=fullblock oflag=direct status=none
	udevadm settle
}

fresh

# --- Words ---------------------------------------------------------------------------------------------------------
run mirrorbal
is 'no verb: status' "$STATUS" 4
run mirrorbal --help
is '--help: status' "$STATUS" 0
for verb in create assemble stop status stats policy set wait fail table examine erase simulate bench; do
	contains "--help names $verb" "$OUT" "  $verb "
	check "$verb --help" mirrorbal $verb --help
done
run mirrorbal --version
contains '--version' "$OUT" 'mirrorbal 0.'
usage_error 'an unknown verb' "no verb 'frobnicate'" mirrorbal frobnicate
for verb in add remove replace scrub monitor rescue doctor adopt release grow; do
	usage_error "$verb does not exist yet" 'not in this version' mirrorbal $verb vm
done
usage_error 'mdadm --detail' 'mirrorbal status' mirrorbal --detail vm
usage_error 'mdadm --create' 'mirrorbal create' mirrorbal --create vm
usage_error 'mdadm --examine' 'mirrorbal examine' mirrorbal --examine "$A"
usage_error 'mdadm --assemble' 'mirrorbal assemble' mirrorbal --assemble vm
usage_error 'mdadm --stop' 'mirrorbal stop' mirrorbal --stop vm
usage_error 'mdadm --fail' 'mirrorbal fail' mirrorbal --fail vm
usage_error 'mdadm --add' 'not in this version' mirrorbal --add "$A"
usage_error 'an unknown option' "option '--frobnicate'" mirrorbal status --frobnicate
usage_error 'an option without its value' "'--layout' needs a value" mirrorbal create vm "$A" "$B" --layout
run mirrorbal status
is 'status without arrays: status' "$STATUS" 0
run mirrorbal status --json
json 'status without arrays: JSON' '.arrays | length' 0
refused 'status without the right to ask: not "there is no array"' 'does not list its devices' \
	setpriv --bounding-set=-sys_admin mirrorbal status
refused 'status of no array' "no array 'vm'" mirrorbal status vm
check 'not without root' test "$(setpriv --reuid 65534 mirrorbal status 2>&1)" = 'mirrorbal: status: needs root'
check 'the manual page is there' test -s /usr/share/man/man8/mirrorbal.8
is 'completion of a verb' "$(bash -c '. /usr/share/bash-completion/completions/mirrorbal
	COMP_WORDS=(mirrorbal st) COMP_CWORD=1; _mirrorbal; echo "${COMPREPLY[*]}"')" 'stop status stats'

# --- What create refuses -------------------------------------------------------------------------------------------
usage_error 'one leg' 'allowed are 2 to 32' mirrorbal create vm "$A"
usage_error 'a path as the name' 'the name comes before' mirrorbal create "$A" "$B" "$C"
usage_error 'layout x2' "layout is 'x2'" mirrorbal create vm --layout x2 "$A" "$B"
usage_error 'a chunk without a unit' 'has no unit' mirrorbal create vm --chunk 512 "$A" "$B"
usage_error '--wipe of a device that is no leg' 'none of the devices' mirrorbal create vm --wipe "$D" "$A" "$B"
usage_error '--copy-from with --assume-clean' 'makes no sense' \
	mirrorbal create vm --assume-clean --copy-from "$A" "$A" "$B"
refused 'three copies on two legs' 'number of copies is 3' mirrorbal create vm --layout n3 "$A" "$B"
refused 'a chunk of 12 KiB' 'powers of two' mirrorbal create vm --chunk 12K "$A" "$B"
refused 'a name with a blank' 'byte 0x20 at position 1' mirrorbal create 'v m' "$A" "$B"
refused 'a name that is too long' 'at most 64' mirrorbal create "$(printf 'n%.0s' {1..65})" "$A" "$B"
refused 'a name that a shell takes for a comment' "begins with '#'" mirrorbal create '#vm' "$A" "$B"
refused 'the name control' 'choose another' mirrorbal create control "$A" "$B"
refused 'an unknown policy' "policy 'frob' is not built in" mirrorbal create vm --policy frob "$A" "$B"
refused 'an argument too many' 'takes no arguments' mirrorbal create vm --policy queue-length,5 "$A" "$B"
refused 'a path that is not there' 'No such file' mirrorbal create vm "$A" /dev/nothing
refused 'a file' 'losetup' mirrorbal create vm "$A" "$PWD/stdout"
refused 'a character device' 'not a block device' mirrorbal create vm "$A" /dev/null
refused 'missing' 'cannot be added later' mirrorbal create vm "$A" missing
refused 'the same device twice' 'given twice' mirrorbal create vm "$A" "$B" "$A"
refused 'the same device by another name' 'given twice' \
	mirrorbal create vm "$A" "$B" "$(find -L /dev/disk/by-id -samefile "$A" | head -n 1)"
refused 'more than the legs hold' '--size asks for more' mirrorbal create vm --size 1G "$A" "$B"
refused 'chunks larger than the legs' 'too small' mirrorbal create vm --chunk 64M "$A" "$B"

need modprobe loop
refused 'a device without capacity' '520 bytes' mirrorbal create vm "$A" /dev/loop0
blockdev --setro "$B"
refused 'a read-only device' 'is read-only' mirrorbal create vm "$A" "$B"
blockdev --setrw "$B"
if modprobe null_blk nr_devices=1 zoned=1 memory_backed=1 gb=1 2>/dev/null && [[ -b /dev/nullb0 ]]; then
	refused 'a zoned device' 'zoned' mirrorbal create vm "$A" /dev/nullb0
	modprobe -r null_blk
else
	skip 'a zoned device' 'no null_blk here'
fi

need mkfs.ext4 -q -L home "$B"
need udevadm settle
refused 'a filesystem' "ext4 filesystem 'home'; --wipe $B" mirrorbal create vm "$A" "$B"
contains 'nothing was changed, it says' "$ERR" 'nothing was changed'
is 'the filesystem is still there' "$(blkid -p -o value -s LABEL "$B")" home
# shellcheck disable=SC2217
sleep infinity <"$B" &
holder=$!
refused 'a device that a process has open, even with --wipe' "process $holder (sleep)" \
	mirrorbal create vm --wipe "$B" --yes "$A" "$B"
kill $holder
wait $holder 2>/dev/null
need mount "$B" /mnt
refused 'a mounted device, even with --wipe' 'mounted on /mnt' mirrorbal create vm --wipe "$B" "$A" "$B"
umount /mnt
# Bytes 1144 to 1159 of ext4 are the label: escape, a character of two bytes, half of one.
printf '\x1b[1mh\xc3\xb6me\xc3(\0' >label
need dd if=label of="$B" bs=1 seek=1144 conv=notrunc,fsync status=none
run mirrorbal examine --json "$B"
json 'a label that would steer the terminal' '.[0].carries' "ext4 filesystem '?[1mh$(printf '\xc3\xb6')me?('"
need mkfs.ext4 -q -F -L home "$B"
udevadm settle
need mkswap -q "$C"
need swapon "$C"
refused 'a swap device' 'used as swap' mirrorbal create vm --wipe "$C" "$A" "$C"
swapoff "$C"
need dmsetup create holder --table "0 2048 linear $D 0"
refused 'a mapped device' "held by device-mapper device 'holder'" mirrorbal create vm "$A" "$D"
refused 'a name that is taken' 'already' mirrorbal create holder "$A" "$D"
mb_remove holder
# One partition of type 83, from sector 2048 on, 20480 sectors long.
printf '\0\0\0\0\x83\0\0\0\0\x08\0\0\0\x50\0\0' | dd of="$D" bs=1 seek=446 conv=notrunc,fsync status=none
printf '\x55\xaa' | dd of="$D" bs=1 seek=510 conv=notrunc,fsync status=none
need blockdev --rereadpt "$D"
need udevadm settle
need test -b "${D}p1"
refused 'a partition table' 'dos partition table' mirrorbal create vm "$A" "$D"
refused 'a disk and its partition' 'a disk and a partition' mirrorbal create vm --wipe "$D" "${D}p1" "$D"
refused 'all troubles are told at once' 'swap' mirrorbal create vm "$A" "$B" "$C" "$D"
contains 'all troubles are told at once' "$ERR" 'ext4'
contains 'all troubles are told at once' "$ERR" 'dos'
refused 'wiping needs --yes where nobody can be asked' '--yes' mirrorbal create vm --wipe "$B" "$A" "$B"
is 'the filesystem is still there' "$(blkid -p -o value -s LABEL "$B")" home
is 'no stamp after all this' "$(mirrorbal examine --json "${DISKS[@]}" | jq -r '[.[].stamp] | unique[]')" absent

# --- dry run -------------------------------------------------------------------------------------------------------
ends_before=$(ends "$A" "$B" "$D")
run mirrorbal create vm --layout o2 --chunk 64K --policy round-robin,65536 --write-mostly leg1 \
	--wipe "$B" --wipe "$D" --dry-run "$A" "$B" "$D"
is 'dry run: status' "$STATUS" 0
is 'dry run changes nothing' "$(ends "$A" "$B" "$D")" "$ends_before"
contains 'dry run: policy and features' "$OUT" ' round-robin 1 65536 3 metadata write_mostly 1'
contains 'dry run: links that last' "$OUT" /dev/disk/by-id/
contains 'dry run: model and serial are shown' "$ERR" "$(serial "$A")"
check_fails 'dry run: of what it would do nothing is done' dmsetup create dry --table "$OUT"

# --- create, and what it leaves ------------------------------------------------------------------------------------
run mirrorbal create vm --wipe "$B" --wipe "$D" --yes --json "$A" "$B" "$D"
is 'create: status' "$STATUS" 0
json 'create: JSON' .name vm
contains 'create: how it starts again' "$ERR" 'mirrorbal assemble vm'
contains 'create: progress' "$ERR" 'copying: '
contains 'create: what is wiped is shown' "$ERR" "ext4 filesystem 'home' (will be wiped)"
udevadm settle
is 'the old signature is gone' "$(blkid -p -o value -s TYPE "$B")" ''
is 'the old partition is gone' "$(find /sys/block/"${D#/dev/}" -name partition)" ''
contains 'the uuid' "$(dmsetup info -c --noheadings -o uuid vm)" MIRRORBAL-
is 'the magic, twice' "$(for at in 16 17; do dd if="$A" bs=4096 skip=$at count=1 iflag=direct status=none |
	head -c 7; done)" MIRRBALMIRRBAL
run mirrorbal status vm
is 'status: healthy' "$STATUS" 0
contains 'status: in a word' "$OUT" 'vm: healthy'
run mirrorbal status --json
json 'status: JSON' '.arrays[0] | [.health, .layout, .started, (.legs | length)] | join(" ")' 'healthy n2 true 3'
json 'status: serial of a leg' '.arrays[0].legs[0].serial' "$(serial "$A")"
json 'status: data at 4 MiB' '.arrays[0].legs[0].data_offset_bytes' 4194304

refused 'a leg in use' "is leg 1 of array 'vm'" mirrorbal create other "$B" "$C"
refused 'a leg in use, even with --wipe' "is leg 1 of array 'vm'" mirrorbal create other --wipe "$B" --yes "$B" "$C"
refused 'erase of a leg in use' "held by device-mapper device 'vm'" mirrorbal erase --yes "$B"
refused 'the name of a running array' 'already' mirrorbal create vm "$C" "$K4"

# --- udev and LVM --------------------------------------------------------------------------------------------------
is 'udev: ID_FS_TYPE' "$(property "$A" ID_FS_TYPE)" mirrorbal_member
is 'udev: ID_FS_USAGE' "$(property "$A" ID_FS_USAGE)" raid
is 'udev: SYSTEMD_READY' "$(property "$A" SYSTEMD_READY)" 0
is 'udev: nothing of an unstamped disk' "$(property "$K4" ID_FS_TYPE)" ''
need pvcreate -q /dev/mapper/vm
need vgcreate -q vg /dev/mapper/vm
need lvcreate -q -n lv -L 16M -an vg
run mirrorbal table vm
command=$OUT
contains 'table: by-id links' "$command" /dev/disk/by-id/
udevadm settle
run mirrorbal stop vm
is 'stop: status' "$STATUS" 0
udevadm settle
is 'LVM sees nothing on the legs' "$(pvs --noheadings 2>&1)" ''
is 'udev: still marked when the array is stopped' "$(property "$A" ID_FS_TYPE)" mirrorbal_member
run mirrorbal status
is 'status: not started' "$STATUS" 2
contains 'status: not started, in words' "$OUT" 'vm: not started, 3 of 3 legs found'
contains 'status: the next command' "$OUT" '    mirrorbal assemble vm'
run mirrorbal status vm --json
json 'status: not started, JSON' '.arrays[0] | [.started, .health] | join(" ")' 'false down'
run mirrorbal table vm
is 'table from stamps is the same' "$OUT" "$command"
is 'table from stamps: nothing to warn of' "$ERR" ''
refused 'create on stamped legs' "is leg 0 of array 'vm'" mirrorbal create vm "$A" "$B"
refused 'a name that an array has which is not started' 'not started' \
	mirrorbal create vm --wipe "$C" --yes "$C" "$K4"
refused 'stop of an array that is not started' 'not started' mirrorbal stop vm
check 'what table printed starts it' bash -c "$command"
udevadm settle
is 'LVM finds it again, once' "$(pvs --noheadings -o pv_name 2>&1 | xargs)" /dev/mapper/vm
need vgchange -q -ay vg
refused 'stop of an array in use' "held by device-mapper device 'vg-lv'" mirrorbal stop vm
need vgchange -q -an vg
# shellcheck disable=SC2217
sleep infinity </dev/mapper/vm &
holder=$!
refused 'stop of an array that a process has open' "process $holder (sleep)" mirrorbal stop vm
kill $holder
wait $holder 2>/dev/null
need vgremove -qqf vg
need pvremove -qq /dev/mapper/vm
udevadm settle

# A copy of a leg that runs would be taken for it when the array is stopped.
dd if="$B" of="$K4" bs=64K skip=1 seek=1 count=1 conv=notrunc,fsync status=none
udevadm settle
run mirrorbal status
contains 'a copy of a leg that runs: status' "$OUT" "$B and $K4 both say that they are leg 1 of 'vm'"
check 'a copy of a leg that runs: erase' mirrorbal erase --yes "$K4"
udevadm settle

# --- policy, set, stats --------------------------------------------------------------------------------------------
run mirrorbal policy vm
is 'policy: the default' "$OUT" adaptive
check 'policy: switch' mirrorbal policy vm round-robin 65536
run mirrorbal policy vm --json
json 'policy: JSON' '[.policy, .arguments[]] | join(" ")' 'round-robin 65536'
before=$(disk_stat "$C" reads)
check 'set: a setting of the policy' mirrorbal set vm bytes 4096
check 'status of a healthy array' mirrorbal status vm
is 'set, status: no other disk is asked' "$(disk_stat "$C" reads)" "$before"
is 'set: it took' "$(mirrorbal policy vm 2>/dev/null)" 'round-robin 4096'
refused 'set: an unknown setting' "no setting 'frob'" mirrorbal set vm frob 1
check 'policy: split' mirrorbal policy vm split
check 'policy: adaptive, with a window' mirrorbal policy vm adaptive 65536
is 'policy: adaptive took its window' "$(mirrorbal policy vm 2>/dev/null)" 'adaptive 65536'
refused 'policy: unknown' 'not built in' mirrorbal policy vm frob
refused 'policy: a wrong argument' 'allowed are' mirrorbal policy vm round-robin 12x
check 'policy: back' mirrorbal policy vm queue-length
usage_error 'set: without a value' 'a key and a value' mirrorbal set vm bytes

check 'set: write-mostly by path' mirrorbal set vm write-mostly "$A" on
run mirrorbal status vm --json
json 'set: write-mostly is shown' '[.arrays[0].legs[].write_mostly] | map(tostring) | join(" ")' 'true false false'
run mirrorbal table vm
contains 'set: write-mostly is in the table' "$OUT" ' 3 metadata write_mostly 0'
check 'set: counters reset' mirrorbal set vm counters reset
before=$(mb_counter vm 0 reads)
dd if=/dev/mapper/vm of=/dev/null bs=64k count=200 iflag=direct status=none
is 'set: no read of the write-mostly leg' "$(mb_counter vm 0 reads)" "$before"
run mirrorbal stats vm --total --json
json 'stats: total' '[.legs[].counters.sectors_read] | add >= 25600' true
check 'set: write-mostly by number, off' mirrorbal set vm write-mostly leg0 off
usage_error 'set: write-mostly perhaps' 'on and off' mirrorbal set vm write-mostly leg0 perhaps
refused 'set: no such leg' 'leg0 to leg2' mirrorbal set vm write-mostly leg7 on
run mirrorbal stats vm --interval 0.1 --count 2 --json
is 'stats: status' "$STATUS" 0
is 'stats: a JSON object a line' "$(jq -c '.legs | length' <<<"$OUT" | xargs)" '3 3'
run mirrorbal stats vm --interval 0.1 --count 1
contains 'stats: a table' "$OUT" 'READ/S'
usage_error 'stats: interval of nothing' 'interval is' mirrorbal stats vm --interval 0
refused 'a device-mapper device that is no array' 'no mirrorbal array' bash -c \
	"dmsetup create plain --table '0 8 zero' && mirrorbal stats plain; r=\$?; dmsetup remove plain; exit \$r"

# --- fail ----------------------------------------------------------------------------------------------------------
refused 'fail: no such leg' 'leg0 to leg2' mirrorbal fail vm leg3
refused 'fail: a device that is no leg' 'no leg of' mirrorbal fail vm "$K4"
run mirrorbal fail vm "$B"
is 'fail: status' "$STATUS" 0
contains 'fail: what is failed is shown' "$ERR" "leg 1, $B"
contains 'fail: remembered' "$ERR" 'also after a stop'
run mirrorbal status vm
is 'status: degraded' "$STATUS" 1
contains 'status: degraded, in words' "$OUT" 'vm: degraded, 2 of 3 legs in sync'
contains 'status: the only copy' "$OUT" 'leg 0 is the only copy left'
contains 'status: what to type' "$OUT" 'mirrorbal create vm --layout n2'
run mirrorbal status vm --json
json 'status: the failed leg is still known' '.arrays[0].legs[1] | [.state, .device] | join(" ")' "failed $B"
refused 'fail: twice' 'failed already' mirrorbal fail vm leg1
refused 'fail: the last copy' 'last good copy' mirrorbal fail vm leg0
run mirrorbal table vm
is 'table: a failed leg is stored, and may be named' "$(grep -c ' - ' <<<"$OUT")" 0
run mirrorbal stop vm
is 'stop of a degraded array: status' "$STATUS" 0
run mirrorbal status vm
contains 'status: a stale leg is known after a stop' "$OUT" 'leg 1 is stale: it had failed before the stop'
run mirrorbal status vm --json
json 'status: a stale leg after a stop, JSON' '[.arrays[0].legs[].state] | join(", ")' 'found, stale, found'
run mirrorbal assemble --dry-run vm
is 'assemble: dry run starts nothing' "$STATUS $(dmsetup ls --target mirrorbal | grep -c vm)" '0 0'
contains 'assemble: dry run' "$OUT" 'dmsetup create vm'
run mirrorbal assemble vm
is 'assemble: a stale leg makes it degraded' "$STATUS" 1
contains 'assemble: a stale leg is told' "$ERR" 'it is stale, had failed before, and is not used'
is 'assemble: the stale leg is not used' "$(mb_field vm health)" ADA
is 'assemble: the policy is kept' "$(mirrorbal policy vm 2>/dev/null)" queue-length
run mirrorbal assemble vm
is 'assemble: it runs already, degraded' "$STATUS" 1
contains 'assemble: it runs already' "$ERR" 'runs already'
need mirrorbal stop vm

# --- simulate --------------------------------------------------------------------------------------------------------
{
	echo 'fio version 2 iolog'
	for ((i = 0; i < 400; i++)); do
		echo "/dev/x read $((i * 7919 % 1000 * 1000000 / 512 * 512)) 4096"
	done
} >trace
run mirrorbal simulate trace --legs 2
contains 'simulate: every policy' "$(awk '{ print $1 }' <<<"$OUT" | paste -sd' ')" \
	'POLICY adaptive split queue-length sequential-affinity round-robin nearest-head md-near'
run mirrorbal simulate trace --legs hdd,ssd:100 --policy adaptive --json
is 'simulate: the solid leg is read' "$(jq -c '.reads_of_legs' <<<"$OUT")" '[0,400]'
run mirrorbal simulate trace --legs 4 --layout f2 --depth 8 --policy nearest-head --policy sequential-affinity,8192 --json
is 'simulate: policies in their order' "$(jq -r .policy <<<"$OUT" | paste -sd' ')" 'nearest-head sequential-affinity,8192'
is 'simulate: all is done' "$(jq -s 'map(.requests == 400 and .reads == 400) | all' <<<"$OUT")" true
usage_error 'simulate: without legs' '--legs is missing' mirrorbal simulate trace
usage_error 'simulate: without a trace' 'one trace' mirrorbal simulate --legs 2
usage_error 'simulate: a leg of no kind' "'tape'" mirrorbal simulate trace --legs hdd,tape
usage_error 'simulate: an unknown policy' "'fastest'" mirrorbal simulate trace --legs 2 --policy fastest
refused 'simulate: too few legs' 'legs' mirrorbal simulate trace --legs 2 --layout n3
refused 'simulate: legs too small' 'are needed' mirrorbal simulate trace --legs 2 --leg-size 100M
refused 'simulate: no such file' 'no-trace' mirrorbal simulate no-trace --legs 2
refused 'simulate: not a trace' 'no reads and writes' mirrorbal simulate lib.sh --legs 2
refused 'simulate: policy arguments' 'takes no arguments' mirrorbal simulate trace --legs 2 --policy nearest-head,1

# --- examine and erase ---------------------------------------------------------------------------------------------
run mirrorbal examine "$A"
is 'examine: status' "$STATUS" 0
contains 'examine: what it is' "$OUT" "is leg 0 of array 'vm'"
run mirrorbal examine --json "$A" "$K4"
is 'examine: a device that is no leg' "$STATUS" 1
json 'examine: JSON' '[.[].stamp] | join(" ")' 'valid absent'
json 'examine: the other legs are known' '.[0].superblock.legs[1].serial' \
	"$(serial "$B")"
refused 'examine: no such device' 'No such file' mirrorbal examine /dev/nothing

dd if=/dev/zero of="$A" bs=4096 seek=16 count=1 oflag=direct conv=notrunc status=none
run mirrorbal examine --json "$A"
json 'one block lost: the other one counts' '.[0] | [.stamp, .blocks[]] | join(" ")' 'valid absent valid'
echo X | dd of="$A" bs=1 seek=70000 conv=notrunc,fsync status=none
run mirrorbal examine --json "$A"
json 'both blocks lost: damaged' '.[0].stamp' damaged
# udev hears of a write only some time after it: asked, it cannot be too early.
udevadm trigger --settle "$A"
is 'udev: a damaged stamp is one' "$(property "$A" ID_FS_TYPE) $(property "$A" SYSTEMD_READY)$(property "$A" ID_FS_UUID)" \
	'mirrorbal_member 0'
refused 'a damaged stamp is respected' 'cannot be read' mirrorbal create other "$A" "$K4"
run mirrorbal status
contains 'status: a leg is not found' "$OUT" 'vm: not started, 2 of 3 legs found'
contains 'status: its serial number is remembered' "$OUT" "$(serial "$A")"
contains 'status: a damaged stamp is told' "$ERR" 'cannot be read'
run mirrorbal status --json
json 'status: a damaged stamp is told, JSON' '.unreadable_stamps[0] | [.device, .reason] | join(" ")' \
	"$A block 1 is damaged: $(sed -n 's/.*\(its checksum.*\)$/\1/p' <<<"$ERR")"
refused 'erase needs --yes where nobody can be asked' '--yes' mirrorbal erase "$A"
check 'erase: a damaged stamp' mirrorbal erase --yes "$A"
refused 'erase: no stamp' 'carries no mirrorbal stamp' mirrorbal erase --yes "$A"

# What is made on a leg later lives there, whatever stamp is left.
need mkswap -q -f "$D"
udevadm settle
is 'udev: a stamp under something else' "$(property "$D" ID_FS_TYPE)" swap
refused 'create: a stamp under something else' "is leg 2 of array 'vm'" mirrorbal create other "$D" "$K4"
refused 'erase: a stamp under something else' "carries besides: swap" mirrorbal erase --yes "$D"
dd if=/dev/urandom of="$D" bs=4096 seek=17 count=1 oflag=direct conv=notrunc status=none
later=$(dd if="$D" bs=4096 skip=17 count=1 iflag=direct status=none | md5sum)
usage_error 'erase: --wipe of another device' 'none of the devices' mirrorbal erase --yes --wipe "$C" "$D"
check 'erase: a stamp under something else, with --wipe by another name' \
	mirrorbal erase --yes --wipe "$(find -L /dev/disk/by-id -samefile "$D" | head -n 1)" "$D"
is 'erase: what is no stamp stays' "$(dd if="$D" bs=4096 skip=17 count=1 iflag=direct status=none | md5sum)" "$later"
is 'erase: no stamp is left' "$(mirrorbal examine --json "$D" | jq -r '.[0].stamp')" absent

# A leg that was copied with dd.
need wipefs -qaf "$C"
dd if="$B" of="$C" bs=64K skip=1 seek=1 count=1 conv=notrunc,fsync status=none
udevadm settle
run mirrorbal status
contains 'a cloned leg: status' "$OUT" "both say that they are leg 1 of 'vm'"
refused 'a cloned leg: no table' 'is a copy of the other' mirrorbal table vm
check 'a cloned leg: erase' mirrorbal erase --yes "$C"

# What would wait for ever is not asked.
need dmsetup create stuck --table "0 2048 linear $K4 0"
need dmsetup suspend stuck
run timeout 60 mirrorbal status
is 'a suspended device: status goes on' "$STATUS" 2
contains 'a suspended device: it is told' "$ERR" 'is suspended and was not looked at'
need dmsetup resume stuck
mb_remove stuck
need dmsetup create half --table "0 8 error
8 $(($(sectors "$B") - 8)) linear $B 8"
run mirrorbal examine /dev/mapper/half
is 'a device that cannot be probed: status' "$STATUS" 3
contains 'a device that cannot be probed: examine does not say "nothing else"' "$OUT$ERR" 'what else cannot be told'
mb_remove half
fresh

# One disk by two paths; a disk without a name of its own.
need losetup /dev/loop0 "$A"
refused 'one disk by two paths' 'is the same disk' mirrorbal create vm --size 6M "$A" /dev/loop0
is 'one disk by two paths: no stamps' \
	"$(mirrorbal examine --json "$A" /dev/loop0 | jq -r '[.[].stamp] | join(" ")')" 'absent absent'
need losetup -d /dev/loop0
truncate -s 16M file0 file1
need losetup /dev/loop0 file0
need losetup /dev/loop1 file1
udevadm settle
run mirrorbal create vm /dev/loop0 /dev/loop1
is 'legs without names: status' "$STATUS" 0
contains 'legs without names: create warns' "$ERR" '/dev/loop0 has no name that is the same after a reboot'
udevadm settle
run mirrorbal table vm
is 'legs without names: the stamps name them' "$(grep -o '/dev/disk/by-id/mirrorbal-' <<<"$OUT" | grep -c .)" 2
need mirrorbal fail vm leg1
contains 'legs without names: what is printed holds when the stamps are gone' \
	"$(mirrorbal status vm)" '--copy-from /dev/loop0 /dev/loop0 NEW-LEG1'
mb_remove vm
need mirrorbal erase --yes /dev/loop0 /dev/loop1
udevadm settle
need losetup -d /dev/loop0
need losetup -d /dev/loop1

# The data of a former array.
need mkfs.ext4 -q -E offset=4194304 "$B" 8M
refused 'data of a former array' "ext4 filesystem, which would be overwritten" mirrorbal create vm --dry-run "$A" "$B"
check 'data of a former array: it may win' mirrorbal create vm --dry-run --copy-from "$B" "$A" "$B"
check 'data of a former array: it wins anyway' mirrorbal create vm --dry-run "$B" "$A"
run mirrorbal create vm --dry-run --wipe "$B" "$A" "$B"
is 'data of a former array: it may go' "$STATUS" 0
contains 'data of a former array: what goes is shown' "$ERR" 'ext4 filesystem of a former array (will be wiped)'
need dd if=/dev/zero of="$B" bs=1M seek=4 count=8 oflag=direct conv=notrunc status=none
udevadm settle
is 'udev: an erased leg is no leg' "$(property "$A" ID_FS_TYPE)" ''

# --- The copies ----------------------------------------------------------------------------------------------------
for layout in n2 f2 o2 n3; do
	for disk in $LEGS3; do fill "$disk"; done
	first=$(head -c 64K "$A" | md5sum)
	# shellcheck disable=SC2086
	check "$layout: create on full disks" mirrorbal create vm --layout $layout --chunk 64K --size 6M $LEGS3
	is "$layout: the first 64 KiB are nobody's" "$(head -c 64K "$A" | md5sum)" "$first"
	whole=$(content vm)
	command=$(mirrorbal table vm)
	links=$(grep -o '/dev/disk[^ ]*' <<<"$command")
	need mirrorbal stop vm
	for link in $links; do
		need bash -c "$(sed "s|$link|-|; s/create vm/create vm --readonly/" <<<"$command")"
		is "$layout: without $(basename "$link")" "$(content vm)" "$whole"
		mb_remove vm
	done
	fresh
done

fill "$A"
fill "$B"
sum_of() {
	dd if="$1" bs=1M skip=4 count=6 iflag=direct status=none | md5sum
}
b_before=$(sum_of "$B")
check 'copy-from: create' mirrorbal create vm --size 6M --copy-from "$B" "$A" "$B"
is 'copy-from: the other leg was overwritten' "$(sum_of "$A")" "$b_before"
is 'copy-from: that leg was not' "$(sum_of "$B")" "$b_before"
fresh
fill "$A"
a_before=$(sum_of "$A")
check 'assume-clean: create' mirrorbal create vm --size 6M --assume-clean "$A" "$B"
is 'assume-clean: nothing was copied' "$(sum_of "$A") $(sum_of "$B")" "$a_before $b_before"
fresh

run mirrorbal create vm "$A" "$K4"
is 'mixed block sizes: status' "$STATUS" 0
contains 'mixed block sizes: the consequence is told' "$ERR" 'the array will have 4096'
is 'mixed block sizes: the array' "$(blockdev --getss /dev/mapper/vm)" 4096
fresh

# --- Asked on a terminal -------------------------------------------------------------------------------------------
contains 'a terminal is asked' "$(tty_says n "mirrorbal create vm $A $B")" '[y/N]'
is 'no means no' "$(mirrorbal examine --json "$A" | jq -r '.[0].stamp')" absent
contains 'yes means yes' "$(tty_says y "mirrorbal create vm $A $B")" "created 'vm'"
fresh

# --- Broken off ----------------------------------------------------------------------------------------------------
need modprobe dm-delay
# slow MS: two legs, each write to which takes so long.
slow() {
	local nth=0 disk
	for disk in "$A" "$B"; do
		need dmsetup create "slow$nth" --table "0 $(sectors "$disk") delay $disk 0 0 $disk 0 $1"
		nth=$((nth + 1))
	done
	udevadm settle
}
wait_for_stamp() {
	local -i left=300
	while ((left-- > 0)); do
		[[ $(mirrorbal examine --json /dev/mapper/slow1 2>/dev/null |
			jq -r '.[0].superblock.creation_unfinished') == true ]] && return
		sleep 0.1
	done
	return 1
}
begin() {
	"${@:2}" mirrorbal create vm --size 16M --copy-from /dev/mapper/slow1 /dev/mapper/slow0 /dev/mapper/slow1 >stdout 2>stderr </dev/null &
	creating=$!
	check "$1: it has begun" wait_for_stamp
}

slow 300
# What runs in the background of a script ignores SIGINT and SIGQUIT, unless it is told otherwise.
begin interrupted env --ignore-signal=HUP --default-signal=QUIT
kill -HUP $creating
sleep 0.5
check 'an ignored SIGHUP stays ignored' kill -QUIT $creating
wait $creating
is 'interrupted: status' $? 3
contains 'interrupted: the state is told' "$(<stderr)" 'The same command can be typed again'
is 'interrupted: no device' "$(dmsetup ls --target mirrorbal | grep -c vm)" 0
is 'interrupted: no stamps' \
	"$(mirrorbal examine --json /dev/mapper/slow0 /dev/mapper/slow1 | jq -r '[.[].stamp] | join(" ")')" 'absent absent'

begin killed
kill -KILL $creating
wait $creating 2>/dev/null
run mirrorbal status vm
is 'killed: status' "$STATUS" 2
contains 'killed: it says so' "$OUT" 'creation not finished'
retry=$(grep '^ *mirrorbal [ec]' <<<"$OUT")
refused 'killed: no table' 'was not finished' mirrorbal table vm
refused 'killed: no create' 'whose creation was not finished' mirrorbal create vm /dev/mapper/slow0 /dev/mapper/slow1
contains 'killed: which copies were to win' "$ERR" 'begun with --copy-from leg1'
run mirrorbal examine --json /dev/mapper/slow0
json 'killed: which copies were to win, JSON' '.[0].superblock.creation_options' '--copy-from leg1'
mb_remove slow0
mb_remove slow1
slow 0
need dd if=/dev/urandom of="$A" bs=1M seek=4 count=6 oflag=direct conv=notrunc status=none
winner=$(sum_of "$B")
check 'killed: what status says makes it' typed "$retry"
is 'killed: the copy that was to win did' "$(sum_of "$A") $(sum_of "$B")" "$winner $winner"
mb_remove vm
mirrorbal erase --yes /dev/mapper/slow0 /dev/mapper/slow1 2>/dev/null
mb_remove slow0
mb_remove slow1

( set -o pipefail; mirrorbal create vm --size 6M "$A" "$B" 2>&1 | head -n 1 ) >stdout
contains 'a reader that goes away does not break it off' "$(dmsetup status vm)" ' AA '
is 'a reader that goes away: no stamp says "unfinished"' \
	"$(mirrorbal examine --json "$A" "$B" | jq -r '[.[].superblock.creation_unfinished] | map(tostring) | join(" ")')" \
	'false false'
fresh
run bash -c "mirrorbal create vm --size 6M $A $B >/dev/full"
is 'no room for the report: status' "$STATUS" 3
contains 'no room for the report: it says that the array runs' "$ERR" "array 'vm' was created and runs"
fresh

# --- A new disk in the place of a failed one, by the lines that status prints -------------------------------------
fill "$A"
fill "$B"
# As long as the data, without the room that create leaves behind them.
need dmsetup create short --table "0 $((8192 + 6 * 2048)) linear $D 0"
check 'replacing: create' mirrorbal create vm --size 6M --policy round-robin,65536 "$A" "$B"
need mirrorbal fail vm leg1
whole=$(content vm)
run mirrorbal status vm
lines=$(grep '^ *mirrorbal [sec]' <<<"$OUT")
check 'replacing: the lines work, the failed leg connected and the new one shorter' \
	typed "${lines//NEW-LEG1//dev/mapper/short}"
run mirrorbal status
is 'replacing: healthy, and nothing else is there' "$STATUS $(grep -c ^vm: <<<"$OUT")" '0 1'
contains 'replacing: the policy is as it was' "$OUT" 'policy round-robin'
is 'replacing: the data' "$(content vm)" "$whole"
is 'replacing: the data on the new leg' "$(sum_of /dev/mapper/short)" "$(sum_of "$A")"
mb_remove vm
mirrorbal erase --yes /dev/mapper/short 2>/dev/null
mb_remove short
fresh

# A sector that cannot be read in the middle of the copy that wins.
need dmsetup create slow0 --table "0 40000 linear $A 0
40000 8 error
40008 $(($(sectors "$A") - 40008)) linear $A 40008"
udevadm settle
refused 'an unreadable source' 'leg 0, /dev/dm-' mirrorbal create vm /dev/mapper/slow0 "$B"
contains 'an unreadable source: the sector is told' "$ERR" 'read error at sector'
is 'an unreadable source: no stamps' \
	"$(mirrorbal examine --json /dev/mapper/slow0 "$B" | jq -r '[.[].stamp] | join(" ")')" 'absent absent'
check 'an unreadable source: the other leg may win' \
	mirrorbal create vm --size 8M --copy-from "$B" /dev/mapper/slow0 "$B"
mb_remove vm
check 'a leg on device-mapper: erase' mirrorbal erase --yes /dev/mapper/slow0 "$B"
mb_remove slow0
fresh

# --- Legs that are partitions, names that two have, arrays that device-mapper alone made -------------------------------
for disk in "$A" "$D"; do
	printf '\0\0\0\0\x83\0\0\0\0\x08\0\0\0\xf0\0\0' | dd of="$disk" bs=1 seek=446 conv=notrunc,fsync status=none
	printf '\x55\xaa' | dd of="$disk" bs=1 seek=510 conv=notrunc,fsync status=none
	need blockdev --rereadpt "$disk"
done
need udevadm settle
check 'partitions: create' mirrorbal create parts "${A}p1" "${D}p1"
udevadm settle
is 'partitions: udev' "$(property "${A}p1" ID_FS_TYPE)" mirrorbal_member
need mirrorbal stop parts
udevadm settle
check 'partitions: assemble' mirrorbal assemble parts
uuid=$(mirrorbal status parts --json | jq -r '.arrays[0].uuid')
run mirrorbal assemble "$uuid"
contains 'by its UUID: it runs already' "$STATUS $ERR" "0 'parts' runs already"
udevadm settle
need mirrorbal stop parts

# Another machine's array of the same name, as far as this machine can tell: its legs were not there when that was made.
for disk in "$A" "$D"; do
	dd if="${disk}p1" of="hidden.${disk##*/}" bs=64K skip=1 count=1 iflag=direct status=none
	dd if=/dev/zero of="${disk}p1" bs=64K seek=1 count=1 oflag=direct conv=notrunc status=none
done
udevadm settle
check 'two of one name: the second is made' mirrorbal create parts "$B" "$C"
udevadm settle
need mirrorbal stop parts
for disk in "$A" "$D"; do
	dd if="hidden.${disk##*/}" of="${disk}p1" bs=64K seek=1 oflag=direct conv=notrunc status=none
done
udevadm settle
refused 'two of one name: assemble' 'name it by its UUID' mirrorbal assemble parts
run mirrorbal assemble --all
is 'two of one name: assemble --all starts neither' "$STATUS $(dmsetup ls --target mirrorbal | grep -c parts)" '3 0'
contains 'two of one name: it says why' "$ERR" 'it is started by its UUID only'
run mirrorbal status
is 'two of one name: what to type names the UUID' "$(grep -c "mirrorbal assemble [0-9a-f-]*$" <<<"$OUT")" 2
check 'two of one name: by UUID' mirrorbal assemble "$uuid"
udevadm settle
is 'two of one name: the right one' "$(dmsetup info -c --noheadings -o uuid parts)" "MIRRORBAL-$uuid"
need mirrorbal stop parts
udevadm settle
need mirrorbal erase --yes "${A}p1" "${D}p1"
for disk in "$A" "$D"; do
	need wipefs -qaf "$disk"
	need blockdev --rereadpt "$disk"
done
udevadm settle
line=$(mirrorbal table parts --json | jq -r .table)
need dmsetup create byhand --table "$line"
udevadm settle
run mirrorbal status
is 'made by dmsetup alone: it is shown once' "$STATUS $(grep -c ': ' <<<"$(grep -E '^[a-z]+: ' <<<"$OUT")")" '0 1'
mb_remove byhand
fresh
need mirrorbal create vm "$A" "$B"
need mirrorbal stop vm
need mirrorbal erase --yes "$B"
udevadm settle
refused 'a leg that was in sync is gone: no table' 'mirrorbal assemble --degraded vm' mirrorbal table vm
run mirrorbal table --degraded vm
contains 'a leg that was in sync is gone: a table when it is asked for' "$STATUS $OUT" ' - 8192 '
run mirrorbal status vm
contains 'a leg that was in sync is gone: what to do first' "$OUT" 'connect leg 1, device not found'
fresh

# --- LVM's filter --------------------------------------------------------------------------------------------------
if [[ -d /etc/lvm ]]; then
	echo 'devices { global_filter = [ "r|^/dev/mapper/hid.*|", "a|.*|" ] }' >/etc/lvm/lvmlocal.conf
	run mirrorbal create hidden --dry-run "$A" "$B"
	contains "a name that LVM's filter hides" "$ERR" "LVM's filter"
	run mirrorbal create shown --dry-run "$A" "$B"
	is "a name that it does not" "$(grep -c "LVM's filter" <<<"$ERR")" 0
	rm /etc/lvm/lvmlocal.conf
else
	skip "a name that LVM's filter hides" 'no /etc/lvm here'
fi

# --- Arrays that this command did not make -------------------------------------------------------------------------
need mb_create plain "$(mb_table n2 128 8192 "$A $B")"
run mirrorbal status plain
is 'an array by dmsetup: status' "$STATUS" 0
contains 'an array by dmsetup: its legs' "$OUT" "$B"
run mirrorbal fail plain leg1
run mirrorbal status plain --json
json 'an array by dmsetup: its failed leg is known' '.arrays[0].legs[1] | [.state, .device] | join(" ")' "failed $B"
check 'an array by dmsetup: stop' mirrorbal stop plain
# device-mapper's own way of writing a blank must survive the shell.
need dmsetup create 'a b' --table "$(mb_table n2 128 8192 "$A $B")"
run mirrorbal table 'a\x20b'
command=$OUT
mb_remove 'a b'
check 'a name that a shell would change: what table printed starts it' bash -c "$command"
check 'a name that a shell would change: stop' mirrorbal stop 'a\x20b'

diag 'Resync'

fresh
line=$(mb_table n2 128 8192 "$A $B" adaptive 0 2 resync_limit 1)
check 'an array starts whose copies may differ' mb_create vm "$line"
run mirrorbal status vm
is 'it is well' "$STATUS" 0
contains 'status tells how far resync is' "$OUT" 'healthy, resync at 0 %, 2 of 2 legs work'
contains 'of which leg' "$OUT" 'resyncing'
contains 'and what that means' "$OUT" 'the copies may differ'
run mirrorbal table vm
contains 'table starts it so again' "$OUT" '2 resync_limit 1'
run mirrorbal set vm resync off
is 'resync can be stopped' "$STATUS" 0
run mirrorbal status vm
is 'then it is degraded' "$STATUS" 1
contains 'by an order' "$OUT" 'off, by an order'
contains 'that can be taken back' "$OUT" 'mirrorbal set vm resync on'
run mirrorbal wait vm
is 'there is nothing to wait for, though it is not done' "$STATUS" 1
contains 'says wait' "$ERR" 'copies may differ'
run mirrorbal status vm --json
json 'for a machine: action' '.arrays[0].action' frozen
usage_error 'resync on or off' "'maybe'" mirrorbal set vm resync maybe
usage_error 'a limit has a unit' "'5'" mirrorbal set vm resync-limit 5
run mirrorbal stop vm
contains 'stop says how it is to be started again' "$ERR" 'dmsetup create vm'
need mb_create vm "$line"
run mirrorbal set vm resync-limit 10M
is 'resync can be limited' "$(dmsetup table vm | grep -o 'resync_limit.*')" 'resync_limit 10240'
run mirrorbal fail vm leg1 --yes
is 'a leg can be failed at it' "$STATUS" 0
need mb_remove vm
need mb_create vm "$line"
run mirrorbal set vm resync-limit none
run mirrorbal wait vm
is 'wait waits' "$STATUS" 0
contains 'and shows it' "$ERR" 'resync: '
run mirrorbal status vm
contains 'all is well then' "$OUT" 'healthy, all 2 legs in sync'
run mirrorbal wait vm
is 'and there is nothing to wait for' "$STATUS" 0
check 'the copies are the same' cmp -i 4194304 "$A" "$B"
fresh

done_testing
