#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Data comes back as it was written, by every policy over every layout. Afterwards every copy holds the same.
# timeout: 600
. ./lib.sh

MB=/dev/mapper/mb
POLICIES=(nearest-head round-robin sequential-affinity queue-length split adaptive)
# verified POLICY [FIO OPTION]...: writes and reads by this policy.
verified() {
	local policy=$1
	shift
	mb_message mb policy "$policy" || return
	verified_fio --filename=$MB --bsrange=4k-64k --size=100% --verify_interval=4k "$@" || return
	[[ $(mb_field mb policy) == "$policy" ]]
}

# layout LAYOUT CHUNK LEGS: all of it, over RAM disks.
layout() {
	local layout=$1 chunk=$2 count=$3 nth legs
	legs=$(printf '/dev/ram%s ' $(seq 0 $((count - 1))))
	check "$layout on $count legs starts" mb_create mb "$(mb_table "$layout" "$chunk" 8 "$legs")" || return
	nth=$((TURN++ % ${#POLICIES[@]}))
	check "$layout on $count legs: written and verified by ${POLICIES[nth]}" \
		verified "${POLICIES[nth]}" --rw=randwrite --ioengine=io_uring
	for ((nth = 0; nth < ${#POLICIES[@]}; nth++)); do
		check "$layout on $count legs: verified by ${POLICIES[nth]}" \
			verified "${POLICIES[nth]}" --rw=randread
	done
	check "$layout on $count legs: all copies are equal" copies_equal mb "${layout:1}" "$count"
	is "$layout on $count legs: all legs are well" "$(mb_field mb health)" "${LETTERS:0:count}"
	check "$layout on $count legs stops" mb_remove mb
}

without_udev
LETTERS=AAAAAAAA
TURN=0
ram_disks 5 4
while read -r words; do
	# shellcheck disable=SC2086
	layout $words
done <<-END
	n2 128 2
	n2 8 3
	n3 16 5
	f2 128 4
	f3 16 5
	o2 32 3
	o3 8 5
END

done_testing
