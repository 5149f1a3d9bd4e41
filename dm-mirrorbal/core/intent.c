// SPDX-License-Identifier: GPL-2.0-only
#include "intent.h"

#define WORD_BITS 64u

static u32 words_of(const struct mb_regions *regions)
{
	return (regions->nr + WORD_BITS - 1) / WORD_BITS;
}

/* The bits of a word that stand for regions. */
static u64 valid_bits(const struct mb_regions *regions, u32 word)
{
	u32 first = word * WORD_BITS;

	if (regions->nr <= first)
		return 0;
	return regions->nr - first >= WORD_BITS ? ~0ull : (1ull << (regions->nr - first)) - 1;
}

static bool is_set(const u64 *bits, u32 region)
{
	return bits[region / WORD_BITS] & 1ull << region % WORD_BITS;
}

void mb_regions_init(struct mb_regions *regions, u64 length, u32 region_sectors)
{
	regions->length = length;
	regions->shift = 0;
	while (1u << regions->shift < region_sectors)
		regions->shift++;
	regions->nr = ((length - 1) >> regions->shift) + 1;
}

u32 mb_regions_blocks(const struct mb_regions *regions)
{
	return (words_of(regions) + MB_INTENT_BLOCK_WORDS - 1) / MB_INTENT_BLOCK_WORDS;
}

static u64 word_of_block(const u8 *block, u32 i)
{
	__le64 word;

	memcpy(&word, block + i * sizeof(word), sizeof(word));
	return le64_to_cpu(word);
}

void mb_intent_encode(u8 *block, const u64 *bits, u32 number)
{
	u32 i;

	for (i = 0; i < MB_INTENT_BLOCK_WORDS; i++) {
		__le64 word = cpu_to_le64(bits[number * MB_INTENT_BLOCK_WORDS + i]);

		memcpy(block + i * sizeof(word), &word, sizeof(word));
	}
}

void mb_intent_merge(u64 *bits, const struct mb_regions *regions, const u8 *block, u32 number)
{
	u32 first = number * MB_INTENT_BLOCK_WORDS, i;

	for (i = 0; i < MB_INTENT_BLOCK_WORDS; i++)
		bits[first + i] |= (block ? word_of_block(block, i) : ~0ull) &
				   valid_bits(regions, first + i);
}

bool mb_intent_same(const u64 *bits, const u8 *block, u32 number)
{
	u32 i;

	for (i = 0; i < MB_INTENT_BLOCK_WORDS; i++)
		if (bits[number * MB_INTENT_BLOCK_WORDS + i] != word_of_block(block, i))
			return false;
	return true;
}

void mb_intent_set_all(u64 *bits, const struct mb_regions *regions)
{
	u32 i;

	for (i = 0; i < MB_INTENT_WORDS; i++)
		bits[i] = valid_bits(regions, i);
}

/* The first region from @region on whose bit is @set. */
static u32 next_region(const u64 *bits, const struct mb_regions *regions, u32 region, bool set)
{
	u64 skipped = set ? 0 : ~0ull;

	while (region < regions->nr && is_set(bits, region) != set) {
		if (region % WORD_BITS == 0 && bits[region / WORD_BITS] == skipped)
			region += WORD_BITS;
		else
			region++;
	}
	return region < regions->nr ? region : regions->nr;
}

static u64 sector_of(const struct mb_regions *regions, u32 region)
{
	return region == regions->nr ? regions->length : (u64)region << regions->shift;
}

bool mb_intent_find(const u64 *bits, const struct mb_regions *regions, u64 sector, u64 *from,
		    u64 *end)
{
	u32 first = regions->nr;

	if (sector < regions->length)
		first = next_region(bits, regions, sector >> regions->shift, true);
	*from = sector_of(regions, first);
	if (*from < sector)
		*from = sector;
	*end = sector_of(regions, next_region(bits, regions, first, false));
	return first < regions->nr;
}

/* Bits of a word whose regions end behind @synced. */
static u64 bits_behind(const struct mb_regions *regions, u32 word, u64 synced)
{
	u64 done = synced == regions->length ? regions->nr : synced >> regions->shift;
	u64 first = (u64)word * WORD_BITS;

	if (done <= first)
		return ~0ull;
	return done - first >= WORD_BITS ? 0 : ~0ull << (done - first);
}

bool mb_intent_idle(u64 *idle, const u64 *marked, const u64 *touched, const u64 *unsynced,
		    const struct mb_regions *regions, u64 synced)
{
	bool any = false;
	u32 i;

	for (i = 0; i < words_of(regions); i++) {
		idle[i] = marked[i] & ~touched[i] & ~(unsynced[i] & bits_behind(regions, i, synced));
		any |= idle[i] != 0;
	}
	return any;
}
