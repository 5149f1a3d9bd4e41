// SPDX-License-Identifier: GPL-2.0-only
/*
 * nearest-head: the candidate whose last submitted read ended nearest to where
 * this one starts; idle legs come before busy ones. Among equals the one with
 * less in flight, then the lower copy.
 *
 * In offset layouts with all data on each leg, one whose head is just there comes
 * before idle ones: those would begin in the middle of a stripe, and go back for
 * what they have passed over.
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

u32 mb_nearest_head(const struct mb_read *read)
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

struct nearest_head_state {
	bool stays;	/* where its head is, even if that leg is busy */
};

static void nearest_head_init_state(const void *config, const struct mb_policy_array *array,
				    void *state)
{
	const struct mb_shape *shape = &array->layout->shape;
	struct nearest_head_state *memory = state;

	memory->stays = array->rotational_legs && shape->kind == MB_LAYOUT_OFFSET &&
			shape->copies == shape->legs;
}

static u32 nearest_head_select(const void *config, void *state, const struct mb_read *read)
{
	const struct nearest_head_state *memory = state;
	u32 i;

	if (unlikely(memory->stays))
		for (i = 0; i < read->nr_candidates; i++)
			if (!mb_candidate_distance(read, &read->candidates[i]))
				return i;
	return mb_nearest_head(read);
}

const struct mb_policy_ops mb_nearest_head_ops = {
	.name = "nearest-head",
	.wants = MB_POLICY_WANTS_IN_FLIGHT,
	.state_size = sizeof(struct nearest_head_state),
	.init_state = nearest_head_init_state,
	.select = nearest_head_select,
};
