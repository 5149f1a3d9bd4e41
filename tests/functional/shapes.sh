#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Requests and buffers of every shape, on drives of 512 and of 4096 byte blocks and a mix of both.
# guest: --nvme 32M --nvme 32M --nvme 32M:4096 --nvme 32M:4096
# file: direct-io.c
# kernels: 7.3
# timeout: 400
. ./lib.sh

MB=/dev/mapper/mb
LETTERS=AAAA
SEED=0
read -r -a NVME <<<"$LAB_NVME"

need random_file /tmp/content 64
need gcc -O2 -o direct-io direct-io.c

# alignment DEVICE: bytes to whose multiples buffers must be aligned.
alignment() {
	echo $(($(cat "/sys/class/block/$(basename "$(readlink -f "$1")")/queue/dma_alignment") + 1))
}

# shapes TEXT BLOCK DEVICE...: requests of every shape to an array of these devices, several layouts.
shapes() {
	local text=$1 block=$2 layout
	shift 2
	for layout in n2 f2 o2; do
		check "$text, $layout starts" mb_create mb "$(mb_table $layout 128 0 "$*")" || continue
		is "$text, $layout: logical block of the array" "$(blockdev --getss $MB)" "$block"
		need fill /tmp/content 0 $MB
		check "$text, $layout: requests from one block to 4 MiB, in up to 200 pieces" \
			./direct-io $MB "$block" "$(alignment $MB)" 16 150 $((++SEED))
		check "$text, $layout: from one block to 4 MiB, at any block, many at a time" \
			verified_fio --filename=$MB --bsrange="$block-4M" --blockalign="$block" --size=100%
		check "$text, $layout: all copies are equal" copies_equal mb 2 $#
		is "$text, $layout: all legs are well" "$(mb_field mb health)" "${LETTERS:0:$#}"
		check "$text, $layout stops" mb_remove mb
	done
}

ram_disks 3 16
shapes 'RAM disks' 512 /dev/ram0 /dev/ram1 /dev/ram2
shapes 'NVMe of 512 bytes' 512 "${NVME[0]}" "${NVME[1]}"
shapes 'NVMe of 512 and 4096 bytes' 4096 "${NVME[0]}" "${NVME[1]}" "${NVME[2]}" "${NVME[3]}"

# A block in more pieces than a drive takes may be refused: by the kernel before it reaches a leg, or by each leg. That is
# its owner's mistake, and no leg's.
need dmsetup create linear --table "0 $(sectors "${NVME[0]}") linear ${NVME[0]} 0"
need udevadm settle
./direct-io --cut /dev/mapper/linear 512 4
linear=$?
need dmsetup remove --retry linear
diag "a block in 128 pieces to dm-linear: status $linear"
check 'an array of two NVMe disks starts' mb_create mb "$(mb_table n2 128 0 "${NVME[0]} ${NVME[1]}")"
./direct-io --cut $MB 512 4
array=$?
is 'a block in 128 pieces: the array takes it, or dm-linear refuses it too' $((array == 0 || (array == 3 && linear == 3))) 1
is 'and no leg has failed' "$(mb_field mb health)" AA
is 'nor is it counted against one' "$(mb_counter mb 0 write_errors) $(mb_counter mb 1 write_errors)" '0 0'
check 'it stops' mb_remove mb

done_testing
