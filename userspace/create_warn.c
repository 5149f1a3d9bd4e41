// SPDX-License-Identifier: GPL-2.0-only
#include "create.h"
#include "lvm_filter.h"
#include "say.h"
#include "size.h"

static void warn_same_disk(const struct creation *creation)
{
	u32 leg, other;

	for (leg = 0; leg < creation->shape.legs; leg++)
		for (other = 0; other < leg; other++)
			if (creation->legs[leg].device->disk == creation->legs[other].device->disk)
				say_warning("legs %u and %u are partitions of one disk: they fail together",
					    other, leg);
}

static void warn_block_sizes(const struct creation *creation)
{
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++) {
		const struct device *device = creation->legs[leg].device;

		if (device->logical_block == creation->logical_block)
			continue;
		say_warning("%s has blocks of %u bytes, another leg of %u: the array will have %u, and a filesystem or a disk image made for %u cannot be used on it. An NVMe disk may be formatted to the other size (`nvme format --lbaf`)",
			    device->node, device->logical_block, creation->logical_block,
			    creation->logical_block, device->logical_block);
		return;
	}
}

static void warn_unused(const struct creation *creation)
{
	char unused[SIZE_TEXT_LEN];
	u32 leg;

	if (creation->size_limit)
		return;
	for (leg = 0; leg < creation->shape.legs; leg++) {
		u64 used = mb_layout_leg_sectors(&creation->layout, leg);
		u64 usable = creation->legs[leg].usable;

		if (usable - used > usable / 10)
			say_warning("%s of %s stay unused: another leg is smaller",
				    size_text(unused, (usable - used) << 9),
				    creation->legs[leg].device->node);
	}
}

/* udev makes it a link once it is stamped; that needs the rule to be in place. */
static void warn_unstable_names(const struct creation *creation)
{
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++)
		if (!creation->legs[leg].device->link)
			say_warning("%s has no name that is the same after a reboot; as a leg it gets one by its stamp, /dev/disk/by-id/mirrorbal-..., if udev has mirrorbal's rule",
				    creation->legs[leg].device->node);
}

void creation_warn(const struct creation *creation)
{
	warn_same_disk(creation);
	warn_block_sizes(creation);
	warn_unused(creation);
	warn_unstable_names(creation);
	if (lvm_filter_hides(creation->name))
		say_warning("LVM's filter or devices file (lvm.conf, lvmdevices) hides /dev/mapper/%s: pvcreate will not find it. Choose a name that it accepts, or let it accept this one",
			    creation->name);
}
