// SPDX-License-Identifier: GPL-2.0-only
/*
 * split: each copy serves its own share of the address space, so that a head
 * never leaves its part. Shares are equal at first; then a copy whose leg has
 * more in flight than a neighbour's gives some of its share to it.
 *
 * Boundaries are kept for each set of copies. Far lays the copies of what lies
 * low on a leg behind what lies high: there the shares are dealt out in
 * descending order, so that all of them lie together in the legs' middle.
 */
#include "policy.h"

/* A boundary moves by so much of the share that gives: none is used up. */
#define STEP_SHIFT 7
/* Differences in flight below this are chance. */
#define UNEVEN 2

struct split_state {
	u64 length;		/* sectors of the array */
	u32 copies;
	bool descending;
	/* By first_leg: where share i ends and share i + 1 begins. */
	u64 end[MB_MAX_LEGS][MB_MAX_LEGS - 1];
};

static void split_init_state(const void *config, const struct mb_policy_array *array, void *state)
{
	const struct mb_shape *shape = &array->layout->shape;
	struct split_state *memory = state;
	u32 set, i;

	memory->length = array->layout->length;
	memory->copies = shape->copies;
	memory->descending = shape->kind == MB_LAYOUT_FAR;
	for (set = 0; set < MB_MAX_LEGS; set++)
		for (i = 0; i + 1 < shape->copies; i++)
			memory->end[set][i] = div_u64(memory->length, shape->copies) * (i + 1);
}

static u32 copy_of(const struct split_state *memory, u32 share)
{
	return memory->descending ? memory->copies - 1 - share : share;
}

/* The candidate with a copy, or nr_candidates if that cannot be read. */
static u32 candidate_of(const struct mb_read *read, u32 copy)
{
	u32 i;

	for (i = 0; i < read->nr_candidates && read->candidates[i].copy != copy; i++)
		;
	return i;
}

/* Give part of a share to a neighbour: the boundary between both moves. */
static void give(const struct split_state *memory, u64 *end, u32 share, bool to_next)
{
	u64 first = share ? end[share - 1] : 0;
	u64 last = share + 1 < memory->copies ? end[share] : memory->length;
	u64 step = (last - first) >> STEP_SHIFT;

	if (to_next)
		end[share] -= step;
	else
		end[share - 1] += step;
}

static void follow_load(const struct split_state *memory, u64 *end, u32 share,
			const struct mb_read *read, u32 choice)
{
	u32 in_flight = mb_candidate_in_flight(read, &read->candidates[choice]);
	u32 least = in_flight, neighbour, i;
	bool to_next = false;

	for (i = 0; i < 2; i++) {
		u32 other = i ? share + 1 : share - 1;

		if (other >= memory->copies)
			continue;
		neighbour = candidate_of(read, copy_of(memory, other));
		if (neighbour == read->nr_candidates ||
		    mb_candidate_in_flight(read, &read->candidates[neighbour]) >= least)
			continue;
		least = mb_candidate_in_flight(read, &read->candidates[neighbour]);
		to_next = i;
	}
	if (in_flight >= least + UNEVEN)
		give(memory, end, share, to_next);
}

static u32 fewest_in_flight(const struct mb_read *read)
{
	u32 best = 0, i;

	for (i = 1; i < read->nr_candidates; i++)
		if (mb_candidate_in_flight(read, &read->candidates[i]) <
		    mb_candidate_in_flight(read, &read->candidates[best]))
			best = i;
	return best;
}

static u32 split_select(const void *config, void *state, const struct mb_read *read)
{
	struct split_state *memory = state;
	u64 *end = memory->end[read->first_leg];
	u32 share = 0, choice;

	while (share + 1 < memory->copies && read->sector >= end[share])
		share++;
	choice = candidate_of(read, copy_of(memory, share));
	if (choice == read->nr_candidates)
		return fewest_in_flight(read);
	follow_load(memory, end, share, read, choice);
	return choice;
}

const struct mb_policy_ops mb_split_ops = {
	.name = "split",
	.wants = MB_POLICY_WANTS_IN_FLIGHT,
	.state_size = sizeof(struct split_state),
	.init_state = split_init_state,
	.select = split_select,
};
