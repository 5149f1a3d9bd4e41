/* SPDX-License-Identifier: GPL-2.0-only */
/* I/O of our own to one leg, waited for. */
#ifndef MB_LEG_IO_H
#define MB_LEG_IO_H

#include "array.h"

/**
 * mb_leg_page_io - read or write from pages of our own
 * @array: the array
 * @leg: number of the leg
 * @sector: of the device
 * @opf: operation and flags
 * @page: one page, or the first of some that lie together
 * @bytes: whole logical blocks, as much as there is in them
 *
 * Not counted as traffic.
 *
 * Context: process, sleeps.
 */
blk_status_t mb_leg_page_io(struct mb_array *array, u32 leg, u64 sector, blk_opf_t opf,
			    struct page *page, u32 bytes);

/* The same for a whole block, of mb_array.block_bytes, at a place. */
blk_status_t mb_block_io(struct mb_array *array, const struct mb_place *place, blk_opf_t opf,
			 struct page *page);

/**
 * mb_flush_legs - flush the caches of all legs in sync
 * @array: the array
 *
 * Context: process, sleeps.
 * Return: false if it failed on a leg that has to stay: then no change is made any
 * more. Others that have lost something have failed.
 */
bool mb_flush_legs(struct mb_array *array);

#endif /* MB_LEG_IO_H */
