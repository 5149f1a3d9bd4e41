#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Data lies where md raid10 puts it: what one writes, the other reads, also with a leg missing, and md's own check finds
# every copy equal after mirrorbal wrote.
# timeout: 900
. ./lib.sh

LEGS=5
LEG_KIB=5900			# not a whole number of chunks, and an odd number of the largest
MD=/dev/md127
MB=/dev/mapper/mb
PATTERN=/tmp/pattern
TO_MB=0 TO_MD=1000003		# where in the pattern each starts: two contents

# Nobody assembles what looks like md's as soon as a device is closed.
without_udev
need modprobe raid10
ram_disks $LEGS $((LEG_KIB / 1024 + 1))
need random_file $PATTERN 18

# legs COUNT [MISSING]: the first ram disks, with a word in the place of those to leave out.
legs() {
	local leg
	for ((leg = 0; leg < $1; leg++)); do
		[[ " ${2-} " == *" $leg "* ]] && echo -n "${3--} " || echo -n "/dev/ram$leg "
	done
}

# md_create LAYOUT CHUNK_KIB COUNT: a new md array over the first ram disks; sets OFFSET and LENGTH, in sectors.
md_create() {
	# shellcheck disable=SC2046 # words
	mdadm --create $MD --run --assume-clean --bitmap=none --metadata=1.2 --level=10 --layout="$1" --chunk="$2K" \
		--size=$((LEG_KIB - 1024))K --data-offset=1024K --raid-devices="$3" $(legs "$3") || return
	OFFSET=$(mdadm --examine /dev/ram0 | awk '/Data Offset/ { print $4 }')
	LENGTH=$(sectors $MD)
	[[ -n $OFFSET && $LENGTH -gt 0 ]]
}

md_stop() {
	udevadm settle
	mdadm --stop $MD
}

md_start() {
	# shellcheck disable=SC2046 # words
	mdadm --assemble $MD --run $(legs "$1")
}

# mb_start LAYOUT CHUNK_KIB COUNT [MISSING]
mb_start() {
	local leg legs=
	for leg in $(legs "$3" "${4-}"); do
		legs+=" $leg $OFFSET"
	done
	mb_create mb "0 $LENGTH mirrorbal $1 $(($2 * 2)) $3$legs nearest-head 0 1 nosync"
}

# The length that mb_length foretells is md's.
same_length() {
	local size
	size=$(mdadm --examine /dev/ram0 | awk '/(Avail|Used) Dev Size/ { size = $5 } END { print size }')
	[[ $(mb_length "$1" $(($2 * 2)) "$3" "$size") -eq $LENGTH ]] ||
		{ echo "md: $LENGTH, foretold for legs of $size: $(mb_length "$1" $(($2 * 2)) "$3" "$size")"; return 1; }
}

# All copies are equal, says md.
md_check() {
	local sys=/sys/block/${MD#/dev/}/md
	echo check >"$sys/sync_action"
	while [[ $(cat "$sys/sync_action") != idle ]]; do
		sleep 0.05
	done
	[[ $(cat "$sys/mismatch_cnt") -eq 0 ]] || { echo "mismatches: $(cat "$sys/mismatch_cnt")"; return 1; }
}

# both_ways LAYOUT CHUNK_KIB COUNT
both_ways() {
	md_create "$@" || return
	same_length "$@" || return
	fill $PATTERN $TO_MD $MD && md_stop || return
	mb_start "$@" || return
	holds $PATTERN $TO_MD $MB || { echo "mirrorbal reads something else than md wrote"; return 1; }
	fill $PATTERN $TO_MB $MB && mb_remove mb || return
	md_start "$3" || return
	holds $PATTERN $TO_MB $MD || { echo "md reads something else than mirrorbal wrote"; return 1; }
	# One chunk size is enough here: nothing else about placement differs.
	[[ $2 -ne 64 ]] || md_check
}

for layout in n2 n3 f2 f3 o2; do
	for count in 3 4 5; do
		for chunk in 4 64 512; do
			check "$layout on $count legs, chunk $chunk KiB: written by one, read by the other" \
				both_ways "$layout" "$chunk" "$count"
			mb_remove mb 2>/dev/null
			mdadm --stop $MD 2>/dev/null
		done
	done
done

# What md wrote is whole in each selection of legs that holds a copy of all; what mirrorbal writes without some legs, md
# reads without them.
without_legs() {
	local layout=$1 chunk=$2 count=$3 missing leg
	shift 3
	md_create "$layout" "$chunk" "$count" && fill $PATTERN $TO_MD $MD && md_stop || return
	for missing; do
		mb_start "$layout" "$chunk" "$count" "$missing" || return
		holds $PATTERN $TO_MD $MB || { echo "wrong without leg $missing"; return 1; }
		mb_remove mb || return
	done
	# As written last, without these legs. Their superblocks go, so that md leaves them out as well.
	mb_start "$layout" "$chunk" "$count" "$missing" && fill $PATTERN $TO_MB $MB && mb_remove mb || return
	for leg in $missing; do
		mdadm --zero-superblock "/dev/ram$leg" || return
	done
	# shellcheck disable=SC2046 # words
	mdadm --assemble $MD --run --force $(legs "$count" "$missing" '') || return
	holds $PATTERN $TO_MB $MD || { echo "md reads something else without leg $missing"; return 1; }
}

while read -r layout chunk count missing; do
	IFS=, read -r -a sets <<<"$missing"
	check "$layout on $count legs, chunk $chunk KiB: with legs missing in turn" \
		without_legs "$layout" "$chunk" "$count" "${sets[@]//+/ }"
	mb_remove mb 2>/dev/null
	mdadm --stop $MD 2>/dev/null
done <<-END
	n2 64 3 0,1,2
	n2 4 4 0+2,0+3,1+2,1+3
	n3 64 5 0+1,1+4,2+3,3
	f2 64 4 0+2,1+3,0
	f3 512 4 0+1,1+2,2+3
	o2 64 5 0+2,1+3,2+4,4
	o2 4 3 0,1,2
END

done_testing
