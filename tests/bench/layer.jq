# SPDX-License-Identifier: GPL-2.0-only
# All rows -> the same with `pass` (a device measured again is pass 2) and `layer_ns`, the cost above the RAM disk of
# the same job. At queue depth 1 that is the difference of mean latencies, which is exact to a nanosecond or two; at
# other depths latency holds the wait in fio's own queue, so it is the difference of times an I/O.
def cost: if .queue_depth == 1 then .mean_latency_ns else .ns_per_io end;
def job: [.workload, .queue_depth];
def same: [.device, .layout, .policy, .workload, .queue_depth];

. as $rows
| [range(length) as $i | $rows[$i]
   | same as $same
   | . + {pass: (1 + ([$rows[:$i][] | select(same == $same)] | length))}]
| . as $rows
| map(job as $job
	| . + {layer_ns: (cost - ($rows[] | select(.device == "RAM disk" and .pass == 1 and job == $job) | cost))})
