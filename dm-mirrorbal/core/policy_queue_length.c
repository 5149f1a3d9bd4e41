// SPDX-License-Identifier: GPL-2.0-only
/*
 * queue-length: the candidate with the fewest reads and writes in flight;
 * equals take turns. The turn is kept for each set of copies: one turn for all
 * would fall into step with a reader that alternates between sets, and always
 * give the same leg of a set.
 *
 * In far and offset layouts each leg holds all copies, apart from one another, and
 * turns would send heads to and fro. There the first copy, which is on all legs as
 * well, is left only for a queue that is shorter; in far layouts, where the way is
 * long, a good deal shorter.
 */
#include "policy.h"

/* So many fewer in flight are worth the way to another section. */
#define ANOTHER_SECTION 4

struct queue_length_state {
	bool first_copy;	/* legs have heads, and all copies, apart from one another */
	u32 another_copy;	/* so many fewer in flight are worth the way to it */
	u32 turn[MB_MAX_LEGS];	/* by first_leg: where to start looking */
};

static void queue_length_init_state(const void *config, const struct mb_policy_array *array,
				    void *state)
{
	struct queue_length_state *memory = state;

	memory->first_copy = array->rotational_legs &&
			     array->layout->shape.kind != MB_LAYOUT_NEAR;
	memory->another_copy = array->layout->shape.kind == MB_LAYOUT_FAR ? ANOTHER_SECTION : 0;
}

static u32 select_first_copy(const struct mb_read *read, u32 another_copy)
{
	u32 fewest = mb_candidate_in_flight(read, &read->candidates[0]), best = 0, i;

	for (i = 1; i < read->nr_candidates; i++) {
		u32 in_flight = mb_candidate_in_flight(read, &read->candidates[i]) + another_copy;

		if (in_flight < fewest) {
			fewest = in_flight;
			best = i;
		}
	}
	return best;
}

static u32 queue_length_select(const void *config, void *state, const struct mb_read *read)
{
	struct queue_length_state *memory = state;

	if (unlikely(memory->first_copy))
		return select_first_copy(read, memory->another_copy);
	return mb_shortest_queue(&memory->turn[read->first_leg], read);
}

const struct mb_policy_ops mb_queue_length_ops = {
	.name = "queue-length",
	.wants = MB_POLICY_WANTS_IN_FLIGHT,
	.state_size = sizeof(struct queue_length_state),
	.init_state = queue_length_init_state,
	.select = queue_length_select,
};
