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
	u64 sector;	/* of the array, a whole number of blocks */
	struct page *page;	/* as large; receives its data */
};

/**
 * mb_block_equalize - read a block from its first readable copy, write it to the rest
 * @block: the block, excluded
 * @equal: receives whether all copies in sync hold the same now
 *
 * A leg that cannot be written is failed. If it may not be, as the last copy of
 * something else, its copy stays as it is.
 *
 * Context: process, sleeps.
 * Return: BLK_STS_OK with the data in the page; an error if no copy can be read,
 * and then none was written.
 */
blk_status_t mb_block_equalize(const struct mb_block *block, bool *equal);

#endif /* MB_EQUALIZE_H */
