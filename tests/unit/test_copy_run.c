// SPDX-License-Identifier: GPL-2.0-only
/* Ranges cut into runs: all of it, right, and in few of them. */
#include "copy_run.h"
#include "shapes.h"
#include "unit.h"

#define CHUNK 16
#define ROWS 48

/* What runs cover: for each sector of each leg, how often, and as which copy of what. */
struct covered {
	const struct mb_layout *layout;
	u32 *times;	/* by sector of the array */
	u32 runs;
	u32 longest;
};

static void take(void *context, const struct mb_copy_run *run)
{
	struct covered *covered = context;
	const struct mb_shape *shape = &covered->layout->shape;
	u32 i, copy;

	assert_true(run->sectors);
	for (i = 0; i < run->sectors; i++) {
		u64 sector = 0, other;
		u32 found;

		for (copy = 0; copy < shape->copies; copy++) {
			struct mb_place place = run->places[copy];

			place.sector += i;
			assert_true(mb_layout_inverse(covered->layout, &place, &other, &found));
			assert_int_equal(found, copy);
			if (copy)
				assert_int_equal(other, sector);
			sector = other;
		}
		covered->times[sector]++;
	}
	covered->runs++;
	if (run->sectors > covered->longest)
		covered->longest = run->sectors;
}

static struct covered cover(const struct mb_layout *layout, u64 from, u64 end)
{
	struct mb_copy_run runs[MB_MAX_LEGS] = { { .sectors = 0 } };
	struct covered covered = { .layout = layout };
	u64 sector;
	u32 leg;

	covered.times = calloc(layout->length, sizeof(*covered.times));
	assert_non_null(covered.times);
	mb_copy_runs(layout, from, end, runs, take, &covered);
	for (sector = 0; sector < layout->length; sector++)
		assert_int_equal(covered.times[sector], sector >= from && sector < end);
	for (leg = 0; leg < layout->shape.legs; leg++)
		assert_int_equal(runs[leg].sectors, 0);
	free(covered.times);
	return covered;
}

static struct mb_layout layout_of(const struct mb_shape *shape)
{
	struct mb_layout layout;
	struct mb_error error;

	assert_int_equal(mb_layout_init(&layout, shape, chunks_that_fit(shape, ROWS) * CHUNK,
					&error), 0);
	return layout;
}

static void test_all_of_it_once(void **state)
{
	struct mb_shape shape = { .chunk_sectors = CHUNK };

	while (next_shape(&shape)) {
		struct mb_layout layout = layout_of(&shape);
		u32 i;

		cover(&layout, 0, layout.length);
		random_restart();
		for (i = 0; i < 8; i++) {
			u64 from = random_below(layout.length);

			cover(&layout, from, from + 1 + random_below(layout.length - from));
		}
	}
}

/* What lies together on the legs is copied together. */
static void test_long_strokes(void **state)
{
	static const struct {
		enum mb_layout_kind kind;
		u32 copies, legs, runs;
	} expected[] = {
		{ MB_LAYOUT_NEAR, 2, 2, 1 },
		{ MB_LAYOUT_NEAR, 2, 4, 2 },
		{ MB_LAYOUT_NEAR, 3, 6, 2 },
		{ MB_LAYOUT_FAR, 2, 2, 2 },
		{ MB_LAYOUT_FAR, 2, 5, 5 },
		{ MB_LAYOUT_FAR, 3, 4, 4 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		struct mb_shape shape = { .kind = expected[i].kind, .copies = expected[i].copies,
					  .legs = expected[i].legs, .chunk_sectors = CHUNK };
		struct mb_layout layout = layout_of(&shape);
		struct covered covered = cover(&layout, 0, layout.length);

		assert_int_equal(covered.runs, expected[i].runs);
		assert_int_equal(covered.longest, layout.length / expected[i].runs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_of_it_once),
		cmocka_unit_test(test_long_strokes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
