// SPDX-License-Identifier: GPL-2.0-only
/* Properties of the layout arithmetic, and its agreement with md(4). */
#include "shapes.h"
#include "unit.h"

static const u32 chunk_sizes[] = { 8, 16, 128 };
/* Rows of a leg: too few for one stripe, ragged, and enough for every set. */
static const u64 row_counts[] = { 1, 2, 3, 4, 7, 12, 37 };

static struct mb_layout layout_of(const struct mb_shape *shape, u64 chunks)
{
	struct mb_layout layout;
	struct mb_error error;

	if (mb_layout_init(&layout, shape, chunks * shape->chunk_sectors, &error))
		fail_msg("%s, %llu chunks: %s", shape_text(shape), (unsigned long long)chunks,
			 error.text);
	return layout;
}

typedef void (*shape_test)(const struct mb_shape *shape, u64 rows, u64 chunks);

/* All shapes, chunk sizes and row counts that hold anything. */
static void for_each_array(shape_test test)
{
	u32 size, count;

	for (size = 0; size < ARRAY_SIZE(chunk_sizes); size++) {
		struct mb_shape shape = { .chunk_sectors = chunk_sizes[size] };

		while (next_shape(&shape)) {
			for (count = 0; count < ARRAY_SIZE(row_counts); count++) {
				u64 chunks = chunks_that_fit(&shape, row_counts[count]);

				if (chunks)
					test(&shape, row_counts[count], chunks);
			}
		}
	}
}

/* First, last and one sector in between say all about a chunk. */
static u32 next_offset(const struct mb_shape *shape, u32 offset)
{
	if (!offset)
		return 1 + random_below(shape->chunk_sectors - 2);
	if (offset == shape->chunk_sectors - 1)
		return shape->chunk_sectors;
	return shape->chunk_sectors - 1;
}

static void check_placement(const struct mb_shape *shape, u64 rows, u64 chunks)
{
	struct mb_layout layout = layout_of(shape, chunks);
	struct laid_out *out = lay_out(shape, chunks);
	struct mb_place places[MB_MAX_LEGS];
	u64 chunk, row;
	u32 offset, copy;

	for (chunk = 0; chunk < chunks; chunk++) {
		for (offset = 0; offset < shape->chunk_sectors;
		     offset = next_offset(shape, offset)) {
			u64 sector = chunk * shape->chunk_sectors + offset;

			mb_layout_map(&layout, sector, places);
			for (copy = 0; copy < shape->copies; copy++) {
				const struct laid *laid;

				assert_true(places[copy].leg < shape->legs);
				assert_true(places[copy].sector <
					    mb_layout_leg_sectors(&layout, places[copy].leg));
				assert_int_equal(places[copy].sector % shape->chunk_sectors,
						 offset);
				row = places[copy].sector / shape->chunk_sectors;
				laid = laid_at(out, places[copy].leg, row);
				assert_true(laid->used);
				assert_int_equal(laid->chunk, chunk);
				assert_int_equal(laid->copy, copy);
			}
		}
	}
	free_laid_out(out);
}

/* Each (chunk, copy) is laid exactly once, so this also rules out overlaps. */
static void test_placement_is_md(void **state)
{
	random_restart();
	for_each_array(check_placement);
}

static void check_copies(const struct mb_shape *shape, u64 rows, u64 chunks)
{
	struct mb_layout layout = layout_of(shape, chunks);
	u64 leg_sectors = rows * shape->chunk_sectors;
	u8 *taken = calloc(leg_sectors, shape->legs);
	struct mb_place places[MB_MAX_LEGS];
	u64 sector;
	u32 copy;

	assert_non_null(taken);
	for (sector = 0; sector < layout.length; sector++) {
		u32 legs = 0;

		mb_layout_map(&layout, sector, places);
		for (copy = 0; copy < shape->copies; copy++) {
			u8 *place = &taken[places[copy].sector * shape->legs + places[copy].leg];

			assert_true(places[copy].sector < leg_sectors);
			assert_false(*place);
			*place = 1;
			assert_false(legs & 1u << places[copy].leg);
			legs |= 1u << places[copy].leg;
		}
	}
	free(taken);
}

static void test_no_place_twice_and_copies_apart(void **state)
{
	for_each_array(check_copies);
}

