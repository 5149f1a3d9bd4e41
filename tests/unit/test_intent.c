// SPDX-License-Identifier: GPL-2.0-only
/* Write-intent: which regions are which bits, which runs are found, and which bits may be cleared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "intent.h"

static u64 bits[MB_INTENT_WORDS], other[MB_INTENT_WORDS], idle[MB_INTENT_WORDS], none[MB_INTENT_WORDS];
static u8 block[MB_INTENT_BLOCK_BYTES];

static void set(u64 *words, u32 region)
{
	words[region / 64] |= 1ull << region % 64;
}

static int clear_all(void **state)
{
	(void)state;
	memset(bits, 0, sizeof(bits));
	memset(other, 0, sizeof(other));
	return 0;
}

static struct mb_regions regions_of(u64 length, u32 region)
{
	struct mb_regions regions;

	mb_regions_init(&regions, length, region);
	return regions;
}

static void arrays_are_cut(void **state)
{
	struct mb_regions regions = regions_of(8192 * 3, 8192);

	(void)state;
	assert_int_equal(regions.nr, 3);
	assert_int_equal(regions.shift, 13);
	assert_int_equal(mb_regions_blocks(&regions), 1);
	regions = regions_of(8192 * 3 + 8, 8192);
	assert_int_equal(regions.nr, 4);
	regions = regions_of(8, 8);
	assert_int_equal(regions.nr, 1);
	regions = regions_of(32768ull * 8192, 8192);
	assert_int_equal(mb_regions_blocks(&regions), 1);
	regions = regions_of(32768ull * 8192 + 1, 8192);
	assert_int_equal(mb_regions_blocks(&regions), 2);
	regions = regions_of(524288ull << 31, 1u << 31);
	assert_int_equal(regions.nr, 524288);
	assert_int_equal(mb_regions_blocks(&regions), MB_INTENT_MAX_BLOCKS);
}

/* Documented: region r is bit r % 8 of byte r / 8. */
static void bits_lie_where_documented(void **state)
{
	struct mb_regions regions = regions_of(40000ull * 8192, 8192);

	(void)state;
	set(bits, 0);
	set(bits, 13);
	set(bits, 32768 + 9);
	mb_intent_encode(block, bits, 0);
	assert_int_equal(block[0], 1);
	assert_int_equal(block[1], 1 << 5);
	assert_int_equal(block[2], 0);
	assert_true(mb_intent_same(bits, block, 0));
	assert_false(mb_intent_same(bits, block, 1));
	mb_intent_merge(other, &regions, block, 0);
	mb_intent_encode(block, bits, 1);
	assert_int_equal(block[0], 0);
	assert_int_equal(block[1], 1 << 1);
	mb_intent_merge(other, &regions, block, 1);
	assert_memory_equal(bits, other, sizeof(bits));
}

static void bits_of_no_region_are_dropped(void **state)
{
	struct mb_regions regions = regions_of(70ull * 8192, 8192);

	(void)state;
	memset(block, 0xff, sizeof(block));
	mb_intent_merge(bits, &regions, block, 0);
	assert_true(bits[0] == ~0ull && bits[1] == 0x3f && !bits[2]);
	mb_intent_set_all(other, &regions);
	assert_memory_equal(bits, other, sizeof(bits));
	/* One that cannot be read may have any. */
	memset(bits, 0, sizeof(bits));
	mb_intent_merge(bits, &regions, NULL, 0);
	assert_memory_equal(bits, other, sizeof(bits));
}

static void merging_keeps_what_is_set(void **state)
{
	struct mb_regions regions = regions_of(200ull * 8192, 8192);

	(void)state;
	set(bits, 3);
	set(other, 150);
	mb_intent_encode(block, other, 0);
	mb_intent_merge(bits, &regions, block, 0);
	assert_true(bits[0] == 8 && bits[2] == 1ull << 22);
	assert_false(mb_intent_same(bits, block, 0));
}

static void assert_found(const struct mb_regions *regions, u64 sector, bool found, u64 from, u64 end)
{
	u64 its_from, its_end;

	assert_int_equal(mb_intent_find(bits, regions, sector, &its_from, &its_end), found);
	assert_int_equal(its_from, from);
	assert_int_equal(its_end, end);
}

