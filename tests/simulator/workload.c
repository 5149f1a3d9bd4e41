// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "workload.h"

struct random_run {
	struct sim *sim;
	const struct random_job *job;
	struct job_result result;
	u64 random;
	u64 count_from;
	struct sim_io *ios;
};

/* splitmix64 (Steele, Lea, Flood 2014) */
static u64 next_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static void random_next(struct random_run *run, struct sim_io *io)
{
	io->sector = next_random(&run->random) % (run->job->sectors / run->job->block) *
		     run->job->block;
	io->sectors = run->job->block;
	io->write = next_random(&run->random) % 100 < run->job->write_percent;
	sim_submit(run->sim, io);
}

static void random_done(struct sim_io *io, u64 now)
{
	struct random_run *run = io->owner;

	if (now > run->count_from) {
		run->result.requests++;
		run->result.sectors += io->sectors;
		run->result.latency_ns += now - io->submitted;
	}
	random_next(run, io);
}

/* What is read ahead at a time, twice: the part being read, and the next. */
struct ahead {
	u64 first;		/* sector, from the reader's start */
	u32 sectors;
	u32 nr_ios;
	struct sim_io *ios;
	u64 *arrived;		/* each request; 0: not yet */
};

struct reader_run {
	struct sim *sim;
	const struct reader_job *job;
	struct job_result result;
	u64 count_from;
	struct ahead ahead[2];
	u32 at;			/* which of both is being read */
	u32 request;		/* of it, the next one to be read */
	bool waits;
};

static void read_on(void *context, u64 now);

static void reader_done(struct sim_io *io, u64 now)
{
	struct reader_run *run = io->owner;
	u32 i;

	for (i = 0; i < 2; i++)
		if (io >= run->ahead[i].ios && io < run->ahead[i].ios + run->ahead[i].nr_ios)
			run->ahead[i].arrived[io - run->ahead[i].ios] = now + 1;
	if (run->waits) {
		run->waits = false;
		read_on(run, now);
	}
}

static void ask_for(struct reader_run *run, struct ahead *ahead, u64 first)
{
	const struct reader_job *job = run->job;
	u32 i;

	ahead->first = first;
	for (i = 0; i < ahead->nr_ios; i++)
		ahead->arrived[i] = 0;
	for (i = 0; i < ahead->nr_ios; i++) {
		struct sim_io *io = &ahead->ios[i];
		u32 at = i * job->request;

		io->sector = job->start + (first + at) % job->sectors;
		io->sectors = ahead->sectors - at < job->request ? ahead->sectors - at :
			      job->request;
		io->write = false;
		io->done = reader_done;
		io->owner = run;
		sim_submit(run->sim, io);
	}
}

/* The reader goes on: through what has arrived, then it waits for the next. */
static void read_on(void *context, u64 now)
{
	struct reader_run *run = context;
	struct ahead *ahead = &run->ahead[run->at];
	u32 sectors;

	if (run->request == ahead->nr_ios) {
		run->at ^= 1;
		run->request = 0;
		ahead = &run->ahead[run->at];
		/* Its first page is marked: before it is waited for, more is asked for. */
		ask_for(run, &run->ahead[run->at ^ 1], ahead->first + ahead->sectors);
	}
	if (!ahead->arrived[run->request]) {
		run->waits = true;
		return;
	}
	sectors = ahead->ios[run->request].sectors;
	if (now > run->count_from) {
		run->result.requests++;
		run->result.sectors += sectors;
	}
	run->request++;
	sim_at(run->sim, now + (u64)sectors * run->job->copy_ns, read_on, run);
}

static void *zeroed(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		abort();
	return memory;
}

static void random_start(struct random_run *run)
{
	u32 i;

	run->ios = zeroed(run->job->depth, sizeof(*run->ios));
	run->random = run->job->seed;
	for (i = 0; i < run->job->depth; i++) {
		run->ios[i].done = random_done;
		run->ios[i].owner = run;
		random_next(run, &run->ios[i]);
	}
}

static void reader_start(struct reader_run *run)
{
	const struct reader_job *job = run->job;
	u32 i;

	for (i = 0; i < 2; i++) {
		run->ahead[i].sectors = job->ahead;
		run->ahead[i].nr_ios = (job->ahead + job->request - 1) / job->request;
		run->ahead[i].ios = zeroed(run->ahead[i].nr_ios, sizeof(struct sim_io));
		run->ahead[i].arrived = zeroed(run->ahead[i].nr_ios, sizeof(u64));
	}
	ask_for(run, &run->ahead[0], 0);
	ask_for(run, &run->ahead[1], run->ahead[0].sectors);
	read_on(run, run->sim->now);
}

static void reader_stop(struct reader_run *run)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		free(run->ahead[i].ios);
		free(run->ahead[i].arrived);
	}
}

void workload_run(struct sim *sim, const struct workload *workload, struct job_result *random,
		  struct job_result *readers)
{
	struct random_run *random_runs = zeroed(WORKLOAD_MAX_JOBS, sizeof(*random_runs));
	struct reader_run *reader_runs = zeroed(WORKLOAD_MAX_JOBS, sizeof(*reader_runs));
	u64 count_from = sim->now + workload->warm_up_ns;
	u32 i;

	for (i = 0; i < workload->nr_random; i++) {
		random_runs[i].sim = sim;
		random_runs[i].job = &workload->random[i];
		random_runs[i].count_from = count_from;
		random_start(&random_runs[i]);
	}
	for (i = 0; i < workload->nr_readers; i++) {
		reader_runs[i].sim = sim;
		reader_runs[i].job = &workload->readers[i];
		reader_runs[i].count_from = count_from;
		reader_start(&reader_runs[i]);
	}
	sim_run(sim, count_from + workload->run_ns);
	for (i = 0; i < workload->nr_random; i++) {
		random[i] = random_runs[i].result;
		free(random_runs[i].ios);
	}
	for (i = 0; i < workload->nr_readers; i++) {
		readers[i] = reader_runs[i].result;
		reader_stop(&reader_runs[i]);
	}
	free(random_runs);
	free(reader_runs);
}