/* A chunk is once on each side; and no leg is on two of them where they are apart. */
static void check_sides(const struct mb_shape *shape, u64 rows, u64 chunks)
{
	struct mb_layout layout = layout_of(shape, chunks);
	u32 side_of[MB_MAX_LEGS], copy, leg;
	u64 chunk;

	for (leg = 0; leg < shape->legs; leg++)
		side_of[leg] = MB_MAX_LEGS;
	assert_int_equal(layout.sides_apart, shape->kind != MB_LAYOUT_FAR &&
			 !(shape->legs % shape->copies));
	for (chunk = 0; chunk < chunks; chunk++) {
		struct mb_place places[MB_MAX_LEGS];
		u32 sides = 0;

		mb_layout_map(&layout, chunk * shape->chunk_sectors, places);
		for (copy = 0; copy < shape->copies; copy++) {
			u32 side = mb_side(&layout, &places[copy]);

			assert_true(side < shape->copies);
			sides |= 1u << side;
			if (!layout.sides_apart)
				continue;
			if (side_of[places[copy].leg] == MB_MAX_LEGS)
				side_of[places[copy].leg] = side;
			assert_int_equal(side_of[places[copy].leg], side);
		}
		assert_int_equal(sides, (u32)((1ull << shape->copies) - 1));
	}
}

static void test_sides(void **state)
{
	for_each_array(check_sides);
}

static void check_inverse(const struct mb_shape *shape, u64 rows, u64 chunks)
{
	struct mb_layout layout = layout_of(shape, chunks);
	struct laid_out *out = lay_out(shape, chunks);
	u64 row, sector;
	u32 leg, offset, copy;

	for (leg = 0; leg < shape->legs; leg++) {
		/* A few rows more than are used: nothing may be found there. */
		for (row = 0; row < rows + 2 * shape->copies; row++) {
			const struct laid *laid = row < out->rows ? laid_at(out, leg, row) : NULL;

			for (offset = 0; offset < shape->chunk_sectors;
			     offset = next_offset(shape, offset)) {
				struct mb_place place = {
					.leg = leg,
					.sector = row * shape->chunk_sectors + offset,
				};
				bool found = mb_layout_inverse(&layout, &place, &sector, &copy);

				assert_int_equal(found, laid && laid->used);
				if (!found)
					continue;
				assert_int_equal(sector,
						 laid->chunk * shape->chunk_sectors + offset);
				assert_int_equal(copy, laid->copy);
			}
		}
	}
	free_laid_out(out);
}

static void test_inverse(void **state)
{
	random_restart();
	for_each_array(check_inverse);
}

static void check_leg_sectors(const struct mb_shape *shape, u64 rows, u64 chunks)
{
	struct mb_layout layout = layout_of(shape, chunks);
	struct laid_out *out = lay_out(shape, chunks);
	u32 leg;

	for (leg = 0; leg < shape->legs; leg++)
		assert_int_equal(mb_layout_leg_sectors(&layout, leg),
				 out->leg_rows[leg] * shape->chunk_sectors);
	free_laid_out(out);
}

static void test_leg_sectors(void **state)
{
	for_each_array(check_leg_sectors);
}

static void test_capacity(void **state)
{
	u32 size;

	for (size = 0; size < ARRAY_SIZE(chunk_sizes); size++) {
		struct mb_shape shape = { .chunk_sectors = chunk_sizes[size] };

		while (next_shape(&shape)) {
			u64 rows;

			for (rows = 0; rows < 60; rows++) {
				u64 wanted = chunks_that_fit(&shape, rows) * shape.chunk_sectors;
				u64 leg_sectors = rows * shape.chunk_sectors;

				assert_int_equal(mb_shape_capacity(&shape, leg_sectors), wanted);
				/* A broken chunk at a leg's end is of no use. */
				assert_int_equal(mb_shape_capacity(&shape, leg_sectors +
								   shape.chunk_sectors - 1),
						 wanted);
			}
		}
	}
}

static void check_contiguous(const struct mb_shape *shape, u64 rows, u64 chunks)
{
	struct mb_layout layout = layout_of(shape, chunks);
	struct mb_place first[MB_MAX_LEGS], other[MB_MAX_LEGS];
	u64 chunk;
	u32 offset, copy;

	for (chunk = 0; chunk < chunks; chunk++) {
		for (offset = 0; offset < shape->chunk_sectors;
		     offset = next_offset(shape, offset)) {
			u64 sector = chunk * shape->chunk_sectors + offset;
			u64 run = mb_layout_contiguous(&layout, sector);
			bool mirror = shape->kind == MB_LAYOUT_NEAR &&
				      shape->copies == shape->legs;
			u64 step;

			if (mirror) {
				assert_true(run >= layout.length - sector);
				run = layout.length - sector;
			} else {
				assert_int_equal(run, shape->chunk_sectors - offset);
			}
			mb_layout_map(&layout, sector, first);
			for (step = 1; step < run; step += 1 + random_below(run)) {
				mb_layout_map(&layout, sector + step, other);
				for (copy = 0; copy < shape->copies; copy++) {
					assert_int_equal(other[copy].leg, first[copy].leg);
					assert_int_equal(other[copy].sector,
							 first[copy].sector + step);
				}
			}
		}
	}
}

