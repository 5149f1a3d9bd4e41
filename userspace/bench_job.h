/* SPDX-License-Identifier: GPL-2.0-only */
/* What `bench` measures, in fio's words. */
#ifndef MB_BENCH_JOB_H
#define MB_BENCH_JOB_H

#include "port.h"

/* One run of fio. */
struct bench_step {
	const char *name;
	u32 readers;			/* the place is shared out among so many */
	const char *const *options;	/* fio's; NULL for a job file, which has them */
};

struct bench_job {
	const char *name;	/* or the job file's path */
	bool writes;		/* may be unknown of a job file: fio refuses then */
	const struct bench_step *steps;
	u32 nr_steps;
};

/* Where something is measured. */
struct bench_place {
	const char *name;	/* "md raid10 n2" */
	const char *path;	/* as fio reads it: without what it would take for more than a name */
	u64 bytes;
	bool writable;		/* what is there may be lost */
};

/**
 * bench_job_find - the job of a name, or a job file
 * @word: "raid10", "homelab", or a path
 * @job: receives it
 *
 * Return: 0, or -1 having said what is wrong.
 */
int bench_job_find(const char *word, struct bench_job *job);

/* A list of words that fio_run() takes; to be freed with bench_argv_free(). */
struct bench_argv {
	char *words[32];
	u32 nr;
};

/**
 * bench_job_argv - the command line of a step
 * @argv: receives it
 * @job: of which job
 * @step: number of the step
 * @place: where
 * @seconds: that it may take
 */
void bench_job_argv(struct bench_argv *argv, const struct bench_job *job, u32 step,
		    const struct bench_place *place, u32 seconds);

/* The command line that fills a new file, so that there is something to read. */
void bench_fill_argv(struct bench_argv *argv, const struct bench_place *place);

void bench_argv_free(struct bench_argv *argv);

#endif /* MB_BENCH_JOB_H */
