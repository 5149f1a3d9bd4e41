// SPDX-License-Identifier: GPL-2.0-only
#include "solid.h"

struct spindle_solid_shape spindle_solid_defaults(void)
{
	return (struct spindle_solid_shape){
		.read_ns = 80000,
		.write_ns = 20000,
		.jitter_ns = 8000,
		.units = 32,
		.sector_ns = 170,
	};
}

void spindle_solid_init(struct spindle_solid *solid, const struct spindle_solid_shape *shape,
			u64 seed)
{
	memset(solid, 0, sizeof(*solid));
	solid->shape = *shape;
	solid->random = seed * 2 + 1;
	solid->slow = 1;
}

/* xorshift64*; evenly spread below @limit. */
static u32 random_below(struct spindle_solid *solid, u32 limit)
{
	solid->random ^= solid->random >> 12;
	solid->random ^= solid->random << 25;
	solid->random ^= solid->random >> 27;
	return ((solid->random * 0x2545f4914f6cdd1dull) >> 32) * limit >> 32;
}

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

u64 spindle_solid_start(struct spindle_solid *solid, const struct spindle_command *command, u64 now)
{
	const struct spindle_solid_shape *shape = &solid->shape;
	u32 unit = 0, i;
	u64 ready;

	for (i = 1; i < shape->units; i++)
		if (solid->free_at[i] < solid->free_at[unit])
			unit = i;
	ready = later(later(now, solid->free_at[unit]), solid->stalled_until);
	ready += (u64)((command->write ? shape->write_ns : shape->read_ns) +
		       random_below(solid, shape->jitter_ns + 1)) * solid->slow;
	solid->way_free_at = later(solid->way_free_at, ready) +
			     (u64)command->sectors * shape->sector_ns * solid->slow;
	solid->free_at[unit] = solid->way_free_at;
	return solid->way_free_at;
}