static void test_contiguous(void **state)
{
	random_restart();
	for_each_array(check_contiguous);
}

/* Sectors of one leg that a range of the array covers, as a bit a sector. */
struct coverage {
	u8 *covered;	/* [leg * leg_sectors + sector] */
	u64 leg_sectors;
};

static void cover(struct coverage *to, const struct mb_layout *layout, u64 sector)
{
	struct mb_place places[MB_MAX_LEGS];
	u32 copy;

	mb_layout_map(layout, sector, places);
	for (copy = 0; copy < layout->shape.copies; copy++)
		to->covered[places[copy].leg * to->leg_sectors + places[copy].sector] = 1;
}

/* The extents of a leg must be the runs of its covered sectors, in order. */
static void check_extents(const struct coverage *from, const struct mb_layout *layout, u64 sector,
			  u64 sectors)
{
	struct mb_extent extents[MB_MAX_EXTENTS];
	u32 leg;

	for (leg = 0; leg < layout->shape.legs; leg++) {
		const u8 *covered = from->covered + leg * from->leg_sectors;
		u32 count = mb_layout_leg_extents(layout, sector, sectors, leg, extents);
		u64 at = 0, start;
		u32 nth = 0;

		assert_true(count <= MB_MAX_EXTENTS);
		for (;;) {
			while (at < from->leg_sectors && !covered[at])
				at++;
			if (at == from->leg_sectors)
				break;
			start = at;
			while (at < from->leg_sectors && covered[at])
				at++;
			if (nth >= count || extents[nth].sector != start ||
			    extents[nth].sectors != at - start)
				fail_msg("%s, length %llu: sectors %llu+%llu on leg %u: run %u of %u should be %llu+%llu",
					 shape_text(&layout->shape),
					 (unsigned long long)layout->length,
					 (unsigned long long)sector, (unsigned long long)sectors,
					 leg, nth, count, (unsigned long long)start,
					 (unsigned long long)(at - start));
			nth++;
		}
		assert_int_equal(nth, count);
	}
}

static struct coverage no_coverage(const struct mb_shape *shape, u64 rows)
{
	struct coverage empty = { .leg_sectors = rows * shape->chunk_sectors };

	empty.covered = calloc(empty.leg_sectors, shape->legs);
	assert_non_null(empty.covered);
	return empty;
}

static void forget(struct coverage *old, const struct mb_shape *shape)
{
	memset(old->covered, 0, old->leg_sectors * shape->legs);
}

/* Every range that starts with a chunk, in its middle or with its last sector. */
static void check_small_ranges(const struct mb_shape *shape, u64 rows)
{
	static const u32 starts[] = { 0, 3, 7 };
	u64 chunks = chunks_that_fit(shape, rows);
	struct mb_layout layout = layout_of(shape, chunks);
	struct coverage range = no_coverage(shape, rows);
	u64 chunk, end;
	u32 start;

	for (chunk = 0; chunk < chunks; chunk++) {
		for (start = 0; start < ARRAY_SIZE(starts); start++) {
			u64 sector = chunk * shape->chunk_sectors + starts[start];

			forget(&range, shape);
			for (end = sector; end < layout.length; end++) {
				cover(&range, &layout, end);
				check_extents(&range, &layout, sector, end + 1 - sector);
			}
		}
	}
	free(range.covered);
}

static void test_extents_of_small_ranges(void **state)
{
	struct mb_shape shape = { .chunk_sectors = 8 };

	while (next_shape(&shape)) {
		u64 rows = shape.copies * 2 + (shape.kind == MB_LAYOUT_NEAR);

		check_small_ranges(&shape, rows);
	}
}

static void check_random_ranges(const struct mb_shape *shape, u64 rows, u64 chunks)
{
	struct mb_layout layout = layout_of(shape, chunks);
	struct coverage range = no_coverage(shape, rows);
	u32 i;

	for (i = 0; i < 4; i++) {
		u64 sector = random_below(layout.length);
		u64 sectors = 1 + random_below(layout.length - sector);
		u64 step;

		forget(&range, shape);
		for (step = 0; step < sectors; step++)
			cover(&range, &layout, sector + step);
		check_extents(&range, &layout, sector, sectors);
	}
	free(range.covered);
}

