/* SPDX-License-Identifier: GPL-2.0-only */
/* Who uses a simulated array: random readers, and readers in sequence through a page cache. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "simulator.h"

/* Random requests, so many at a time. */
struct random_job {
	u64 sectors;		/* of the array that are in use */
	u32 block;		/* sectors of a request */
	u32 depth;
	u32 write_percent;
	u64 seed;
};

/*
 * A reader that goes through the array in sequence. As the kernel does it:
 * when it comes to the pages that were read ahead last, as many again are asked
 * for, in requests of at most @request sectors.
 */
struct reader_job {
	u64 start;		/* sector */
	u64 sectors;
	u32 ahead;		/* sectors that are read ahead */
	u32 request;		/* sectors of the largest request */
	u32 copy_ns;		/* it takes to read so many bytes as a sector holds from the cache */
};

struct job_result {
	u64 requests;		/* done */
	u64 sectors;		/* done; of a reader: read by it */
	u64 latency_ns;		/* sum, of a random job */
};

#define WORKLOAD_MAX_JOBS 16

struct workload {
	struct random_job random[WORKLOAD_MAX_JOBS];
	struct reader_job readers[WORKLOAD_MAX_JOBS];
	u32 nr_random;
	u32 nr_readers;
	u64 warm_up_ns;		/* before anything is counted */
	u64 run_ns;
};

/**
 * workload_run - let all jobs of a workload use an array at once
 * @sim: the array, fresh
 * @workload: the jobs
 * @random: receives what each random job got
 * @readers: receives what each reader got
 */
void workload_run(struct sim *sim, const struct workload *workload, struct job_result *random,
		  struct job_result *readers);

#endif /* WORKLOAD_H */
