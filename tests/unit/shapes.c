// SPDX-License-Identifier: GPL-2.0-only
#include "shapes.h"
#include "unit.h"

bool next_shape(struct mb_shape *shape)
{
	if (!shape->legs) {
		shape->kind = MB_LAYOUT_NEAR;
		shape->legs = 2;
		shape->copies = 2;
		return true;
	}
	if (shape->copies < 4 && shape->copies < shape->legs) {
		shape->copies++;
		return true;
	}
	shape->copies = 2;
	if (shape->legs < MAX_TEST_LEGS) {
		shape->legs++;
		return true;
	}
	shape->legs = 2;
	if (shape->kind == MB_LAYOUT_OFFSET)
		return false;
	shape->kind++;
	return true;
}

const char *shape_text(const struct mb_shape *shape)
{
	static char text[64];

	snprintf(text, sizeof(text), "%c%u on %u legs, chunk %u", mb_layout_letter(shape->kind),
		 shape->copies, shape->legs, shape->chunk_sectors);
	return text;
}

static void put(struct laid_out *out, u32 leg, u64 row, u64 chunk, u32 copy)
{
	struct laid *place;

	assert_true(row < out->rows);
	place = &out->at[row * out->legs + leg];
	assert_false(place->used);
	*place = (struct laid){ .used = true, .chunk = chunk, .copy = copy };
	if (out->leg_rows[leg] < row + 1)
		out->leg_rows[leg] = row + 1;
}

/* "the copies of each chunk are laid out consecutively" over the devices */
static void lay_near(struct laid_out *out, const struct mb_shape *shape, u64 chunks)
{
	u64 row = 0, chunk;
	u32 leg = 0, copy;

	for (chunk = 0; chunk < chunks; chunk++) {
		for (copy = 0; copy < shape->copies; copy++) {
			put(out, leg, row, chunk, copy);
			if (++leg == shape->legs) {
				leg = 0;
				row++;
			}
		}
	}
}

/*
 * The first copy of all chunks is striped over the early part of the devices,
 * the next over a later part, on another device each time.
 */
static void lay_far(struct laid_out *out, const struct mb_shape *shape, u64 chunks)
{
	u64 row = 0, chunk = 0;
	u32 copy, column;

	for (copy = 0; copy < shape->copies; copy++) {
		for (chunk = 0; chunk < chunks; row++)
			for (column = 0; column < shape->legs; column++)
				put(out, (column + copy) % shape->legs, row, chunk++, copy);
	}
}

/* "each stripe is duplicated and the copies are offset by one device" */
static void lay_offset(struct laid_out *out, const struct mb_shape *shape, u64 chunks)
{
	u64 row = 0, stripe;
	u32 copy, column;

	for (stripe = 0; stripe < chunks; stripe += shape->legs)
		for (copy = 0; copy < shape->copies; copy++, row++)
			for (column = 0; column < shape->legs; column++)
				put(out, (column + copy) % shape->legs, row, stripe + column,
				    copy);
}

struct laid_out *lay_out(const struct mb_shape *shape, u64 chunks)
{
	struct laid_out *out = calloc(1, sizeof(*out));

	assert_non_null(out);
	out->legs = shape->legs;
	out->rows = (chunks * shape->copies + shape->legs - 1) / shape->legs;
	out->at = calloc(out->rows * out->legs, sizeof(*out->at));
	assert_non_null(out->at);
	switch (shape->kind) {
	case MB_LAYOUT_NEAR:
		lay_near(out, shape, chunks);
		break;
	case MB_LAYOUT_FAR:
		lay_far(out, shape, chunks);
		break;
	case MB_LAYOUT_OFFSET:
		lay_offset(out, shape, chunks);
		break;
	}
	return out;
}

void free_laid_out(struct laid_out *out)
{
	free(out->at);
	free(out);
}

const struct laid *laid_at(const struct laid_out *out, u32 leg, u64 row)
{
	assert_true(row < out->rows && leg < out->legs);
	return &out->at[row * out->legs + leg];
}

u64 chunks_that_fit(const struct mb_shape *shape, u64 rows)
{
	u64 free_slots = rows * shape->legs;
	u64 chunks = 0;

	if (shape->kind == MB_LAYOUT_NEAR) {
		for (; free_slots >= shape->copies; free_slots -= shape->copies)
			chunks++;
		return chunks;
	}
	for (; rows >= shape->copies; rows -= shape->copies)
		chunks += shape->legs;
	return chunks;
}
