# SPDX-License-Identifier: GPL-2.0-only
# Rows -> the report, tables with tabs between cells (align.awk sets them). $version, $size and $targets
# (see bench) are given.
def name: [.device, .layout, .policy] | map(select(. != "")) | join(" ");
def round2: (. * 100 | round) as $n
	| "\($n / 100 | floor).\($n % 100 | if . < 10 then "0\(.)" else "\(.)" end)";
def ratio($to): if $to > 0 then . / $to | round2 else "-" end;
def percent: fabs * 10000 | round / 100 | "\(.) %";

. as $all
| [.[] | select(.pass == 1)] as $rows
# A row by what it is of.
| def row($device; $layout; $policy; $workload; $depth):
	[$rows[] | select(.device == $device and .layout == $layout and .policy == $policy
		and .workload == $workload and .queue_depth == $depth)][0];
  def md($layout; $workload; $depth): row("md raid10"; $layout; ""; $workload; $depth).layer_ns;
  def linear($workload; $depth): row("dm-linear"; ""; ""; $workload; $depth).layer_ns;

# The layouts, policies and depths that were measured, in order.
  def distinct: reduce .[] as $x ([]; if index([$x]) then . else . + [$x] end);
  ([$rows[] | select(.device == "mirrorbal")]) as $ours
| ([$ours[].layout] | distinct) as $layouts
| ([$ours[].policy] | distinct) as $policies
| ([$ours[] | select(.workload == "random-read") | .queue_depth] | distinct) as $depths

| def limit_of($policy; $key): $targets[$policy][$key]? // $targets[$key];
  def limit_text($key):
	([$policies[] | select($targets[.][$key]?) | "\(.) \($targets[.][$key] | round2)"] | join(", ")) as $own
	| ($targets[$key] | round2) + (if $own == "" then "" else ", \($own)" end);
  def target($what; $workload; $key; f):
	$layouts[] as $layout | $depths[] as $depth
	| [$policies[] | row("mirrorbal"; $layout; .; $workload; $depth).layer_ns
		/ ([$layout, $depth] | f)] as $got
	| [$what, $layout, $depth, ($got[] | round2), limit_text($key),
	   (if all(range($got | length); $got[.] <= limit_of($policies[.]; $key)) then "met" else "missed" end)] | @tsv;

  def random_table($depth):
	"",
	"## Random 4 KiB, queue depth \($depth)",
	"",
	(["device", "read, ns", "layer", "of md", "of dm-linear", "write, ns", "layer", "of md"] | @tsv),
	($rows[] | select(.workload == "random-read" and .queue_depth == $depth)
	 | . as $read
	 | row(.device; .layout; .policy; "random-write"; $depth) as $write
	 | (if .layout == "" then "n2" else .layout end) as $layout
	 | [name, .ns_per_io]
	   + (if .device == "RAM disk" then ["-", "-", "-"] else
		[.layer_ns, (.layer_ns | ratio(md($layout; "random-read"; $depth))),
		 (.layer_ns | ratio(linear("random-read"; $depth)))] end)
	   + [$write.ns_per_io]
	   + (if .device == "RAM disk" then ["-", "-"] else
		[$write.layer_ns, ($write.layer_ns | ratio(md($layout; "random-write"; $depth)))] end)
	 | @tsv);

"# What mirrorbal \($version) costs",
"",
"Linux \($rows[0].kernel), four RAM disks as legs, chunk 512 KiB, fio (libaio, direct, one job). The guest's clock ticks",
"once an instruction and calls it a nanosecond: the figures are counts of instructions, do not depend on the machine,",
"and leave out cache misses. `make bench` makes them again.",
"",
"The layer cost is what a device adds to the RAM disk below it; a mirrored write's includes the second leg's own",
"write. At queue depth 1 it is the difference of mean latencies, else of times an I/O. A RAM disk is done at once, so",
"a deeper queue changes nothing here. dm-mirror has two legs; it and dm-striped are compared with md's near layout.",
"Latencies, means and 99th percentiles, stand in results.json.",
"Times an I/O are exact to \($rows | map(select(.block_bytes == 4096).ios) | min | 1e6 / . | ceil) ns, since fio ends a job on a whole millisecond.",
(if $size == "quick" then "", "This is the quick set: near layout only, queue depth 1." else empty end),
"",
"## Targets",
"",
"Layer cost of 4 KiB random I/O as a part of the peer's, each policy at its default settings.",
"",
(["layer cost", "layout", "queue depth"] + $policies + ["at most", "target"] | @tsv),
target("read, of md raid10"; "random-read"; "read_of_md"; md(.[0]; "random-read"; .[1])),
target("read, of dm-linear"; "random-read"; "read_of_linear"; linear("random-read"; .[1])),
target("write, of md raid10 without bitmap"; "random-write"; "write_of_md"; md(.[0]; "random-write"; .[1])),
random_table($depths[]),
(if any($rows[]; .workload == "sequential-read") then
	"",
	"## Sequential 128 KiB, queue depth 1",
	"",
	(["device", "read, MiB/s", "ns", "layer", "write, MiB/s", "ns", "layer"] | @tsv),
	($rows[] | select(.workload == "sequential-read")
	 | row(.device; .layout; .policy; "sequential-write"; 1) as $write
	 | (if .device == "RAM disk" then "-" else null end) as $none
	 | [name, .mib_s, .ns_per_io, $none // .layer_ns,
	    $write.mib_s, $write.ns_per_io, $none // $write.layer_ns] | @tsv),
	"",
	"RAM disks copy memory while the reader waits, one leg at a time: what legs that work at once bring does not show",
	"here."
else empty end),
"",
"## The clock repeats",
"",
"The same device made and measured again at the end of the run.",
"",
(["device", "workload", "queue depth", "mean latency, ns", "again", "difference"] | @tsv),
($all[] | select(.pass == 2)
 | row(.device; .layout; .policy; .workload; .queue_depth) as $first
 | [name, .workload, .queue_depth, $first.mean_latency_ns, .mean_latency_ns,
    ((.mean_latency_ns - $first.mean_latency_ns) / $first.mean_latency_ns | percent)] | @tsv)
