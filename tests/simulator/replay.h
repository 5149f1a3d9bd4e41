/* SPDX-License-Identifier: GPL-2.0-only */
/* A recorded list of requests, put to a simulated array. */
#ifndef REPLAY_H
#define REPLAY_H

#include "simulator.h"

struct replay_request {
	u64 at_ns;		/* from the beginning */
	u64 sector;
	u32 sectors;
	bool write;
};

struct replay_result {
	u64 run_ns;		/* until the last one was done */
	u64 reads;
	u64 read_latency_ns;	/* sum */
	u64 read_p99_ns;
};

/**
 * replay_run - let an array serve all requests
 * @sim: the array, fresh
 * @requests: within the array; in the order of their times
 * @nr: their number, at least 1
 * @depth: so many at a time, as fast as it goes; 0: at their times
 * @result: receives what came of it
 */
void replay_run(struct sim *sim, const struct replay_request *requests, u64 nr, u32 depth,
		struct replay_result *result);

/* The rule by which md raid10 reads near layouts: the first idle leg, else the nearest head. */
extern const struct mb_policy_ops replay_md_near_ops;

#endif /* REPLAY_H */
