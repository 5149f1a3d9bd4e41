// SPDX-License-Identifier: GPL-2.0-only
/*
 * sequential-affinity [<window sectors>]: a stream of reads, each continuing
 * where the last one ended, stays on its side, so that every head has one
 * place to read from and each drive's own read-ahead works. New streams go to
 * the leg that serves the fewest. A stream that runs alone is handed to the
 * next side each time it enters another window of the address space: a reader
 * whose read-ahead spans several windows then keeps all legs reading at once.
 * Window 0 never hands over.
 *
 * Reads that continue nothing go where a new stream would go, and are remembered
 * as possible beginnings of one.
 */
#include "streams.h"
#include "window.h"

static int sequential_affinity_configure(void *config, const struct mb_layout *layout, u32 argc,
					 char **argv, struct mb_error *error)
{
	return mb_window_configure("sequential-affinity", config, layout, argc, argv,
				   error);
}

static int sequential_affinity_set(void *config, const char *key, const char *value,
				   struct mb_error *error)
{
	return mb_window_set("sequential-affinity", config, key, value, error);
}

static u32 sequential_affinity_print_args(const void *config, char *text, size_t size)
{
	return mb_window_print(config, text, size);
}

static void sequential_affinity_init_state(const void *config,
					   const struct mb_policy_array *array, void *state)
{
	mb_streams_init(state, array->layout);
}

static u32 sequential_affinity_window(const void *config)
{
	const struct mb_window *window = config;

	return window->sectors;
}

/*
 * What to compare, in one number: streams, then I/O in flight, then the way of
 * the head. Distances need 54 bits (MB_MAX_LENGTH), streams 5; so I/O in
 * flight counts up to 31 and is all the same beyond. @streams is NULL where
 * there are none.
 */
static __always_inline u64 load(const struct mb_streams *streams,
				const struct mb_read *read, const struct mb_place *candidate)
{
	u32 in_flight = mb_candidate_in_flight(read, candidate);
	u64 load = mb_candidate_distance(read, candidate);

	load |= (u64)(in_flight < 31 ? in_flight : 31) << 54;
	if (streams)
		load |= (u64)mb_streams_beside(streams, candidate) << 59;
	return load;
}

static __always_inline const struct mb_place *
least_loaded(const struct mb_streams *streams, const struct mb_read *read)
{
	const struct mb_place *candidate = read->candidates;
	const struct mb_place *end = candidate + read->nr_candidates;
	const struct mb_place *best = candidate;
	u64 least = load(streams, read, best);

	/* There are two at least. */
	candidate++;
	do {
		u64 this_load = load(streams, read, candidate);

		if (this_load < least) {
			least = this_load;
			best = candidate;
		}
	} while (++candidate < end);
	return best;
}

static noinline u32 select_beside_streams(const struct mb_streams *streams, s32 side,
					  const struct mb_read *read)
{
	u32 choice = read->nr_candidates;

	if (side != MB_ANY_SIDE)
		choice = mb_side_candidate(streams->layout, read, side);
	if (choice == read->nr_candidates)
		choice = least_loaded(streams, read) - read->candidates;
	return choice;
}

static u32 sequential_affinity_cut(const void *config, void *state, const struct mb_read *read)
{
	const struct mb_window *window = config;

	return mb_streams_cut(state, window->sectors, read);
}

static u32 sequential_affinity_select(const void *config, void *state, const struct mb_read *read)
{
	const struct mb_window *window = config;
	struct mb_streams *streams = state;
	struct mb_stream_read found = mb_streams_look_up(streams, window->sectors, read);
	u32 choice;

	if (unlikely(streams->nr || found.side != MB_ANY_SIDE))
		choice = select_beside_streams(streams, found.side, read);
	else
		choice = least_loaded(NULL, read) - read->candidates;
	mb_streams_note(streams, found, read, &read->candidates[choice]);
	return choice;
}

const struct mb_policy_ops mb_sequential_affinity_ops = {
	.name = "sequential-affinity",
	.wants = MB_POLICY_WANTS_IN_FLIGHT,
	.config_size = sizeof(struct mb_window),
	.state_size = sizeof(struct mb_streams),
	.configure = sequential_affinity_configure,
	.set = sequential_affinity_set,
	.print_args = sequential_affinity_print_args,
	.window = sequential_affinity_window,
	.init_state = sequential_affinity_init_state,
	.cut = sequential_affinity_cut,
	.select = sequential_affinity_select,
};