static void runs_are_found(void **state)
{
	struct mb_regions regions = regions_of(8192 * 300 - 80, 8192);
	u64 length = regions.length;

	(void)state;
	assert_found(&regions, 0, false, length, length);
	set(bits, 2);
	set(bits, 3);
	set(bits, 200);
	set(bits, 299);
	assert_found(&regions, 0, true, 2 * 8192, 4 * 8192);
	assert_found(&regions, 2 * 8192, true, 2 * 8192, 4 * 8192);
	assert_found(&regions, 3 * 8192 + 8, true, 3 * 8192 + 8, 4 * 8192);
	assert_found(&regions, 4 * 8192, true, 200 * 8192, 201 * 8192);
	assert_found(&regions, 201 * 8192, true, 299 * 8192, length);
	assert_found(&regions, length - 8, true, length - 8, length);
	assert_found(&regions, length, false, length, length);
	mb_intent_set_all(bits, &regions);
	assert_found(&regions, 0, true, 0, length);
	assert_found(&regions, 8192 * 130 + 16, true, 8192 * 130 + 16, length);
}

/* Against a slow oracle, bit by bit. */
static void runs_are_found_in_whatever_bits(void **state)
{
	struct mb_regions regions = regions_of(1000 * 8, 8);
	u32 round, region;

	(void)state;
	srand(1);
	for (round = 0; round < 200; round++) {
		u64 sector = (u64)(rand() % 1000) * 8, from = regions.length, end = regions.length;

		memset(bits, 0, sizeof(bits));
		for (region = 0; region < regions.nr; region++)
			if (rand() % 100 < (int)(round % 2 ? 97 : 3))
				set(bits, region);
		for (region = sector / 8; region < regions.nr; region++) {
			bool is = bits[region / 64] >> region % 64 & 1;

			if (is && from == regions.length)
				from = region * 8;
			if (!is && from != regions.length) {
				end = region * 8;
				break;
			}
		}
		assert_found(&regions, sector, from != regions.length, from, end);
	}
}

static void idle_bits(void **state)
{
	struct mb_regions regions = regions_of(8192 * 130, 8192);
	u64 unsynced[MB_INTENT_WORDS] = { 0 };

	(void)state;
	assert_false(mb_intent_idle(idle, none, none, none, &regions, regions.length));
	set(bits, 1);
	set(bits, 64);
	set(bits, 129);
	set(other, 64);
	assert_true(mb_intent_idle(idle, bits, other, none, &regions, 0));
	assert_true(idle[0] == 2 && !idle[1] && idle[2] == 2);
	/* What has not been made the same stays, until the mark is behind all of it. */
	mb_intent_set_all(unsynced, &regions);
	assert_false(mb_intent_idle(idle, bits, other, unsynced, &regions, 2 * 8192 - 8));
	assert_true(mb_intent_idle(idle, bits, other, unsynced, &regions, 2 * 8192));
	assert_true(idle[0] == 2 && !idle[1] && !idle[2]);
	assert_true(mb_intent_idle(idle, bits, none, unsynced, &regions, 65 * 8192));
	assert_true(idle[0] == 2 && idle[1] == 1 && !idle[2]);
	assert_true(mb_intent_idle(idle, bits, none, unsynced, &regions, regions.length));
	assert_true(idle[2] == 2);
	/* The last region is shorter. */
	regions = regions_of(8192 * 129 + 8, 8192);
	assert_true(mb_intent_idle(idle, bits, none, unsynced, &regions, regions.length));
	assert_true(idle[2] == 2);
	assert_true(mb_intent_idle(idle, bits, none, unsynced, &regions, regions.length - 8));
	assert_true(!idle[2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(arrays_are_cut, clear_all),
		cmocka_unit_test_setup(bits_lie_where_documented, clear_all),
		cmocka_unit_test_setup(bits_of_no_region_are_dropped, clear_all),
		cmocka_unit_test_setup(merging_keeps_what_is_set, clear_all),
		cmocka_unit_test_setup(runs_are_found, clear_all),
		cmocka_unit_test_setup(runs_are_found_in_whatever_bits, clear_all),
		cmocka_unit_test_setup(idle_bits, clear_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
