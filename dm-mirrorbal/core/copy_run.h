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
 * mb_copy_runs - cut a range into runs
 * @layout: the layout
 * @from: first sector of the range
 * @end: behind its last
 * @runs: scratch, one a leg; empty, and so again afterwards
 * @take: is called with each run
 * @context: handed to @take
 *
 * A run for each leg that has copy 0 grows at a time: neighbours there mostly
 * are so on the others.
 *
 * Context: as @take.
 */
void mb_copy_runs(const struct mb_layout *layout, u64 from, u64 end, struct mb_copy_run *runs,
		  void (*take)(void *context, const struct mb_copy_run *run), void *context);

#endif /* MB_COPY_RUN_H */
