# SPDX-License-Identifier: GPL-2.0-only
# Rows of arrays on simulated drives -> their part of the report, tables with tabs between cells (align.awk sets them).
# $published: the rows of 2016, $kernel.
def round2: (. * 100 | round) as $n
	| "\($n / 100 | trunc).\($n % 100 | if . < 10 then "0\(.)" else "\(.)" end)";
def fixed: ["nearest-head", "round-robin", "sequential-affinity", "queue-length", "split"];
def policies: ["adaptive"] + fixed;

[.[] | select(.drives)] as $rows
# One number, or null if it was not measured.
| def value($drives; $device; $layout; $legs; $policy; $workload; $count; $field):
	first($rows[] | select(.drives == $drives and .device == $device and .layout == $layout and .legs == $legs
		and .policy == $policy and .workload == $workload
		and ($count == null or (.queue_depth // .readers // .mib) == $count)) | .[$field]) // null;
  def md($layout; $legs; $workload; $count; $field):
	value("spinning"; "md raid10"; $layout; $legs; ""; $workload; $count; $field);
  def ours($layout; $legs; $policy; $workload; $count; $field):
	value("spinning"; "mirrorbal"; $layout; $legs; $policy; $workload; $count; $field);
  def single($workload; $count; $field):
	value("spinning"; "one drive"; ""; 1; ""; $workload; $count; $field);
  def text: if . == null then "-" else tostring end;
  def per($base): if . == null or $base == null or $base == 0 then null else . / $base end;
  # A line of the table of targets.
  def line($what; $got; $base_name; $base; $at_least):
	($got | per($base)) as $ratio
	| if $ratio == null then empty else
		[$what, ($got | text), $base_name, ($base | text), ($ratio | round2), ($at_least | round2),
		 (if ($ratio * 100 | round) >= ($at_least * 100 | round) then "met" else "missed" end)] | @tsv end;
  def random_of_md($layout; $legs; $depth; $at_least):
	line("\($layout) on \($legs), random, QD \($depth)"; ours($layout; $legs; "adaptive"; "random-read"; $depth; "iops");
		"md \($layout)"; md($layout; $legs; "random-read"; $depth; "iops"); $at_least);
  def readers($layout; $legs; $count; $at_least):
	line("\($layout) on \($legs), \($count) reader\(if $count > 1 then "s" else "" end)";
		ours($layout; $legs; "adaptive"; "readers"; $count; "mb_s"); "one drive"; single("readers"; 1; "mb_s");
		$at_least);
  def resync($layout; $legs):
	line("\($layout) on \($legs), resync, what each leg transfers"; ours($layout; $legs; "adaptive"; "resync"; null;
		"leg_mb_per_second"); "one drive, written"; single("streaming-write"; null; "mb_per_second"); 0.9);
  def beside_resync($layout):
	ours($layout; 2; "adaptive"; "random-read"; 1; "p99_latency_ns") as $before
	| line("\($layout) on 2, random, QD 1: p99 without a resync"; $before; "with one";
		ours($layout; 2; "adaptive"; "random-read-beside-resync"; 1; "p99_latency_ns"); 0.67);
  # With larger windows, and the read-ahead that comes with them.
  def ahead($layout; $legs; $far; $at_least):
	ours($layout; $legs; "adaptive:32768"; "long-reader"; null; "mb_s") as $mb_s
	| line("\($layout) on \($legs), one reader, windows of 16 MiB"; $mb_s; "one drive";
		single("long-reader"; null; "mb_s"); $at_least),
	  line("\($layout) on \($legs), one reader, windows of 16 MiB"; $mb_s; "md \($far)";
		md($far; $legs; "long-reader"; null; "mb_s"); 0.85);
  def best_fixed($drives; $layout; $legs; $workload; $count; $field):
	[fixed[] as $policy | value($drives; "mirrorbal"; $layout; $legs; $policy; $workload; $count; $field)
		| values] | max;
  def of_best($what; $drives; $layout; $legs; $workload; $count; $field):
	line($what; value($drives; "mirrorbal"; $layout; $legs; "adaptive"; $workload; $count; $field);
		"best fixed policy"; best_fixed($drives; $layout; $legs; $workload; $count; $field); 0.98);

"",
"# On simulated drives",
"",
"Drives of 6 TB at 7,200 rpm (`tests/spindle`), calibrated by what was measured of real ones in 2016; 83 % of an array",
"are in use, of those on three drives 55 %. Chunk 512 KiB, md raid10 without a bitmap, both as they come. Random reads are 4 KiB, direct; readers are",
"buffered, 1 MiB at a time, 1.6 GB in all. The guest's processor does one instruction a nanosecond: a page of",
"buffered data costs it 5 us, so that readers end at about 800 MB/s whatever the drives could do.",
"",
"## Targets on drives",
"",
"MB/s of readers, else I/O a second; mirrorbal with `adaptive`.",
"",
(["workload", "mirrorbal", "beside", "has", "ratio", "at least", "target"] | @tsv),
random_of_md("n4"; 4; 1; 1.38), random_of_md("n4"; 4; 2; 1.28), random_of_md("n4"; 4; 4; 1.03),
random_of_md("n4"; 4; 8; 1.03), random_of_md("n4"; 4; 32; 1.12), random_of_md("n4"; 4; 128; 1.12),
random_of_md("n2"; 2; 1; 1.22), random_of_md("n2"; 2; 4; 1.08), random_of_md("n2"; 2; 32; 1.12),
((1, 4, 32) as $depth | line("n2 on 2, random, QD \($depth)"; ours("n2"; 2; "adaptive"; "random-read"; $depth; "iops");
	"md f2"; md("f2"; 2; "random-read"; $depth; "iops"); 0.98)),
random_of_md("n2"; 4; 32; 1.10),
readers("n2"; 2; 1; 1.7), readers("n2"; 4; 1; 2.8), readers("n4"; 4; 1; 2.5),
ahead("n2"; 2; "f2"; 1.85), ahead("n2"; 4; "f2"; 3.5), ahead("n4"; 4; "f4"; 3.4),
readers("n2"; 2; 2; 1.95), readers("n2"; 4; 4; 3.4), readers("n4"; 4; 4; 3.6), readers("n2"; 2; 4; 1.75),
line("n4 on 4, a reader beside random QD 4: the reader"; ours("n4"; 4; "adaptive"; "reader-beside-random"; 4; "mb_s");
	"one drive"; single("readers"; 1; "mb_s"); 0.8),
line("n4 on 4, a reader beside random QD 4: random"; ours("n4"; 4; "adaptive"; "reader-beside-random"; 4; "iops");
	"three legs"; ours("n3"; 3; "adaptive"; "random-read"; 4; "iops"); 0.9),
line("n4 on 4, faults of a mapped device"; ours("n4"; 4; "adaptive"; "mmap-faults"; null; "iops");
	"md n4"; md("n4"; 4; "mmap-faults"; null; "iops"); 1),
((128, 512) as $mib | line("n4 on 4, XFS, faults of a mapped file of \($mib) MiB";
	ours("n4"; 4; "adaptive"; "file-faults"; $mib; "iops"); "md n4"; md("n4"; 4; "file-faults"; $mib; "iops"); 1)),
line("n4 on 4, XFS, programs started a second, cold"; ours("n4"; 4; "adaptive"; "program-starts"; null; "iops");
	"md n4"; md("n4"; 4; "program-starts"; null; "iops"); 1),
((1, 4, 8, 32, 128) as $depth
	| of_best("n4 on 4, random, QD \($depth)"; "spinning"; "n4"; 4; "random-read"; $depth; "iops")),
((8, 32) as $depth | of_best("n4 on 4, 70 % reads, QD \($depth)"; "spinning"; "n4"; 4; "mixed-70-30"; $depth; "iops")),
((1, 4, 32) as $depth | of_best("n2 on 2, random, QD \($depth)"; "spinning"; "n2"; 2; "random-read"; $depth; "iops")),
of_best("n2 on 2, 70 % reads, QD 8"; "spinning"; "n2"; 2; "mixed-70-30"; 8; "iops"),
((4, 32) as $depth | of_best("n2 on 4, random, QD \($depth)"; "spinning"; "n2"; 4; "random-read"; $depth; "iops")),
((1, 4) as $count | of_best("n4 on 4, \($count) readers"; "spinning"; "n4"; 4; "readers"; $count; "mb_s")),
((1, 2) as $count | of_best("n2 on 2, \($count) readers"; "spinning"; "n2"; 2; "readers"; $count; "mb_s")),
((1, 4) as $count | of_best("n2 on 4, \($count) readers"; "spinning"; "n2"; 4; "readers"; $count; "mb_s")),
of_best("f4 on 4, one reader, 4 KiB"; "spinning"; "f4"; 4; "sequential-4k"; null; "mb_s"),
of_best("n2 on 3, one reader, 4 KiB"; "spinning"; "n2"; 3; "sequential-4k"; null; "mb_s"),
(("n2", "f2") as $layout | (2, 4) as $legs | resync($layout; $legs)), (("n2", "f2") as $layout | beside_resync($layout)),
line("one SSD and one HDD, random, QD 1"; value("mixed"; "mirrorbal"; "n2"; 2; "adaptive"; "random-read"; 1; "iops");
	"the SSD"; value("mixed"; "one drive"; ""; 1; ""; "random-read"; 1; "iops"); 0.95),
line("one SSD and one HDD, random, QD 8"; value("mixed"; "mirrorbal"; "n2"; 2; "adaptive"; "random-read"; 8; "iops");
	"the SSD"; value("mixed"; "one drive"; ""; 1; ""; "random-read"; 8; "iops"); 0.95),
line("solid legs of 200 and 800 us, random, QD 32";
	value("unequal"; "mirrorbal"; "n2"; 2; "adaptive"; "random-read"; 32; "iops"); "both alone";
	([("fast alone", "slow alone") as $drives | value($drives; "one drive"; ""; 1; ""; "random-read"; 32; "iops")
		| values] | add); 0.95),
line("the same, QD 1: reads of the fast leg, %";
	value("unequal"; "mirrorbal"; "n2"; 2; "adaptive"; "share-of-leg-0"; 1; "percent"); "all"; 100; 0.95),
((1, 32) as $depth | value("NVMe"; "mirrorbal"; "n2"; 2; "adaptive"; "share-of-leg-0"; $depth; "percent")
	| values | line("two equal solid legs, QD \($depth): the lesser share, %"; [., 100 - .] | min; "half"; 50; 0.98)),

# Everything that was also measured on a bare drive; of unlike drives the fast one is that, and fixed policies are not asked.
([$rows[] | select(.device == "mirrorbal" and (.policy as $policy | policies | index($policy)))
	| select(.drives != "mixed" or .policy == "adaptive")
	| . as $row | (.queue_depth // .readers // .mib) as $count
	| ("mb_s", "iops") as $field
	# A row may have both: of one reader they are the same figure, of a reader beside others two.
	| select(.[$field] and ($field == "mb_s" or .workload != "sequential-4k"))
	| value($row.drives; "one drive"; ""; 1; ""; $row.workload; $count; $field) as $bare
	| select($bare)
	| {row: $row, count: $count, bare: $bare, got: $row[$field], ratio: ($row[$field] | per($bare))}]) as $beside_bare
| "",
"## No worse than one bare drive",
"",
"\($beside_bare | length) results of arrays, by all policies, have one of a bare drive with the same workload beside them. Those below 0.97 of it:",
"",
(["array", "policy", "workload", "", "mirrorbal", "one drive", "ratio"] | @tsv),
($beside_bare | map(select(.ratio < 0.97)) | sort_by(.ratio)[]
	| ["\(.row.layout) on \(.row.legs), \(.row.drives)", .row.policy, .row.workload, (.count | text), .got, .bare,
	   (.ratio | round2)] | @tsv),

(if any($rows[]; .workload == "failing-slow") then
	([$rows[] | select(.workload == "failing-slow")]) as $seconds
	| ([$seconds[] | select(.second >= 1 and .second < 6) | .p99_latency_ns] | max) as $well
	| "",
	"## A leg turns ten times slower",
	"",
	"Two solid legs, random reads at queue depth 4; leg 0 is slow from second 6 to second 13.",
	"",
	(["second", "reads of leg 0", "of leg 1", "p99, us"] | @tsv),
	($seconds[] | [.second, .leg0, .leg1, (.p99_latency_ns / 1000 | round)] | @tsv),
	"",
	"p99 is at most \([$seconds[] | select(.second >= 7 and .second < 14) | .p99_latency_ns] | max / $well | round2) times that of healthy legs from the second second on (1.3 is asked)."
else empty end),

"",
"## Random reads by policy",
"",
(["array", "QD", "md raid10"] + policies | @tsv),
([$rows[] | select(.drives == "spinning" and .device == "md raid10" and .workload == "random-read")
	| [.layout, .legs, .queue_depth]] | unique | .[]
	| . as [$layout, $legs, $depth]
	| ["\($layout) on \($legs)", $depth, (md($layout; $legs; "random-read"; $depth; "iops") | text)]
	  + [policies[] as $policy | ours($layout; $legs; $policy; "random-read"; $depth; "iops") | text] | @tsv),

"",
"## Readers by policy",
"",
"MB/s of all of them; one drive alone gives \(single("readers"; 1; "mb_s") | text).",
"",
(["array", "readers", "md raid10"] + policies | @tsv),
([$rows[] | select(.drives == "spinning" and .device == "md raid10" and .workload == "readers")
	| [.layout, .legs, .readers]] | unique | .[]
	| . as [$layout, $legs, $count]
	| ["\($layout) on \($legs)", $count, (md($layout; $legs; "readers"; $count; "mb_s") | text)]
	  + [policies[] as $policy | ours($layout; $legs; $policy; "readers"; $count; "mb_s") | text] | @tsv),

(if any($rows[]; .workload == "mixed-70-30") then
	"",
	"## Seven reads and three writes in ten, by policy",
	"",
	(["array", "QD", "md raid10"] + policies | @tsv),
	([$rows[] | select(.device == "md raid10" and .workload == "mixed-70-30") | [.layout, .legs, .queue_depth]]
		| unique | .[]
		| . as [$layout, $legs, $depth]
		| ["\($layout) on \($legs)", $depth, (md($layout; $legs; "mixed-70-30"; $depth; "iops") | text)]
		  + [policies[] as $policy | ours($layout; $legs; $policy; "mixed-70-30"; $depth; "iops") | text] | @tsv)
else empty end),

(if any($rows[]; .workload == "sequential-4k") then
	"",
	"## What was published in 2016",
	"",
	"By a reader of linux-raid, of 6 TB SAS drives and of NVMe drives, before and after md's near layout learnt to choose the",
	"nearest head. In sequence: one buffered reader, 4 KiB at a time, MB/s; random: 4 KiB, one at a time.",
	"",
	(["array", "", "published before", "after", "here: md"] + policies | @tsv),
	($published | group_by(.name)[] | (.[0].name) as $name
		| ($name | ltrimstr("NVME-")) as $array
		| (if $name | startswith("NVME-") then "NVMe" else "spinning" end) as $drives
		| ($array | split("-")) as $parts
		| (if $array == "Single" then ["one drive", "", 1] elif $parts[0] == "RAID1" then ["md raid1", "", 4]
			else ["md raid10", $parts[2], ($parts[1] | tonumber)] end) as [$device, $layout, $legs]
		| (.[] | select(.patch == "before" and .pattern == "seq")) as $seq_before
		| (.[] | select(.patch == "after" and .pattern == "seq")) as $seq_after
		| (.[] | select(.patch == "before" and .pattern == "random")) as $random_before
		| (.[] | select(.patch == "after" and .pattern == "random")) as $random_after
		| ([$name, "in sequence", ($seq_before.bw_kib_s * 1.024 / 1000 | round),
		    ($seq_after.bw_kib_s * 1.024 / 1000 | round),
		    (value($drives; $device; $layout; $legs; ""; "sequential-4k"; null; "mb_s") | text)]
		   + [policies[] as $policy
		      | value($drives; "mirrorbal"; $layout; $legs; $policy; "sequential-4k"; null; "mb_s") | text] | @tsv),
		  ([$name, "random", $random_before.iops, $random_after.iops,
		    (value($drives; $device; $layout; $legs; ""; "random-read"; 1; "iops") | text)]
		   + [policies[] as $policy
		      | value($drives; "mirrorbal"; $layout; $legs; $policy; "random-read"; 1; "iops") | text] | @tsv))
else empty end)
