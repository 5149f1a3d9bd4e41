// SPDX-License-Identifier: GPL-2.0-only
/*
 * nearest-head: the candidate whose last submitted read ended nearest to where
 * this one starts; idle legs come before busy ones. Among equals the one with
 * less in flight, then the lower copy.
 */
#include "policy.h"

static u64 distance(const struct mb_candidate *candidate)
{
	return candidate->sector > candidate->last_end ?
		candidate->sector - candidate->last_end :
		candidate->last_end - candidate->sector;
}

static bool better(const struct mb_candidate *a, const struct mb_candidate *b)
{
	u64 near_a, near_b;

	if (!a->in_flight != !b->in_flight)
		return !a->in_flight;
	near_a = distance(a);
	near_b = distance(b);
	if (near_a != near_b)
		return near_a < near_b;
	return a->in_flight < b->in_flight;
}

static u32 nearest_head_select(const void *config, void *state, const struct mb_read *read)
{
	u32 best = 0, i;

	for (i = 1; i < read->nr_candidates; i++)
		if (better(&read->candidates[i], &read->candidates[best]))
			best = i;
	return best;
}

const struct mb_policy_ops mb_nearest_head_ops = {
	.name = "nearest-head",
	.wants = MB_POLICY_WANTS_POSITION | MB_POLICY_WANTS_IN_FLIGHT,
	.select = nearest_head_select,
};
