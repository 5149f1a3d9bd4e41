// SPDX-License-Identifier: GPL-2.0-only
#include "fan_out.h"

/* No part is smaller: 2 MiB take as long to pass under a head as its way there. */
#define LEAST_PART_SECTORS 4096
/* Parts begin at whole blocks of any leg: 4 KiB. */
#define BLOCK_SECTORS 8

u32 mb_fan_out_begin(struct mb_fan_out *fan_out, const struct mb_read *read)
{
	u32 parts = read->sectors / LEAST_PART_SECTORS;
	u32 part;

	fan_out->rest = 0;
	if (parts > read->nr_candidates)
		parts = read->nr_candidates;
	if (parts < 2)
		return read->sectors;
	/* The last one may be shorter. */
	part = (read->sectors / parts + BLOCK_SECTORS - 1) / BLOCK_SECTORS * BLOCK_SECTORS;
	fan_out->rest = read->sector + part;
	fan_out->end = read->sector + read->sectors;
	fan_out->part = part;
	return part;
}

void mb_fan_out_take(struct mb_fan_out *fan_out, u32 sectors)
{
	fan_out->rest += sectors;
	if (fan_out->rest >= fan_out->end)
		fan_out->rest = 0;
}
