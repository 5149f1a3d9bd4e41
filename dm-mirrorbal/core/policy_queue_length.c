// SPDX-License-Identifier: GPL-2.0-only
/*
 * queue-length: the candidate with the fewest reads and writes in flight;
 * equals take turns. The turn is kept for each set of copies: one turn for all
 * would fall into step with a reader that alternates between sets, and always
 * give the same leg of a set.
 *
 * In far layouts each copy has a section of every leg, and turns would send heads
 * to and fro between them. There the first copy, which is on all legs as well, is
 * left only for a queue that is a good deal shorter.
 */
#include "policy.h"

/* So many fewer in flight are worth the way to another section. */
#define ANOTHER_SECTION 4

struct queue_length_state {
	bool in_sections;	/* legs have heads, and each copy in a section of its own */
	u32 turn[MB_MAX_LEGS];	/* by first_leg: where to start looking */
};

static void queue_length_init_state(const void *config, const struct mb_policy_array *array,
				    void *state)
{
	struct queue_length_state *memory = state;

	memory->in_sections = array->rotational_legs &&
			      array->layout->shape.kind == MB_LAYOUT_FAR;
}

static u32 select_section(const struct mb_read *read)
{
	u32 fewest = mb_candidate_in_flight(read, &read->candidates[0]), best = 0, i;

	for (i = 1; i < read->nr_candidates; i++) {
		u32 in_flight = mb_candidate_in_flight(read, &read->candidates[i]) + ANOTHER_SECTION;

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

	if (unlikely(memory->in_sections))
		return select_section(read);
	return mb_shortest_queue(&memory->turn[read->first_leg], read);
}

const struct mb_policy_ops mb_queue_length_ops = {
	.name = "queue-length",
	.wants = MB_POLICY_WANTS_IN_FLIGHT,
	.state_size = sizeof(struct queue_length_state),
	.init_state = queue_length_init_state,
	.select = queue_length_select,
};
