// SPDX-License-Identifier: GPL-2.0-only
#include "layout.h"

static const char kind_letters[] = {
	[MB_LAYOUT_NEAR] = 'n',
	[MB_LAYOUT_FAR] = 'f',
	[MB_LAYOUT_OFFSET] = 'o',
};

char mb_layout_letter(enum mb_layout_kind kind)
{
	return kind_letters[kind];
}

bool mb_layout_kind(char letter, enum mb_layout_kind *kind)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kind_letters); i++) {
		if (kind_letters[i] == letter) {
			*kind = i;
			return true;
		}
	}
	return false;
}

int mb_shape_check(const struct mb_shape *shape, struct mb_error *error)
{
	u32 chunk = shape->chunk_sectors;

	if (shape->legs < MB_MIN_LEGS || shape->legs > MB_MAX_LEGS)
		return mb_error_set(error, "number of legs is %u; allowed are %u to %u",
				    shape->legs, MB_MIN_LEGS, MB_MAX_LEGS);
	if (shape->copies < 2 || shape->copies > shape->legs)
		return mb_error_set(error,
				    "layout %c%u: number of copies is %u; allowed are 2 to the number of legs, %u",
				    mb_layout_letter(shape->kind), shape->copies,
				    shape->copies, shape->legs);
	if (chunk < MB_MIN_CHUNK_SECTORS || chunk > MB_MAX_CHUNK_SECTORS || (chunk & (chunk - 1)))
		return mb_error_set(error,
				    "chunk is %u sectors; allowed are powers of two from %u (4 KiB) to %u (1 GiB)",
				    chunk, MB_MIN_CHUNK_SECTORS, MB_MAX_CHUNK_SECTORS);
	return 0;
}

static u32 log2_of(u32 power_of_two)
{
	u32 shift = 0;

	while (power_of_two >> (shift + 1))
		shift++;
	return shift;
}

/* Chunks of an array whose legs hold @rows chunks each. */
static u64 chunks_for_rows(const struct mb_shape *shape, u64 rows)
{
	if (shape->kind == MB_LAYOUT_NEAR)
		return div_u64(rows * shape->legs, shape->copies);
	return div_u64(rows, shape->copies) * shape->legs;
}

/* The fewest rows with which a leg can serve an array of @chunks. */
static u64 rows_for_chunks(const struct mb_shape *shape, u64 chunks)
{
	if (shape->kind == MB_LAYOUT_NEAR)
		return div_u64(chunks * shape->copies + shape->legs - 1, shape->legs);
	return div_u64(chunks + shape->legs - 1, shape->legs) * shape->copies;
}

u64 mb_shape_capacity(const struct mb_shape *shape, u64 leg_sectors)
{
	u32 chunk_shift = log2_of(shape->chunk_sectors);
	u64 length;

	if (leg_sectors > MB_MAX_LENGTH / MB_MAX_LEGS)
		leg_sectors = MB_MAX_LENGTH / MB_MAX_LEGS;
	length = chunks_for_rows(shape, leg_sectors >> chunk_shift) << chunk_shift;
	return length;
}

/* Names the longest array below the length asked for, and the shortest above. */
static int refuse_length(const struct mb_layout *layout, struct mb_error *error)
{
	const struct mb_shape *shape = &layout->shape;
	u64 rows = rows_for_chunks(shape, layout->chunks);
	u64 above = chunks_for_rows(shape, rows) << layout->chunk_shift;
	u64 below = chunks_for_rows(shape, rows - 1) << layout->chunk_shift;

	if (!below)
		return mb_error_set(error,
				    "length is %llu sectors; no array of layout %c%u on %u legs has it, the next is %llu",
				    (unsigned long long)layout->length,
				    mb_layout_letter(shape->kind), shape->copies, shape->legs,
				    (unsigned long long)above);
	return mb_error_set(error,
			    "length is %llu sectors; no array of layout %c%u on %u legs has it, the nearest are %llu and %llu",
			    (unsigned long long)layout->length,
			    mb_layout_letter(shape->kind), shape->copies, shape->legs,
			    (unsigned long long)below, (unsigned long long)above);
}

static void set_placement(struct mb_layout *layout)
{
	const struct mb_shape *shape = &layout->shape;

	layout->span_sectors = layout->pure_mirror ? 2 * MB_MAX_LENGTH : shape->chunk_sectors;
	layout->slots_per_chunk = 1;
	layout->row_sectors = shape->chunk_sectors;
	switch (shape->kind) {
	case MB_LAYOUT_NEAR:
		layout->slots_per_chunk = shape->copies;
		layout->wrap_step = shape->chunk_sectors;
		break;
	case MB_LAYOUT_FAR:
		layout->copy_step = layout->section_sectors;
		break;
	case MB_LAYOUT_OFFSET:
		layout->row_sectors = (u64)shape->copies * shape->chunk_sectors;
		layout->copy_step = shape->chunk_sectors;
		break;
	}
}

