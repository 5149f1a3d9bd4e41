# SPDX-License-Identifier: GPL-2.0-only
# Rows of simulated drives -> lines for one of the plots, by $plot: names and numbers apart by tabs, blocks apart by two
# empty lines, each under its name.
def block($name; f): "\"\($name)\"", f, "", "";
def of($device; $policy): select(.drives == "spinning" and .device == $device and .policy == $policy);
def policies: ["adaptive", "split", "nearest-head", "sequential-affinity", "queue-length", "round-robin"];

[.[] | select(.drives)] as $rows
| if $plot == "depth" then
	def depths($device; $policy): $rows | map(of($device; $policy) | select(.layout == "n4" and .legs == 4
		and .workload == "random-read")) | sort_by(.queue_depth)[] | [.queue_depth, .iops] | @tsv;
	(policies[] as $policy | block($policy; depths("mirrorbal"; $policy))), block("md raid10"; depths("md raid10"; ""))
  elif $plot == "readers" then
	# Layouts in the order in which they came.
	(reduce ($rows[] | of("md raid10"; "") | select(.workload == "readers" and .readers == 1)) as $row
		([]; . + [[$row.layout, $row.legs]]))[] as [$layout, $legs]
	| def one($device; $policy): first($rows[] | of($device; $policy) | select(.layout == $layout and .legs == $legs
		and .workload == "readers" and .readers == 1) | .mb_s) // 0;
	  ["\($layout) on \($legs)", one("md raid10"; ""), one("mirrorbal"; "adaptive")] | @tsv
  elif $plot == "slow" then
	$rows[] | select(.workload == "failing-slow") | [.second, .leg0, .leg1, .p99_latency_ns / 1000] | @tsv
  else
	(["n2", 2], ["n2", 4], ["n4", 4]) as [$layout, $legs]
	| block("\($layout) on \($legs)"; $rows | map(select(.drives == "spinning" and .layout == $layout and .legs == $legs
		and .workload == "readers" and .readers == 1 and (.policy | startswith("adaptive:"))
		and .policy != "adaptive:0"))
		| sort_by(.policy | ltrimstr("adaptive:") | tonumber)[]
		| [(.policy | ltrimstr("adaptive:") | tonumber / 2048), .mb_s] | @tsv)
  end
