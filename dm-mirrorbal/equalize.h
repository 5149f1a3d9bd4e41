/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Equalizing: making all copies of a block like the first that can be read.
 * Slow, a block at a time, for where a copy has a fault; recovery_copy.h has
 * the fast way.
 */
#ifndef MB_EQUALIZE_H
#define MB_EQUALIZE_H

#include "array.h"

/* A block of the array, of mb_array.block_bytes. */
struct mb_block {
	struct mb_array *array;
	const struct mb_exclusion *range;	/* that it is in, excluded */
	u64 sector;	/* of the array, a whole number of blocks */
	struct page *page;	/* as large; receives its data */
};

/**
 * mb_block_equalize - read a block from its first readable copy, write it to the rest
 * @block: the block
 * @settled: receives whether more cannot be done: all copies in sync hold the same,
 *	or no medium has the block. Not so where the ways to the legs have failed, or
 *	one that cannot be written may not be failed as the last copy of something else
 *
 * The order of the copies is that of the exclusion; see mb_exclusion_in_sync().
 * A leg that cannot be written is failed, if it may be.
 *
 * Context: process, sleeps.
 * Return: BLK_STS_OK with the data in the page; an error if no copy can be read,
 * and then none was written.
 */
blk_status_t mb_block_equalize(const struct mb_block *block, bool *settled);

#endif /* MB_EQUALIZE_H */
