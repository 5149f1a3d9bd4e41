/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The write-intent bitmap: a bit for each region of an array, set while copies of
 * something in it may differ, or while a leg that is away misses something in it.
 * On a leg it is whole blocks of 4 KiB, in memory 64-bit words; region r is bit
 * r % 8 of byte r / 8, and bit r % 64 of word r / 64.
 */
#ifndef MB_INTENT_H
#define MB_INTENT_H

#include "port.h"

#define MB_INTENT_BLOCK_BYTES	4096u
#define MB_INTENT_BLOCK_WORDS	(MB_INTENT_BLOCK_BYTES / 8)
#define MB_INTENT_MAX_BLOCKS	16u	/* 64 KiB a leg */
#define MB_INTENT_WORDS		(MB_INTENT_MAX_BLOCKS * MB_INTENT_BLOCK_WORDS)

struct mb_regions {
	u64 length;	/* sectors of the array */
	u32 shift;	/* of a sector, to give its region */
	u32 nr;
};

/**
 * mb_regions_init - cut an array into regions
 * @regions: receives the result
 * @length: sectors of the array
 * @region_sectors: a power of two; so large that MB_INTENT_MAX_BLOCKS hold a bit for each
 *
 * Context: any.
 */
void mb_regions_init(struct mb_regions *regions, u64 length, u32 region_sectors);

/* Blocks that hold a bit for each region. Context: any. */
u32 mb_regions_blocks(const struct mb_regions *regions);

/**
 * mb_intent_encode - make a block of the bits
 * @block: receives MB_INTENT_BLOCK_BYTES bytes
 * @bits: MB_INTENT_WORDS words
 * @number: of the block
 *
 * Context: any.
 */
void mb_intent_encode(u8 *block, const u64 *bits, u32 number);

/**
 * mb_intent_merge - set what a block has set
 * @bits: MB_INTENT_WORDS words
 * @regions: bits of none are passed over
 * @block: MB_INTENT_BLOCK_BYTES bytes; NULL for one that cannot be read, and may have any set
 * @number: of the block
 *
 * Context: any.
 */
void mb_intent_merge(u64 *bits, const struct mb_regions *regions, const u8 *block, u32 number);

/**
 * mb_intent_same - has a block set what the bits have?
 * @bits: MB_INTENT_WORDS words
 * @block: MB_INTENT_BLOCK_BYTES bytes
 * @number: of the block
 *
 * Context: any.
 */
bool mb_intent_same(const u64 *bits, const u8 *block, u32 number);

/* Set the bits of all regions, and no other. Context: any. */
void mb_intent_set_all(u64 *bits, const struct mb_regions *regions);

/**
 * mb_intent_find - the first run of regions with a bit set
 * @bits: MB_INTENT_WORDS words
 * @regions: what they stand for
 * @sector: of the array, to begin at
 * @from: receives the first sector of the run; not before @sector
 * @end: receives the sector behind it
 *
 * Context: any.
 * Return: false if there is none; both are the array's length then.
 */
bool mb_intent_find(const u64 *bits, const struct mb_regions *regions, u64 sector, u64 *from,
		    u64 *end);

/**
 * mb_intent_idle - which bits may be cleared?
 * @idle: receives the bits
 * @marked: those that are set
 * @touched: of regions that are being written
 * @unsynced: of regions whose copies may have differed when the array was started
 * @regions: what they stand for
 * @synced: so many sectors from the first on have been made the same since
 *
 * Context: any.
 * Return: true if there are any.
 */
bool mb_intent_idle(u64 *idle, const u64 *marked, const u64 *touched, const u64 *unsynced,
		    const struct mb_regions *regions, u64 synced);

#endif /* MB_INTENT_H */
