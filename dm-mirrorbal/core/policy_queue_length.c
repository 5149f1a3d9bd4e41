// SPDX-License-Identifier: GPL-2.0-only
/*
 * queue-length: the candidate with the fewest reads and writes in flight;
 * equals take turns. The turn is kept for each set of copies: one turn for all
 * would fall into step with a reader that alternates between sets, and always
 * give the same leg of a set.
 */
#include "policy.h"

struct queue_length_state {
	u32 turn[MB_MAX_LEGS];	/* by first_leg: where to start looking */
};

static u32 queue_length_select(const void *config, void *state, const struct mb_read *read)
{
	struct queue_length_state *memory = state;

	return mb_shortest_queue(&memory->turn[read->first_leg], read);
}

const struct mb_policy_ops mb_queue_length_ops = {
	.name = "queue-length",
	.wants = MB_POLICY_WANTS_IN_FLIGHT,
	.state_size = sizeof(struct queue_length_state),
	.select = queue_length_select,
};
