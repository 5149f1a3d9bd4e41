// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "replay.h"

struct replay {
	struct sim *sim;
	const struct replay_request *requests;
	u64 nr;
	u64 next;
	struct sim_io *ios;
	u64 *latencies;		/* of reads, in the order in which they were done */
	struct replay_result result;
};

static void submit_next(struct replay *replay)
{
	const struct replay_request *request = &replay->requests[replay->next];
	struct sim_io *io = &replay->ios[replay->next++];

	io->sector = request->sector;
	io->sectors = request->sectors;
	io->write = request->write;
	sim_submit(replay->sim, io);
}

static void note(struct replay *replay, const struct sim_io *io, u64 now)
{
	struct replay_result *result = &replay->result;

	result->run_ns = now;
	if (io->write)
		return;
	replay->latencies[result->reads++] = now - io->submitted;
	result->read_latency_ns += now - io->submitted;
}

static void done_in_time(struct sim_io *io, u64 now)
{
	note(io->owner, io, now);
}

/* A request's time has come. */
static void arrive(void *context, u64 now)
{
	struct replay *replay = context;

	submit_next(replay);
	if (replay->next < replay->nr)
		sim_at(replay->sim, replay->requests[replay->next].at_ns, arrive, replay);
}

static void done_go_on(struct sim_io *io, u64 now)
{
	struct replay *replay = io->owner;

	note(replay, io, now);
	if (replay->next < replay->nr)
		submit_next(replay);
}

static int by_size(const void *a, const void *b)
{
	const u64 *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

void replay_run(struct sim *sim, const struct replay_request *requests, u64 nr, u32 depth,
		struct replay_result *result)
{
	struct replay replay = { .sim = sim, .requests = requests, .nr = nr };
	u64 i;

	replay.ios = calloc(nr, sizeof(*replay.ios));
	replay.latencies = calloc(nr, sizeof(*replay.latencies));
	if (!replay.ios || !replay.latencies)
		abort();
	for (i = 0; i < nr; i++) {
		replay.ios[i].done = depth ? done_go_on : done_in_time;
		replay.ios[i].owner = &replay;
	}
	if (depth)
		while (replay.next < nr && replay.next < depth)
			submit_next(&replay);
	else
		sim_at(sim, requests[0].at_ns, arrive, &replay);
	sim_run(sim, (u64)-1);

	*result = replay.result;
	qsort(replay.latencies, result->reads, sizeof(*replay.latencies), by_size);
	if (result->reads)
		result->read_p99_ns = replay.latencies[(result->reads - 1) * 99 / 100];
	free(replay.ios);
	free(replay.latencies);
}

static u32 md_near_select(const void *config, void *state, const struct mb_read *read)
{
	u64 least = ~0ull, distance;
	u32 best = 0, i;

	for (i = 0; i < read->nr_candidates; i++) {
		distance = mb_candidate_in_flight(read, &read->candidates[i]) ?
			   mb_candidate_distance(read, &read->candidates[i]) : 0;
		if (distance < least) {
			least = distance;
			best = i;
		}
	}
	return best;
}

const struct mb_policy_ops replay_md_near_ops = {
	.name = "md-near",
	.wants = MB_POLICY_WANTS_IN_FLIGHT,
	.select = md_near_select,
};
