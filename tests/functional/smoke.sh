#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The main paths, on the kernels that the other tests do not run on.
# guest: --nvme 32M --nvme 32M
# kernels: 6.1 7.3
# debug: yes
# timeout: 300
. ./lib.sh

MB=/dev/mapper/mb
read -r -a NVME <<<"$LAB_NVME"
need random_file /tmp/content 20
ram_disks 3 8

for layout in n2 f2 o2; do
	check "$layout starts" mb_create mb "$(mb_table $layout 16 8 '/dev/ram0 /dev/ram1 /dev/ram2')"
	check "$layout: written and verified" verified_fio --filename=$MB --size=4M --bsrange=512-64k
	mb_message mb policy round-robin
	need fill /tmp/content 0 $MB
	check "$layout: read back" holds /tmp/content 0 $MB
	mb_message mb fail 1
	is "$layout: a leg has failed" "$(mb_field mb health)" ADA
	check "$layout: read back without it" holds /tmp/content 0 $MB
	table=$(dmsetup table mb)
	mb_remove mb
	check "$layout: starts again by the printed table" mb_create mb "$table"
	is "$layout: without the leg" "$(mb_field mb health)" A-A
	check "$layout: read back" holds /tmp/content 0 $MB
	mb_remove mb
done

need bad_leg leg0 /dev/ram0 2000 8
need bad_leg leg1 /dev/ram1
check 'an array with a bad sector starts' mb_create mb "$(mb_table n2 128 0 '/dev/mapper/leg0 /dev/mapper/leg1')"
mb_message mb write_mostly 1 on
is 'a leg is write-mostly' "$(mb_field mb marks)" .w
bad_leg leg0 /dev/ram0
need fill /tmp/content 0 $MB
bad_leg leg0 /dev/ram0 2000 8
check 'what a leg cannot read is read from the other' holds /tmp/content 0 $MB
is 'and counted' $(($(mb_counter mb 0 read_errors) > 0 && $(mb_counter mb 1 redirected_reads) > 0)) 1
load_start $MB --size=512K
check 'the table is loaded again under load' mb_reload mb "$(dmsetup table mb)"
check 'suspended and resumed' suspend_and_resume mb
check 'with nothing lost or wrong' load_stop
is 'errors are remembered' $(($(mb_counter mb 0 read_errors) > 0)) 1
bad_leg leg1 /dev/ram1 0 8
was=$(dmsetup info -c --noheadings -o events mb)
check 'a leg that cannot be written fails alone' dd if=/dev/zero of=$MB bs=4K count=1 oflag=direct status=none
is 'and is shown' "$(mb_field mb health)" AD
check 'and an event was raised' timeout 60 dmsetup wait mb "$was"
check_fails 'what no leg can read is an error' dd if=$MB bs=4K skip=250 count=1 iflag=direct of=/dev/null status=none
mb_remove mb

check 'an array of NVMe disks starts' mb_create mb "$(mb_table n2 128 8192 "${NVME[*]}")"
check 'written and verified' verified_fio --filename=$MB --size=4M --bsrange=512-256k --ioengine=io_uring
check 'ext4 on it' mkfs.ext4 -q $MB
check 'a flush' xfs_io -c fsync $MB
check 'zeroes' blkdiscard -z $MB
check 'are there' cmp -n "$(blockdev --getsize64 $MB)" $MB /dev/zero
before=$(disk_stat "${NVME[0]}" discards)
check 'a discard' blkdiscard $MB
is 'reaches the legs' $(($(disk_stat "${NVME[0]}" discards) > before)) 1
queue=/sys/class/block/$(basename "$(readlink -f $MB)")/queue
is 'pages are stable' "$(cat "$queue/stable_writes")" 1
is 'sizes are told' "$(cat "$queue/minimum_io_size" "$queue/optimal_io_size" | xargs)" '65536 65536'
check 'what may not wait' xfs_io -d -c 'pwrite -N -V 1 -b 4096 0 4096' $MB
is 'legs are well' "$(mb_field mb health)" AA
mb_remove mb

contains 'a wrong table is refused with the reason' "$(mb_error "0 8192 mirrorbal x2 128 2 /dev/ram0 0 /dev/ram1 0")" "layout is 'x2'"
is 'nobody holds the module' "$(cat /sys/module/dm_mirrorbal/refcnt)" 0
check 'it can be removed' rmmod dm-mirrorbal

done_testing
