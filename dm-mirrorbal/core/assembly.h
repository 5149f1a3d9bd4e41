/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which legs may be used together, by what they say of themselves and of one
 * another (superblock.h). Nothing here depends on the names of devices or on
 * the order in which they were found.
 */
#ifndef MB_ASSEMBLY_H
#define MB_ASSEMBLY_H

#include "superblock.h"

/* Bit masks are of leg numbers. */
struct mb_assembly {
	u32 newest;	/* a leg whose superblock holds for all */
	u32 in_sync;	/* legs that are there and have seen every write that was acknowledged */
	u32 behind;	/* legs that are there, and have not, or were not in sync before */
	u32 lost;	/* legs that the newest superblock calls in sync, and that are not */
};

/**
 * mb_assembly_judge - tell which legs are in sync
 * @legs: superblocks by number of leg, each one's newest; NULL where there is none
 * @nr_legs: their number
 * @assembly: receives the verdict
 * @error: receives why these legs are not to be used together
 *
 * A leg is in sync if the newest superblock says so, and the leg itself has seen
 * that superblock or the one before it: no write is acknowledged between the
 * moment in which a superblock reaches the first leg and that in which it has
 * reached all that it calls in sync, so that a leg which the power left without
 * the newest one has missed nothing.
 *
 * That holds if whoever writes superblocks keeps to this: one at a time. To a leg
 * that is not in sync, or becomes so by it, last, when all that were in sync before
 * have it. Such a leg is told that it is not in sync before anything of it is
 * overwritten. And a start without a leg that was in sync begins a new history
 * (history.h). tests/unit/test_assembly.c has what comes of it otherwise.
 *
 * Context: any.
 * Return: 0, or -1 with @error set: no leg, legs of different arrays, two that are
 * each newer than the other, or no leg in sync for some of the data.
 */
int mb_assembly_judge(const struct mb_superblock *const *legs, u32 nr_legs,
		      struct mb_assembly *assembly, struct mb_error *error);

/**
 * mb_assembly_note_states - which legs are in sync from now on
 * @superblock: is changed
 * @present: bit mask of legs that are there
 * @in_sync: likewise, of those that take every write
 *
 * Context: any.
 */
void mb_assembly_note_states(struct mb_superblock *superblock, u32 present, u32 in_sync);

#endif /* MB_ASSEMBLY_H */
