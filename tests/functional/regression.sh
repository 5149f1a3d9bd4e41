#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Nothing got slower: some rows of the benchmark, by the instruction clock, beside those of the committed run
# (docs/bench/results.json). Who makes a row worse on purpose commits a new run with it.
# guest: --icount --memory 4096
# module: tests/spindle
# file: ../bench/drives
# file: ../bench/measure
# file: ../../docs/bench/results.json
# timeout: 900
. ./lib.sh

# Per cent by which a row may be worse.
TOLERANCE=3

need test -s results.json

# What an I/O costs above the RAM disk, in instructions: reads and writes of 4 KiB.
check 'the cost is measured' bash ./measure regression
for workload in random-read random-write; do
	committed=$(jq --arg workload $workload 'first(.[] | select(.device == "mirrorbal" and .layout == "n2" and
		.policy == "adaptive" and .workload == $workload and .queue_depth == 1 and .pass == 1)).layer_ns' results.json)
	cost=$(jq -s --arg workload "$workload 1" 'map(.jobs[] | select(.jobname == $workload)
		| if $workload | startswith("random-read") then .read else .write end | .lat_ns.mean) | .[1] - .[0] | round' \
		out/01.json out/02.json)
	is "$workload: $cost instructions, committed $committed" \
		"$((cost * 100 <= committed * (100 + TOLERANCE)))" 1
done
need rmmod brd

check 'arrays on drives are measured' bash ./drives regression
while IFS=$'\t' read -r name got committed; do
	is "$name: $got, committed $committed" \
		"$(jq -n "$got * 100 >= $committed * (100 - $TOLERANCE)")" true
done < <(jq -r --slurpfile committed results.json '
	def key: [.drives, .device, .layout, .legs, .policy, .workload, .queue_depth, .readers];
	. as $row
	| (first($committed[0][] | select(.drives and key == ($row | key))) // {}) as $same
	| [([.layout, "on", .legs, .workload, .queue_depth // .readers] | map(tostring) | join(" ")),
	   (.iops // .mb_s), ($same | .iops // .mb_s // 0)]
	| @tsv' out/drives.jsonl)
is 'rows that the committed run has' "$(jq -s --slurpfile committed results.json '
	def key: [.drives, .device, .layout, .legs, .policy, .workload, .queue_depth, .readers];
	map(key as $key | [$committed[0][] | select(.drives and key == $key)] | length > 0) | all' out/drives.jsonl)" true

done_testing
