// SPDX-License-Identifier: GPL-2.0-only
#include "pace.h"

#define NS_PER_S 1000000000ull

/* Recovery has one part in so many of the legs' time beside others. */
#define SHARE 10

/* A slow leg must not put recovery to sleep for good. */
#define MAX_REST_NS NS_PER_S

/* Under a limit a step is what the limit allows in one part in so many of a second. */
#define LIMIT_STEPS 4

/* What the limit wants the step to have taken. */
static u64 ns_by_limit(u64 sectors, u32 limit)
{
	return limit ? div_u64(sectors * (NS_PER_S / 2), limit) : 0;
}

static u32 next_sectors(const struct mb_pace *pace, bool disturbed, u32 limit)
{
	u32 sectors = disturbed ? MB_PACE_MIN_SECTORS : pace->sectors * 2;

	if (sectors > MB_PACE_MAX_SECTORS)
		sectors = MB_PACE_MAX_SECTORS;
	while (limit && sectors > MB_PACE_MIN_SECTORS && sectors / 2 > limit / LIMIT_STEPS)
		sectors /= 2;
	return sectors;
}

u64 mb_pace_next(struct mb_pace *pace, const struct mb_step *step, u32 limit)
{
	u64 wanted = ns_by_limit(step->sectors, limit), rest = 0;

	pace->sectors = next_sectors(pace, step->disturbed, limit);
	if (step->disturbed)
		rest = step->ns * (SHARE - 1);
	if (rest > MAX_REST_NS)
		rest = MAX_REST_NS;
	if (wanted > step->ns + rest)
		rest = wanted - step->ns;
	return rest;
}
