/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run: sectors of the array that lie contiguously on the leg of each copy, so
 * that one job copies them all. Chunks that are neighbours on their legs, though
 * not in the array, make one run: a far layout is copied in long strokes.
 */
#ifndef MB_COPY_RUN_H
#define MB_COPY_RUN_H

#include "layout.h"

struct mb_copy_run {
	u32 sectors;	/* 0: empty */
	struct mb_place places[MB_MAX_LEGS];	/* by copy */
};

/**
 * mb_copy_run_extend - take what follows into a run
 * @run: the run
 * @copies: copies of the layout
 * @places: of the sectors that follow, by copy
 * @sectors: contiguous on every copy's leg
 *
 * Context: any.
 * Return: false if they do not continue the run on each leg.
 */
bool mb_copy_run_extend(struct mb_copy_run *run, u32 copies, const struct mb_place *places,
			u32 sectors);

#endif /* MB_COPY_RUN_H */
