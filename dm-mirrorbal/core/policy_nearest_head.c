// SPDX-License-Identifier: GPL-2.0-only
/*
 * nearest-head: the candidate whose last submitted read ended nearest to where
 * this one starts; idle legs come before busy ones. Among equals the one with
 * less in flight, then the lower copy.
 */
#include "policy.h"

static bool better(const struct mb_read *read, const struct mb_place *a,
		   const struct mb_place *b)
{
	u32 busy_a = mb_candidate_in_flight(read, a), busy_b = mb_candidate_in_flight(read, b);
	u64 far_a, far_b;

	if (!busy_a != !busy_b)
		return !busy_a;
	far_a = mb_candidate_distance(read, a);
	far_b = mb_candidate_distance(read, b);
	return far_a < far_b || (far_a == far_b && busy_a < busy_b);
}

static u32 nearest_head_select(const void *config, void *state, const struct mb_read *read)
{
	u32 best = 0, i;

	for (i = 1; i < read->nr_candidates; i++)
		if (better(read, &read->candidates[i], &read->candidates[best]))
			best = i;
	return best;
}

const struct mb_policy_ops mb_nearest_head_ops = {
	.name = "nearest-head",
	.wants = MB_POLICY_WANTS_IN_FLIGHT,
	.select = nearest_head_select,
};
