// SPDX-License-Identifier: GPL-2.0-only
#include "compat.h"
#include "limits.h"

/* Bios count bytes in 32 bits. */
#define MAX_RANGE_SECTORS (UINT_MAX >> SECTOR_SHIFT)

/*
 * A stripe of data: what all legs hold of it in one row. As md has it: near
 * copies take legs away from a row when they divide it evenly.
 */
static u32 stripe_chunks(const struct mb_shape *shape)
{
	if (shape->kind == MB_LAYOUT_NEAR && !(shape->legs % shape->copies))
		return shape->legs / shape->copies;
	return shape->legs;
}

/*
 * A range of the array is spread over the legs, so it may be legs / copies
 * times as long as what one leg takes at once.
 */
static u32 range_limit(const struct mb_shape *shape, u32 leg_limit)
{
	u64 limit = div_u64((u64)leg_limit * shape->legs, shape->copies);

	return min_t(u64, limit, MAX_RANGE_SECTORS);
}

void mb_set_io_hints(struct dm_target *ti, struct queue_limits *limits)
{
	const struct mb_array *array = ti->private;
	const struct mb_shape *shape = &array->layout.shape;
	u64 chunk = (u64)shape->chunk_sectors << SECTOR_SHIFT;

	limits->io_min = chunk;
	limits->io_opt = min_t(u64, chunk * stripe_chunks(shape), UINT_MAX & ~(chunk - 1));
	limits->max_hw_discard_sectors = range_limit(shape, limits->max_hw_discard_sectors);
	limits->max_discard_sectors = range_limit(shape, limits->max_discard_sectors);
	mb_limits_want_stable_writes(limits);
}
