// SPDX-License-Identifier: GPL-2.0-only
#include "pace.h"

#define NS_PER_S 1000000000ull

/* Beside others recovery has one part in so many of the legs' time. */
#define SHARE 100

/* But no less than a step in so long: it has to come to its end. */
#define MAX_REST_NS (2 * NS_PER_S)

/* Beside others a step is what takes so long. */
#define BESIDE_NS (NS_PER_S / 50)

/* Under a limit a step is what the limit allows in one part in so many of a second. */
#define LIMIT_STEPS 4

/* What the limit wants the step to have taken. */
static u64 ns_by_limit(u64 sectors, u32 limit)
{
	return limit ? div_u64(sectors * (NS_PER_S / 2), limit) : 0;
}

static u64 wanted_sectors(const struct mb_pace *pace, const struct mb_step *step)
{
	u64 twice = 2ull * pace->sectors, in_time;

	if (!step->disturbed || !step->ns)
		return twice;
	in_time = div64_u64(step->sectors * BESIDE_NS, step->ns);
	return in_time < twice ? in_time : twice;
}

static u32 next_sectors(const struct mb_pace *pace, const struct mb_step *step, u32 limit)
{
	u64 wanted = wanted_sectors(pace, step);
	u32 sectors = MB_PACE_MIN_SECTORS;

	while (sectors < MB_PACE_MAX_SECTORS && 2 * sectors <= wanted &&
	       (!limit || sectors <= limit / LIMIT_STEPS))
		sectors *= 2;
	return sectors;
}

u64 mb_pace_next(struct mb_pace *pace, const struct mb_step *step, u32 limit)
{
	u64 by_limit = ns_by_limit(step->sectors, limit), rest = 0;

	pace->sectors = next_sectors(pace, step, limit);
	if (step->disturbed)
		rest = step->ns * (SHARE - 1);
	if (rest > MAX_REST_NS)
		rest = MAX_REST_NS;
	if (by_limit > step->ns + rest)
		rest = by_limit - step->ns;
	return rest;
}
