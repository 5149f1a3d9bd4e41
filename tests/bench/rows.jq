# SPDX-License-Identifier: GPL-2.0-only
# fio's JSON of one device -> one object a job. $device and $kernel are given.
#
# fio's clock ends a job on a whole millisecond, which its IOPS inherit; its latencies are in nanoseconds.
.jobs[]
| (.jobname / " ") as [$workload, $depth]
| (if $workload | endswith("read") then .read else .write end) as $side
| $device[0] + {
	workload: $workload,
	block_bytes: (."job options".bs | if . == "4k" then 4096 else 131072 end),
	queue_depth: ($depth | tonumber),
	ios: $side.total_ios,
	iops: ($side.iops | round),
	mib_s: ($side.bw_bytes / 1048576 * 10 | round / 10),
	ns_per_io: (1e9 / $side.iops | round),
	mean_latency_ns: ($side.lat_ns.mean | round),
	p99_latency_ns: $side.lat_ns.percentile["99.000000"],
	kernel: $kernel
}
