#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Everything at once on two CPUs: verified load, suspension, policies, tables, status, messages, legs that fail; then an
# array torn away while it is used.
# timeout: 300
. ./lib.sh

MB=/dev/mapper/mb
ROUNDS=16
ram_disks 6 16
LEGS="$(printf '/dev/ram%s ' 0 1 2 3 4 5)"

# twice COMMAND...: two who suspend or resume at once may get in each other's way; device-mapper then tells one of them
# that it was no longer so, which is no fault.
twice() {
	"$@" 2>/dev/null || "$@"
}

suspender() {
	local nth options=('' --noflush --nolockfs)
	for ((nth = 0; nth < ROUNDS; nth++)); do
		# shellcheck disable=SC2086 # words
		twice dmsetup suspend ${options[nth % 3]} mb && twice dmsetup resume mb || return
	done
}

reloader() {
	local nth
	for ((nth = 0; nth < ROUNDS / 2; nth++)); do
		dmsetup load mb --table "$1" && twice dmsetup resume mb || return
	done
}

switcher() {
	local nth policies=(round-robin 'round-robin 4096' sequential-affinity queue-length adaptive split nearest-head)
	for ((nth = 0; nth < ROUNDS * 2; nth++)); do
		# shellcheck disable=SC2086 # words
		mb_message mb policy ${policies[nth % ${#policies[@]}]} || return
	done
}

poller() {
	local nth
	for ((nth = 0; nth < ROUNDS * 3; nth++)); do
		dmsetup status mb >/dev/null && dmsetup table mb >/dev/null && mb_message mb counters >/dev/null || return
	done
}

messenger() {
	local nth
	for ((nth = 0; nth < ROUNDS; nth++)); do
		mb_message mb write_mostly $((nth % 6)) on && mb_message mb reset_counters &&
			mb_message mb write_mostly $((nth % 6)) off || return
	done
}

# failer LEG...: each after some time has gone by.
failer() {
	local leg
	for leg; do
		for ((nth = 0; nth < ROUNDS / 4; nth++)); do
			dmsetup info mb >/dev/null
		done
		mb_message mb fail "$leg" || return
	done
}

# all_at_once LAYOUT "LEG..." HEALTH: the legs fail meanwhile.
all_at_once() {
	local table job
	local -a pids=()
	table=$(mb_table "$1" 16 0 "$LEGS")
	check "$1: starts" mb_create mb "$table"
	load_start $MB --numjobs=2 --bsrange=4k-128k --size=6M --offset_increment=8M --iodepth=8
	# shellcheck disable=SC2086 # words
	for job in suspender "reloader '$table'" switcher poller messenger "failer $2"; do
		eval "$job" >"/tmp/${job%% *}.log" 2>&1 &
		pids+=("$!:${job%% *}")
	done
	for job in "${pids[@]}"; do
		check "$1: ${job#*:} went through under load" wait "${job%%:*}" || diag "$(cat "/tmp/${job#*:}.log")"
	done
	check "$1: data was right all the time" load_stop
	is "$1: legs that failed stayed failed" "$(mb_field mb health)" "$3"
	# After all of it, what is written is what is read.
	check "$1: and is right afterwards" verified_fio --filename=$MB --size=100% --rw=randwrite --bs=64k
}

all_at_once n2 '1 4' ADAADA
mb_remove mb
all_at_once f3 '0 3' DAADAA

# ends PID: within two minutes, which is for ever; shows where it hangs.
ends() {
	timeout 120 tail --pid="$1" -f /dev/null && return
	head -n 30 "/proc/$1/task"/*/stack
	ps -L -o pid,lwp,stat,wchan:30,args "$1"
	dmsetup table mb
	dmsetup info mb
	kill -9 "$1"
	return 1
}

# Torn away: whoever used it gets errors, and nothing hangs. fio opens it anew now and then; where nothing is left by then,
# it must not make a file of that name.
for ((nth = 0; nth < 2; nth++)); do
	fio --name=torn --thread --filename=$MB --direct=1 --rw=randrw --bsrange=4k-64k --size=8M --loops=10000 --numjobs=2 \
		--ioengine=libaio --iodepth=8 --allow_file_create=0 --output=/dev/null &
	fio=$!
	until [[ $(mb_counter mb 1 writes) -gt 200 ]]; do
		kill -0 $fio 2>/dev/null || break
	done
	(for ((i = 0; i < 50; i++)); do dmsetup status mb; done) >/dev/null 2>&1 &
	poller=$!
	# Fails if it is open at that moment; its table is one that gives errors then.
	timeout 60 dmsetup remove --force mb 2>/dev/null
	is "torn away under load, $nth: dmsetup comes back" $(($? < 124)) 1
	check "torn away under load, $nth: who used it is told" ends $fio
	wait $fio
	is "torn away under load, $nth: by an error" $(($? != 0)) 1
	wait $poller
	udevadm settle
	dmsetup remove --retry mb 2>/dev/null
	check_fails "torn away under load, $nth: it is gone" dmsetup info mb
	check "torn away under load, $nth: starts again" mb_create mb "$(mb_table n3 128 0 "$LEGS")"
done
mb_remove mb
is 'nobody holds the module' "$(cat /sys/module/dm_mirrorbal/refcnt)" 0
check 'nor a leg' modprobe -r brd
check 'the module can be removed' rmmod dm-mirrorbal

done_testing
