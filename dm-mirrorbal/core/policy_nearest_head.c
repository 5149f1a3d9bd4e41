// SPDX-License-Identifier: GPL-2.0-only
/*
 * nearest-head: the candidate whose last submitted read ended nearest to where
 * this one starts; idle legs come before busy ones. Among equals the one with
 * less in flight, then the lower copy.
 */
#include "policy.h"

/* Distances are far below this (MB_MAX_LENGTH). */
#define BUSY (1ull << 63)

/* What to compare first, in one number. */
static u64 cost(const struct mb_read *read, const struct mb_place *candidate)
{
	return mb_candidate_distance(read, candidate) |
	       (mb_candidate_in_flight(read, candidate) ? BUSY : 0);
}

static u32 nearest_head_select(const void *config, void *state, const struct mb_read *read)
{
	const struct mb_place *candidate = read->candidates;
	const struct mb_place *end = candidate + read->nr_candidates;
	const struct mb_place *best = candidate;
	u64 best_cost = cost(read, best);

	/* There are two at least. */
	candidate++;
	do {
		u64 this_cost = cost(read, candidate);

		if (this_cost > best_cost)
			continue;
		if (unlikely(this_cost == best_cost) &&
		    mb_candidate_in_flight(read, candidate) >= mb_candidate_in_flight(read, best))
			continue;
		best = candidate;
		best_cost = this_cost;
	} while (++candidate < end);
	return best - read->candidates;
}

const struct mb_policy_ops mb_nearest_head_ops = {
	.name = "nearest-head",
	.wants = MB_POLICY_WANTS_IN_FLIGHT,
	.select = nearest_head_select,
};
