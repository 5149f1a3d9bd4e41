// SPDX-License-Identifier: GPL-2.0-only
/* The initial copy: every chunk once, from the copy that wins, in large pieces. */
#include "unit.h"

/* Not part of core: only the command copies before there is an array. */
#include "../../userspace/copy_plan.c"

static const u32 all_preferred[] = { 0, 1, 2, 6, 0xffffffff };

struct sum {
	u64 sectors;
	u64 pieces;
	u8 *seen;	/* per chunk of the array: sectors copied, in units of 8 */
};

static void check_piece(const struct mb_layout *layout, u32 preferred,
			const struct copy_piece *piece, struct sum *sum)
{
	struct mb_place places[MB_MAX_LEGS];
	u32 offset, copy, i, best;
	u64 sector;

	assert_true(piece->sectors > 0 && piece->sectors <= COPY_MAX_SECTORS);
	assert_int_equal(piece->nr_to, layout->shape.copies - 1);
	for (offset = 0; offset < piece->sectors; offset += 8) {
		struct mb_place from = { .leg = piece->from.leg,
					 .sector = piece->from.sector + offset };

		assert_true(mb_layout_inverse(layout, &from, &sector, &copy));
		assert_true(sector < layout->length);
		sum->seen[sector >> 3]++;
		mb_layout_map(layout, sector, places);
		for (best = 0; best < layout->shape.copies; best++)
			if (preferred & (1u << places[best].leg))
				break;
		if (best == layout->shape.copies)
			best = 0;
		assert_int_equal(copy, best);
		/* Each other copy is a destination, at the same distance. */
		for (i = 0, copy = 0; copy < layout->shape.copies; copy++) {
			if (copy == best)
				continue;
			assert_int_equal(piece->to[i].leg, places[copy].leg);
			assert_true(piece->to[i].sector + offset == places[copy].sector);
			i++;
		}
	}
	sum->sectors += piece->sectors;
	sum->pieces++;
}

static struct sum walk(const struct mb_layout *layout, u32 preferred)
{
	struct sum sum = { .seen = calloc(layout->length >> 3, 1) };
	struct copy_piece piece;
	struct copy_plan plan;
	u64 i;

	copy_plan_init(&plan, layout, preferred);
	while (copy_plan_next(&plan, &piece))
		check_piece(layout, preferred, &piece, &sum);
	assert_true(sum.sectors == layout->length);
	for (i = 0; i < layout->length >> 3; i++)
		assert_int_equal(sum.seen[i], 1);
	free(sum.seen);
	return sum;
}

static struct mb_layout layout_of(enum mb_layout_kind kind, u32 copies, u32 legs, u32 chunk,
				  u64 leg_sectors)
{
	struct mb_shape shape = { .kind = kind, .copies = copies, .legs = legs,
				  .chunk_sectors = chunk };
	struct mb_layout layout;
	struct mb_error error;

	assert_int_equal(mb_layout_init(&layout, &shape, mb_shape_capacity(&shape, leg_sectors),
					&error), 0);
	return layout;
}

static void every_sector_once(void **state)
{
	u32 kind, legs, copies, i;

	for (kind = MB_LAYOUT_NEAR; kind <= MB_LAYOUT_OFFSET; kind++)
		for (legs = 2; legs <= 7; legs++)
			for (copies = 2; copies <= legs && copies <= 4; copies++)
				for (i = 0; i < ARRAY_SIZE(all_preferred); i++) {
					struct mb_layout layout = layout_of(kind, copies, legs, 16,
									    16 * 23 + 5);

					walk(&layout, all_preferred[i]);
				}
}

static void every_sector_once_in_large_chunks(void **state)
{
	struct mb_layout layout = layout_of(MB_LAYOUT_OFFSET, 2, 3, 4 * COPY_MAX_SECTORS,
					    32 * COPY_MAX_SECTORS);

	/* 12 chunks of 4 pieces each. */
	assert_int_equal(walk(&layout, 0).pieces, 48);
}

/* Where a layout puts chunks one behind the other, nothing is done chunk by chunk. */
static void pieces_are_large_where_they_can_be(void **state)
{
	struct mb_layout mirror = layout_of(MB_LAYOUT_NEAR, 2, 2, 8, 10 * COPY_MAX_SECTORS);
	struct mb_layout near = layout_of(MB_LAYOUT_NEAR, 2, 4, 8, 10 * COPY_MAX_SECTORS);
	struct mb_layout far = layout_of(MB_LAYOUT_FAR, 2, 3, 8, 20 * COPY_MAX_SECTORS);

	/* One more a stream: its start, which comes last. */
	assert_int_equal(walk(&mirror, 0).pieces, 10 + 1);
	assert_int_equal(walk(&near, 0).pieces, 20 + 2);
	assert_int_equal(walk(&far, 0).pieces, 30 + 3);
}

/* Broken off anywhere, no leg begins with a copy of another's start. */
static void starts_come_last(void **state)
{
	static const struct { enum mb_layout_kind kind; u32 legs, chunk, streams; } all[] = {
		{ MB_LAYOUT_NEAR, 2, 8, 1 }, { MB_LAYOUT_NEAR, 4, 1024, 2 },
		{ MB_LAYOUT_FAR, 3, 256, 3 }, { MB_LAYOUT_OFFSET, 3, 128, 3 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct mb_layout layout = layout_of(all[i].kind, 2, all[i].legs, all[i].chunk,
						    10 * COPY_MAX_SECTORS);
		u32 starts = 0, sectors = all[i].chunk > COPY_LAST_SECTORS ? all[i].chunk :
						COPY_LAST_SECTORS;
		struct copy_piece piece;
		struct copy_plan plan;

		copy_plan_init(&plan, &layout, 0);
		while (copy_plan_next(&plan, &piece)) {
			struct mb_place from = piece.from;
			u64 sector;
			u32 copy;

			assert_true(mb_layout_inverse(&layout, &from, &sector, &copy));
			if (sector < (u64)all[i].streams * sectors)
				starts += piece.sectors;
			else
				assert_int_equal(starts, 0);
		}
		assert_int_equal(starts, all[i].streams * sectors);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sector_once),
		cmocka_unit_test(every_sector_once_in_large_chunks),
		cmocka_unit_test(pieces_are_large_where_they_can_be),
		cmocka_unit_test(starts_come_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