static void test_extents_of_random_ranges(void **state)
{
	random_restart();
	for_each_array(check_random_ranges);
}

static void test_extents_of_everything(void **state)
{
	struct mb_shape shape = { .chunk_sectors = 64 };

	while (next_shape(&shape)) {
		u64 chunks = chunks_that_fit(&shape, 24);
		struct mb_layout layout = layout_of(&shape, chunks);
		struct mb_extent extents[MB_MAX_EXTENTS];
		u32 leg;

		for (leg = 0; leg < shape.legs; leg++) {
			assert_int_equal(mb_layout_leg_extents(&layout, 0, layout.length, leg,
							       extents), 1);
			assert_int_equal(extents[0].sector, 0);
			assert_int_equal(extents[0].sectors, mb_layout_leg_sectors(&layout, leg));
		}
	}
}

static u32 mask_of(const struct mb_layout *layout, u64 sector)
{
	struct mb_place places[MB_MAX_LEGS];
	u32 copy, legs = 0;

	mb_layout_map(layout, sector, places);
	for (copy = 0; copy < layout->shape.copies; copy++)
		legs |= 1u << places[copy].leg;
	return legs;
}

/* The sets named are those that occur, each named once. */
static void test_sets(void **state)
{
	struct mb_shape shape = { .chunk_sectors = 8 };

	while (next_shape(&shape)) {
		struct mb_layout layout = layout_of(&shape, chunks_that_fit(&shape, 48));
		bool occurs[1u << MAX_TEST_LEGS] = { false };
		u32 different = 0, set;
		u64 chunk;

		for (chunk = 0; chunk < layout.chunks; chunk++) {
			u32 legs = mask_of(&layout, chunk * shape.chunk_sectors);

			different += !occurs[legs];
			occurs[legs] = true;
		}
		if (mb_layout_nr_sets(&layout) != different)
			fail_msg("%s: %u sets, but %u occur", shape_text(&shape),
				 mb_layout_nr_sets(&layout), different);
		for (set = 0; set < different; set++) {
			u32 legs = mb_layout_set(&layout, set);

			assert_true(occurs[legs]);
			occurs[legs] = false;
		}
	}
}

/* The error of a length must name the nearest ones that are allowed. */
static void check_refusal(const struct mb_shape *shape, u64 chunks, u64 below, u64 above)
{
	struct mb_layout layout;
	struct mb_error error;
	char wanted[64];

	assert_int_equal(mb_layout_init(&layout, shape, chunks * shape->chunk_sectors, &error),
			 -1);
	snprintf(wanted, sizeof(wanted), "length is %llu sectors",
		 (unsigned long long)chunks * shape->chunk_sectors);
	assert_contains(error.text, wanted);
	if (below)
		snprintf(wanted, sizeof(wanted), "the nearest are %llu and %llu",
			 (unsigned long long)below * shape->chunk_sectors,
			 (unsigned long long)above * shape->chunk_sectors);
	else
		snprintf(wanted, sizeof(wanted), "the next is %llu",
			 (unsigned long long)above * shape->chunk_sectors);
	assert_contains(error.text, wanted);
}

static void test_lengths(void **state)
{
	struct mb_shape shape = { .chunk_sectors = 16 };

	while (next_shape(&shape)) {
		u64 rows = 0, below = 0, above = 0, chunks;

		for (chunks = 1; chunks < 100; chunks++) {
			while (above < chunks)
				above = chunks_that_fit(&shape, ++rows);
			if (chunks == above) {
				layout_of(&shape, chunks);
				below = above;
			} else {
				check_refusal(&shape, chunks, below, above);
			}
		}
	}
}

static void test_broken_chunks(void **state)
{
	struct mb_shape shape = { .chunk_sectors = 16 };
	struct mb_layout layout;
	struct mb_error error;

	while (next_shape(&shape)) {
		u64 whole = chunks_that_fit(&shape, 12) * shape.chunk_sectors;
		u64 length;

		for (length = whole + 1; length < whole + shape.chunk_sectors; length++) {
			assert_int_equal(mb_layout_init(&layout, &shape, length, &error), -1);
			assert_contains(error.text, "whole number of chunks of 16 sectors");
		}
	}
}

static void test_length_limits(void **state)
{
	struct mb_shape shape = { .kind = MB_LAYOUT_NEAR, .copies = 2, .legs = 2,
				  .chunk_sectors = 8 };
	struct mb_layout layout;
	struct mb_error error;

	assert_int_equal(mb_layout_init(&layout, &shape, 0, &error), -1);
	assert_contains(error.text, "length is 0 sectors; allowed are 1 to 18014398509481984");
	assert_int_equal(mb_layout_init(&layout, &shape, MB_MAX_LENGTH + 8, &error), -1);
	assert_contains(error.text, "length is 18014398509481992 sectors");
	assert_int_equal(mb_layout_init(&layout, &shape, MB_MAX_LENGTH, &error), 0);
}

