/* SPDX-License-Identifier: GPL-2.0-only */
/* Making the copies of an array that does not run identical. */
#ifndef MB_COPY_H
#define MB_COPY_H

#include "layout.h"

struct copy_leg {
	int direct;		/* the leg, open past the page cache */
	u64 data_offset;	/* sectors */
	const char *name;	/* for errors */
};

/**
 * copy_legs - write one copy of everything over the others, and flush
 * @layout: of the array
 * @legs: its legs
 * @preferred: bit mask of the legs whose copies win, see copy_plan_init()
 *
 * Shows progress. Ends early when interrupted().
 *
 * Return: 0, or -1 having said why.
 */
int copy_legs(const struct mb_layout *layout, const struct copy_leg *legs, u32 preferred);

#endif /* MB_COPY_H */
