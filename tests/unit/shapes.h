/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shapes that the tests go through, and a second statement of md raid10's
 * placement: not formulas, but the data laid down chunk after chunk as md(4),
 * section RAID10, describes it.
 */
#ifndef SHAPES_H
#define SHAPES_H

#include "layout.h"

#define MAX_TEST_LEGS 9

/**
 * next_shape - go through all layouts of 2 to 9 legs with 2 to 4 copies
 * @shape: all zero before the first call; chunk_sectors is left alone
 *
 * Return: false after the last one.
 */
bool next_shape(struct mb_shape *shape);

/* Text for messages: "n3 on 5 legs, chunk 16"; valid until the next call. */
const char *shape_text(const struct mb_shape *shape);

/* One place for a chunk: which one lies there. */
struct laid {
	bool used;
	u64 chunk;
	u32 copy;
};

/* Legs as columns of rows of chunks. */
struct laid_out {
	u32 legs;
	u64 rows;	/* of the longest leg */
	u64 leg_rows[MB_MAX_LEGS];	/* up to the last one used */
	struct laid *at;	/* [row * legs + leg] */
};

/**
 * lay_out - put an array down on empty legs
 * @shape: the shape
 * @chunks: length of the array; whole stripes for far and offset
 *
 * Return: the legs, to be given back with free_laid_out().
 */
struct laid_out *lay_out(const struct mb_shape *shape, u64 chunks);
void free_laid_out(struct laid_out *out);

/* What lies at a place. */
const struct laid *laid_at(const struct laid_out *out, u32 leg, u64 row);

/**
 * chunks_that_fit - the most chunks that go onto legs of so many rows
 * @shape: the shape
 * @rows: chunks each leg holds
 *
 * Counted by adding one chunk (near) or one stripe (far, offset) after another
 * until it no longer fits.
 */
u64 chunks_that_fit(const struct mb_shape *shape, u64 rows);

#endif /* SHAPES_H */