static void check_huge(const struct mb_shape *shape)
{
	struct mb_layout layout = layout_of(shape, mb_shape_capacity(shape, ~0ull) /
						   shape->chunk_sectors);
	struct mb_place places[MB_MAX_LEGS];
	u32 i, copy, nth;
	u64 found;

	for (i = 0; i < 200; i++) {
		u64 sector = layout.length - 1 - (i < 100 ? i : random_below(layout.length));
		u32 legs = 0;

		mb_layout_map(&layout, sector, places);
		for (copy = 0; copy < shape->copies; copy++) {
			assert_true(places[copy].sector <
				    mb_layout_leg_sectors(&layout, places[copy].leg));
			assert_true(mb_layout_inverse(&layout, &places[copy], &found, &nth));
			assert_int_equal(found, sector);
			assert_int_equal(nth, copy);
			legs |= 1u << places[copy].leg;
		}
		assert_int_equal(__builtin_popcount(legs), shape->copies);
	}
}

/* 32 legs, sizes at the limit: nothing may wrap around. */
static void test_huge_arrays(void **state)
{
	static const u32 copies[] = { 2, 3, 31, 32 };
	static const u32 chunks[] = { 8, MB_MAX_CHUNK_SECTORS };
	struct mb_shape shape = { .legs = MB_MAX_LEGS };
	u32 i, j;

	random_restart();
	for (shape.kind = MB_LAYOUT_NEAR; shape.kind <= MB_LAYOUT_OFFSET; shape.kind++) {
		for (i = 0; i < ARRAY_SIZE(copies); i++) {
			for (j = 0; j < ARRAY_SIZE(chunks); j++) {
				shape.copies = copies[i];
				shape.chunk_sectors = chunks[j];
				check_huge(&shape);
			}
		}
	}
}

static void refuse_shape(u32 copies, u32 legs, u32 chunk, const char *wrong, const char *allowed)
{
	struct mb_shape shape = { .kind = MB_LAYOUT_FAR, .copies = copies, .legs = legs,
				  .chunk_sectors = chunk };
	struct mb_error error;

	assert_int_equal(mb_shape_check(&shape, &error), -1);
	assert_contains(error.text, wrong);
	assert_contains(error.text, allowed);
}

static void test_shapes_refused(void **state)
{
	refuse_shape(2, 1, 8, "number of legs is 1", "2 to 32");
	refuse_shape(2, 33, 8, "number of legs is 33", "2 to 32");
	refuse_shape(1, 4, 8, "f1: number of copies is 1", "2 to the number of legs, 4");
	refuse_shape(5, 4, 8, "f5: number of copies is 5", "2 to the number of legs, 4");
	refuse_shape(2, 4, 0, "chunk is 0 sectors", "powers of two from 8");
	refuse_shape(2, 4, 4, "chunk is 4 sectors", "powers of two from 8");
	refuse_shape(2, 4, 24, "chunk is 24 sectors", "powers of two from 8");
	refuse_shape(2, 4, 1u << 22, "chunk is 4194304 sectors", "to 2097152 (1 GiB)");
}

static void test_letters(void **state)
{
	static const char letters[] = "nfo";
	enum mb_layout_kind kind;
	int letter;

	for (letter = 0; letter < 256; letter++) {
		const char *known = letter ? strchr(letters, letter) : NULL;

		assert_int_equal(mb_layout_kind(letter, &kind), known != NULL);
		if (!known)
			continue;
		assert_int_equal(kind, known - letters);
		assert_int_equal(mb_layout_letter(kind), letter);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_placement_is_md),
		cmocka_unit_test(test_no_place_twice_and_copies_apart),
		cmocka_unit_test(test_sides),
		cmocka_unit_test(test_inverse),
		cmocka_unit_test(test_leg_sectors),
		cmocka_unit_test(test_capacity),
		cmocka_unit_test(test_contiguous),
		cmocka_unit_test(test_extents_of_small_ranges),
		cmocka_unit_test(test_extents_of_random_ranges),
		cmocka_unit_test(test_extents_of_everything),
		cmocka_unit_test(test_sets),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_broken_chunks),
		cmocka_unit_test(test_length_limits),
		cmocka_unit_test(test_huge_arrays),
		cmocka_unit_test(test_shapes_refused),
		cmocka_unit_test(test_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