static void set_sides(struct mb_layout *layout)
{
	const struct mb_shape *shape = &layout->shape;
	u32 leg;

	layout->sides_apart = shape->kind != MB_LAYOUT_FAR && !(shape->legs % shape->copies);
	for (leg = 0; leg < shape->legs; leg++)
		layout->side_of_leg[leg] = leg % shape->copies;
}

int mb_layout_init(struct mb_layout *layout, const struct mb_shape *shape,
		   u64 length, struct mb_error *error)
{
	u64 rows;

	if (mb_shape_check(shape, error))
		return -1;
	if (!length || length > MB_MAX_LENGTH)
		return mb_error_set(error, "length is %llu sectors; allowed are 1 to %llu",
				    (unsigned long long)length, MB_MAX_LENGTH);

	memset(layout, 0, sizeof(*layout));
	layout->shape = *shape;
	layout->chunk_shift = log2_of(shape->chunk_sectors);
	layout->pure_mirror = shape->kind == MB_LAYOUT_NEAR && shape->copies == shape->legs;
	layout->length = length;
	layout->chunks = length >> layout->chunk_shift;

	if (length & (shape->chunk_sectors - 1))
		return mb_error_set(error,
				    "length is %llu sectors; it must be a whole number of chunks of %u sectors",
				    (unsigned long long)length, shape->chunk_sectors);

	rows = rows_for_chunks(shape, layout->chunks);
	if (chunks_for_rows(shape, rows) != layout->chunks)
		return refuse_length(layout, error);
	if (shape->kind == MB_LAYOUT_FAR)
		layout->section_sectors = div_u64(length, shape->legs);
	set_placement(layout);
	set_sides(layout);
	return 0;
}

u64 mb_layout_leg_sectors(const struct mb_layout *layout, u32 leg)
{
	const struct mb_shape *shape = &layout->shape;
	u32 rest;
	u64 rows;

	if (shape->kind != MB_LAYOUT_NEAR)
		return div_u64(layout->length, shape->legs) * shape->copies;
	rows = div_u64_rem(layout->chunks * shape->copies, shape->legs, &rest);
	return (rows + (leg < rest)) << layout->chunk_shift;
}

static inline u32 turned(const struct mb_shape *shape, u32 leg, u32 by)
{
	u32 sum = leg + by;

	return sum >= shape->legs ? sum - shape->legs : sum;
}

bool mb_layout_inverse(const struct mb_layout *layout, const struct mb_place *place, u64 *sector,
		       u32 *copy)
{
	const struct mb_shape *shape = &layout->shape;
	u64 row = place->sector >> layout->chunk_shift;
	u64 chunk, stripe;
	u32 nth;

	switch (shape->kind) {
	case MB_LAYOUT_NEAR:
		chunk = div_u64_rem(row * shape->legs + place->leg, shape->copies, &nth);
		break;
	case MB_LAYOUT_FAR:
		nth = div64_u64(place->sector, layout->section_sectors);
		if (nth >= shape->copies)
			return false;
		stripe = row - nth * (layout->section_sectors >> layout->chunk_shift);
		chunk = stripe * shape->legs + turned(shape, place->leg, shape->legs - nth);
		break;
	case MB_LAYOUT_OFFSET:
		stripe = div_u64_rem(row, shape->copies, &nth);
		chunk = stripe * shape->legs + turned(shape, place->leg, shape->legs - nth);
		break;
	default:
		return false;
	}
	if (chunk >= layout->chunks)
		return false;
	*sector = (chunk << layout->chunk_shift) + (place->sector & (shape->chunk_sectors - 1));
	*copy = nth;
	return true;
}

/* A range of the array, in the terms that the extents of a leg need. */
struct range {
	u64 first_chunk;
	u64 last_chunk;
	u32 skip;	/* sectors of the first chunk before the range */
	u32 keep;	/* sectors of the last chunk up to the range's end */
};

/* Collects runs in ascending order and joins those that touch. */
struct collector {
	struct mb_extent *extents;
	u32 count;
};

static void collect(struct collector *to, u64 start, u64 end)
{
	if (to->count) {
		struct mb_extent *last = &to->extents[to->count - 1];

		if (last->sector + last->sectors == start) {
			last->sectors += end - start;
			return;
		}
	}
	to->extents[to->count].sector = start;
	to->extents[to->count].sectors = end - start;
	to->count++;
}

/* Rows @first_row to @last_row of a leg, the ends cut where the range ends. */
static void collect_rows(struct collector *to, const struct mb_layout *layout,
			 const struct range *range, u64 first_row, u64 first_chunk, u64 last_row,
			 u64 last_chunk)
{
	u64 start = first_row << layout->chunk_shift;
	u64 end = (last_row + 1) << layout->chunk_shift;

	if (first_chunk == range->first_chunk)
		start += range->skip;
	if (last_chunk == range->last_chunk)
		end -= layout->shape.chunk_sectors - range->keep;
	collect(to, start, end);
}

