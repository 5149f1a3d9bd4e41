# SPDX-License-Identifier: GPL-2.0-only
# Rows of the homelab's job -> their part of the report, tables with tabs between cells (align.awk sets them).
# Published in 2022: reads and writes a second, and the systems that they were measured on.
def published: {
	"NVMe one disk": [80200, 26800], "VirtIO one disk": [51000, 17100],
	"NFS on RAID6, spinning one file": [22500, 7508], "spinning md raid6 on 6": [1387, 463]
};

[.[] | select(.homelab)] as $rows
| if ($rows | length) == 0 then empty else
"",
"# The job of a homelab",
"",
"4 KiB, three reads to one write, 64 at a time, over 1 GiB: what the owner of a homelab ran in 2022 on four systems,",
"ended here after 128 MiB. The NVMe and VirtIO disks are QEMU's: what they take is taken on the host, so that these rows",
"change by a tenth from run to run, and say what drivers and layers cost rather than what such disks can do. The others",
"are on simulated drives. RAID6 is on six of them; NFS is the kernel's server over loopback, exported `async`, with ext4.",
"",
(["system", "", "reads/s", "writes/s", "published reads/s", "writes/s"] | @tsv),
($rows[] | published["\(.homelab) \(.device)"] as $was
	| [.homelab, .device, .read_iops, .write_iops, ($was[0] // "-"), ($was[1] // "-")] | @tsv)
end
