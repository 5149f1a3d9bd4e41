/* SPDX-License-Identifier: GPL-2.0-only */
/* The superblocks of an array's legs, read and written; core/superblock.h has what is in them. */
#ifndef MB_METADATA_IO_H
#define MB_METADATA_IO_H

#include "array.h"
#include "superblock.h"

/**
 * mb_superblock_read_leg - read a leg's newest superblock
 * @array: the array
 * @leg: number of a leg that is there
 * @pages: MB_SUPERBLOCK_BLOCKS blocks, to read into
 * @superblock: receives the values
 * @error: receives why it cannot be used
 *
 * Context: process, sleeps; allocates nothing.
 * Return: 0, or -1 with @error set.
 */
int mb_superblock_read_leg(struct mb_array *array, u32 leg, struct page *pages,
			   struct mb_superblock *superblock, struct mb_error *error);

/**
 * mb_superblock_write_leg - write a superblock, and wait until it is durable
 * @array: the array
 * @leg: number of a leg that is there
 * @page: a block, to write from
 * @superblock: the values; those that are the leg's own are its
 * @number: which block to write
 *
 * Context: process, sleeps; allocates nothing.
 */
blk_status_t mb_superblock_write_leg(struct mb_array *array, u32 leg, struct page *page,
				     const struct mb_superblock *superblock, u32 number);

#endif /* MB_METADATA_IO_H */