/* ceil((a - b) / c), 0 for a <= b */
static u64 rows_to_reach(u64 a, u64 b, u32 c)
{
	return a <= b ? 0 : div_u64(a - b + c - 1, c);
}

static void extents_near(struct collector *to, const struct mb_layout *layout,
			 const struct range *range, u32 leg)
{
	u32 copies = layout->shape.copies, legs = layout->shape.legs;
	u64 last_slot = range->last_chunk * copies + copies - 1;
	u64 first_row, last_row;

	if (last_slot < leg)
		return;
	first_row = rows_to_reach(range->first_chunk * copies, leg, legs);
	last_row = div_u64(last_slot - leg, legs);
	if (first_row > last_row)
		return;
	collect_rows(to, layout, range, first_row, div_u64(first_row * legs + leg, copies),
		     last_row, div_u64(last_row * legs + leg, copies));
}

static void extents_far(struct collector *to, const struct mb_layout *layout,
			const struct range *range, u32 leg)
{
	u32 legs = layout->shape.legs;
	u64 section_rows = layout->section_sectors >> layout->chunk_shift;
	u32 copy;

	for (copy = 0; copy < layout->shape.copies; copy++) {
		u32 column = turned(&layout->shape, leg, legs - copy);
		u64 first_row, last_row;

		if (range->last_chunk < column)
			continue;
		first_row = rows_to_reach(range->first_chunk, column, legs);
		last_row = div_u64(range->last_chunk - column, legs);
		if (first_row > last_row)
			continue;
		collect_rows(to, layout, range, copy * section_rows + first_row,
			     first_row * legs + column, copy * section_rows + last_row,
			     last_row * legs + column);
	}
}

/* One stripe of an offset layout, which the range may cover in part. */
static void extents_of_stripe(struct collector *to, const struct mb_layout *layout,
			      const struct range *range, u64 stripe, u32 leg)
{
	const struct mb_shape *shape = &layout->shape;
	u32 copy;

	for (copy = 0; copy < shape->copies; copy++) {
		u64 chunk = stripe * shape->legs + turned(shape, leg, shape->legs - copy);
		u64 row = stripe * shape->copies + copy;

		if (chunk >= range->first_chunk && chunk <= range->last_chunk)
			collect_rows(to, layout, range, row, chunk, row, chunk);
	}
}

static void extents_offset(struct collector *to, const struct mb_layout *layout,
			   const struct range *range, u32 leg)
{
	u32 copies = layout->shape.copies, legs = layout->shape.legs;
	u64 first = div_u64(range->first_chunk, legs);
	u64 last = div_u64(range->last_chunk, legs);

	extents_of_stripe(to, layout, range, first, leg);
	if (last > first + 1)
		collect(to, ((first + 1) * copies) << layout->chunk_shift,
			(last * copies) << layout->chunk_shift);
	if (last > first)
		extents_of_stripe(to, layout, range, last, leg);
}

u32 mb_layout_leg_extents(const struct mb_layout *layout, u64 sector, u64 sectors, u32 leg,
			  struct mb_extent *extents)
{
	u32 mask = layout->shape.chunk_sectors - 1;
	u64 last = sector + sectors - 1;
	struct range range = {
		.first_chunk = sector >> layout->chunk_shift,
		.last_chunk = last >> layout->chunk_shift,
		.skip = sector & mask,
		.keep = (last & mask) + 1,
	};
	struct collector to = { .extents = extents };

	switch (layout->shape.kind) {
	case MB_LAYOUT_NEAR:
		extents_near(&to, layout, &range, leg);
		break;
	case MB_LAYOUT_FAR:
		extents_far(&to, layout, &range, leg);
		break;
	case MB_LAYOUT_OFFSET:
		extents_offset(&to, layout, &range, leg);
		break;
	}
	return to.count;
}

static u32 gcd(u32 a, u32 b)
{
	while (b) {
		u32 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Sets start at multiples of this leg number. */
static u32 set_step(const struct mb_layout *layout)
{
	const struct mb_shape *shape = &layout->shape;

	if (shape->kind == MB_LAYOUT_NEAR)
		return gcd(shape->copies, shape->legs);
	/* Turned over all legs, a set is the same set. */
	return shape->copies == shape->legs ? shape->legs : 1;
}

u32 mb_layout_nr_sets(const struct mb_layout *layout)
{
	return layout->shape.legs / set_step(layout);
}

u32 mb_layout_set(const struct mb_layout *layout, u32 set)
{
	u32 first = set * set_step(layout);
	u32 copy, legs = 0;

	for (copy = 0; copy < layout->shape.copies; copy++)
		legs |= 1u << turned(&layout->shape, first, copy);
	return legs;
}
