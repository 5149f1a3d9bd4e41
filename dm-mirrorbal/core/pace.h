/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How fast recovery goes. Alone, its steps grow until what is between them no
 * longer counts. Beside others' I/O they are short, and it has a hundredth of the
 * legs' time: what a step delays is so rare that it does not show in the 99th
 * percentile, and a leg that has to move its heads for it does so for something.
 */
#ifndef MB_PACE_H
#define MB_PACE_H

#include "port.h"

/* Sectors of a step. */
#define MB_PACE_MIN_SECTORS (128u * 2)
#define MB_PACE_MAX_SECTORS (64u * 1024 * 2)

struct mb_pace {
	u32 sectors;	/* of the next step; a power of two */
};

/* A step that was taken. */
struct mb_step {
	u64 sectors;
	u64 ns;
	bool disturbed;	/* others have used the array meanwhile, or since the last step */
};

/* Recovery begins: others must be seen to be away before it is fast. */
static inline void mb_pace_start(struct mb_pace *pace)
{
	pace->sectors = MB_PACE_MIN_SECTORS;
}

/**
 * mb_pace_next - set the size of the next step
 * @pace: the pace
 * @step: the step before
 * @limit: KiB a second, at most; 0 for no limit
 *
 * Context: any.
 * Return: ns to rest before it.
 */
u64 mb_pace_next(struct mb_pace *pace, const struct mb_step *step, u32 limit);

#endif /* MB_PACE_H */
