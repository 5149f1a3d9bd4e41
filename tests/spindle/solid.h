/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A solid-state drive in numbers: so many units work at once, each takes a
 * latency for a command, and all share one way out. Pure C without a clock.
 */
#ifndef SPINDLE_SOLID_H
#define SPINDLE_SOLID_H

#include "drive.h"

#define SPINDLE_MAX_UNITS 64

struct spindle_solid_shape {
	u32 read_ns;
	u32 write_ns;
	u32 jitter_ns;		/* up to so much more, evenly spread */
	u32 units;
	u32 sector_ns;		/* of the way out: the limit of bandwidth */
};

struct spindle_solid {
	struct spindle_solid_shape shape;
	u64 free_at[SPINDLE_MAX_UNITS];
	u64 way_free_at;
	u64 stalled_until;
	u64 random;
	u32 slow;		/* times its latency and transfer; 1 if it is well */
};

/* An NVMe drive of a homelab: 80 us, 32 at once, 3 GB/s. */
struct spindle_solid_shape spindle_solid_defaults(void);

/**
 * spindle_solid_init - a drive that is idle
 * @solid: is filled
 * @shape: what it is
 * @seed: of its jitter
 */
void spindle_solid_init(struct spindle_solid *solid, const struct spindle_solid_shape *shape,
			u64 seed);

/**
 * spindle_solid_start - serve a command
 * @solid: the drive
 * @command: which; arrives now
 * @now: the time, not before that of the last call
 *
 * Return: when it will be done.
 */
u64 spindle_solid_start(struct spindle_solid *solid, const struct spindle_command *command, u64 now);

#endif /* SPINDLE_SOLID_H */
