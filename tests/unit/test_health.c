// SPDX-License-Identifier: GPL-2.0-only
/* Which legs may fail, through every order in which they can. */
#include "health.h"
#include "shapes.h"
#include "unit.h"

#define MAX_HEALTH_LEGS 6

/* The sets of copies, as they lie. */
struct sets {
	u32 legs[64];
	u32 nr;
};

static void find_sets(struct sets *sets, const struct mb_shape *shape)
{
	u64 chunks = chunks_that_fit(shape, 24), chunk;
	struct laid_out *out = lay_out(shape, chunks);
	u32 *of_chunk = calloc(chunks, sizeof(*of_chunk));
	u32 leg, set;
	u64 row;

	assert_non_null(of_chunk);
	for (row = 0; row < out->rows; row++)
		for (leg = 0; leg < out->legs; leg++)
			if (laid_at(out, leg, row)->used)
				of_chunk[laid_at(out, leg, row)->chunk] |= 1u << leg;
	sets->nr = 0;
	for (chunk = 0; chunk < chunks; chunk++) {
		for (set = 0; set < sets->nr && sets->legs[set] != of_chunk[chunk]; set++)
			;
		assert_true(set < ARRAY_SIZE(sets->legs));
		sets->legs[set] = of_chunk[chunk];
		if (set == sets->nr)
			sets->nr++;
	}
	free(of_chunk);
	free_laid_out(out);
}

/* A set without any of these legs, or 0. */
static u32 lost(const struct sets *sets, u32 in_sync)
{
	u32 set;

	for (set = 0; set < sets->nr; set++)
		if (!(sets->legs[set] & in_sync))
			return sets->legs[set];
	return 0;
}

static struct mb_layout layout_of(const struct mb_shape *shape)
{
	struct mb_layout layout;
	struct mb_error error;

	assert_int_equal(mb_layout_init(&layout, shape,
					chunks_that_fit(shape, 24) * shape->chunk_sectors,
					&error), 0);
	return layout;
}

/*
 * Fail legs in every order that the rule allows: no order may lose data, none
 * may stop while another leg could go.
 */
static void fail_in_every_order(const struct mb_layout *layout, const struct sets *sets,
				u32 in_sync, bool *seen)
{
	u32 leg;

	if (seen[in_sync])
		return;
	seen[in_sync] = true;
	assert_int_equal(lost(sets, in_sync), 0);
	assert_true(mb_health_complete(layout, in_sync, NULL));
	for (leg = 0; leg < layout->shape.legs; leg++) {
		u32 rest = in_sync & ~(1u << leg);
		bool may;

		if (rest == in_sync)
			continue;
		may = mb_health_may_fail(layout, in_sync, leg);
		assert_int_equal(may, !lost(sets, rest));
		if (may)
			fail_in_every_order(layout, sets, rest, seen);
	}
}

static void test_every_order_of_failures(void **state)
{
	struct mb_shape shape = { .chunk_sectors = 8 };

	while (next_shape(&shape)) {
		bool seen[1u << MAX_HEALTH_LEGS] = { false };
		struct mb_layout layout;
		struct sets sets;

		if (shape.legs > MAX_HEALTH_LEGS)
			continue;
		layout = layout_of(&shape);
		find_sets(&sets, &shape);
		fail_in_every_order(&layout, &sets, (1u << shape.legs) - 1, seen);
	}
}

static void test_complete(void **state)
{
	struct mb_shape shape = { .chunk_sectors = 8 };

	while (next_shape(&shape)) {
		struct mb_layout layout = layout_of(&shape);
		struct sets sets;
		u32 in_sync;

		find_sets(&sets, &shape);
		for (in_sync = 0; in_sync < 1u << shape.legs; in_sync++) {
			u32 lost_set = 0, set;
			bool complete = mb_health_complete(&layout, in_sync, &lost_set);

			assert_int_equal(complete, !lost(&sets, in_sync));
			if (complete)
				continue;
			assert_int_equal(lost_set & in_sync, 0);
			for (set = 0; set < sets.nr && sets.legs[set] != lost_set; set++)
				;
			assert_true(set < sets.nr);
		}
	}
}

/* A leg whose own sets are safe may go, though data is lost elsewhere. */
static void test_other_sets_do_not_matter(void **state)
{
	struct mb_shape shape = { .kind = MB_LAYOUT_NEAR, .copies = 2, .legs = 4,
				  .chunk_sectors = 8 };
	struct mb_layout layout = layout_of(&shape);

	assert_true(mb_health_may_fail(&layout, 0x3, 0));
	assert_true(mb_health_may_fail(&layout, 0x3, 1));
	assert_false(mb_health_may_fail(&layout, 0x4, 2));
}

/* Is there a chunk that two legs in sync hold? And whose is it first? */
static void test_copies_that_can_differ(void **state)
{
	struct mb_shape shape = { .chunk_sectors = 8 };

	while (next_shape(&shape)) {
		struct mb_layout layout = layout_of(&shape);
		u32 in_sync;

		for (in_sync = 0; in_sync < 1u << shape.legs; in_sync++) {
			bool any = false;
			u64 sector;

			for (sector = 0; sector < layout.length; sector += 8) {
				struct mb_place places[MB_MAX_LEGS];
				u32 first, copy, held = 0;

				mb_layout_map(&layout, sector, places);
				first = mb_health_first_copy(places, shape.copies, in_sync);
				for (copy = shape.copies; copy--;)
					if (in_sync >> places[copy].leg & 1) {
						held++;
						assert_true(first <= copy);
					}
				assert_int_equal(first < shape.copies, held > 0);
				if (held)
					assert_true(in_sync >> places[first].leg & 1);
				any |= held > 1;
			}
			assert_int_equal(mb_health_any_second(&layout, in_sync), any);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_order_of_failures),
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_other_sets_do_not_matter),
		cmocka_unit_test(test_copies_that_can_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
