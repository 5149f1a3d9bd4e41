# SPDX-License-Identifier: GPL-2.0-only
# Rows -> lines for the plot, last device first: name, kind (1 device-mapper, 2 md, 3 mirrorbal), layer cost of a read and
# of a write, and how much a read and a write of mirrorbal may cost. $targets (see bench) is given.
def name: [.device, .layout, .policy] | map(select(. != "")) | join(" ");
def kind: if .device == "mirrorbal" then 3 elif .device == "md raid10" then 2 else 1 end;

[.[] | select(.pass == 1 and .queue_depth == 1 and .device != "RAM disk")] as $rows
| def cost($device; $workload):
	[$rows[] | select(.device == $device and .workload == $workload)][0].layer_ns;
  ([$targets.read_of_md * cost("md raid10"; "random-read"),
    $targets.read_of_linear * cost("dm-linear"; "random-read")] | min) as $read_limit
| ($targets.write_of_md * cost("md raid10"; "random-write")) as $write_limit
| [$rows[] | select(.workload == "random-read")]
| reverse[]
| . as $read
| ($rows[] | select(.workload == "random-write" and name == ($read | name))) as $write
| [($read | name), ($read | kind), $read.layer_ns, $write.layer_ns, $read_limit, $write_limit]
| @tsv
