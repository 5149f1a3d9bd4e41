/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In which pieces the copies of an array are made identical: large, sequential
 * on every leg, all legs at once.
 */
#ifndef MB_COPY_PLAN_H
#define MB_COPY_PLAN_H

#include "layout.h"

/* Sectors of one piece at most: 4 MiB. */
#define COPY_MAX_SECTORS 8192u

/* What is recognised of data lies at their start: so many sectors and more of each stream are copied last. */
#define COPY_LAST_SECTORS 256u

/* One piece: contiguous at each of its places. */
struct copy_piece {
	u32 sectors;
	struct mb_place from;
	u32 nr_to;
	struct mb_place to[MB_MAX_LEGS];
};

/*
 * The chunks whose copies share their legs form a stream; where a layout puts
 * them one behind the other on every leg, pieces run over many chunks. The
 * streams advance side by side, so that all legs work and no head goes far.
 * The start of each stream comes last: a copy that was broken off is not to
 * look like data that somebody may want.
 */
struct copy_plan {
	const struct mb_layout *layout;
	u32 preferred;			/* legs whose copies win */
	u32 nr_streams;
	u64 start;			/* sectors of each stream that come last; whole chunks */
	u64 next[MB_MAX_LEGS];		/* sector of each stream that is next */
	bool wrapped[MB_MAX_LEGS];	/* only its start is left */
};

/**
 * copy_plan_init - begin
 * @plan: the plan
 * @layout: of the array; must stay
 * @preferred: bit mask of the legs whose copies win; where none of a chunk's
 *             copies lies on them, copy 0 does
 */
void copy_plan_init(struct copy_plan *plan, const struct mb_layout *layout, u32 preferred);

/* The next piece; false at the end. */
bool copy_plan_next(struct copy_plan *plan, struct copy_piece *piece);

#endif /* MB_COPY_PLAN_H */
