/* SPDX-License-Identifier: GPL-2.0-only */
/* A run of `bench`: what was asked for, and what has been measured so far. */
#ifndef MB_BENCH_H
#define MB_BENCH_H

#include "bench_job.h"
#include "create.h"
#include "fio.h"
#include "progress.h"

#define BENCH_MAX_POLICIES 16

struct bench_policy {
	const char *name;
	u32 argc;
	char *argv[MB_MAX_POLICY_ARGS + 1];
};

struct bench_row {
	char *place;
	u32 nth;		/* of the rows of its place: the same job in each */
	bool md;		/* what the others are compared with */
	struct fio_result result;
};

struct bench {
	/* As asked for. */
	struct bench_job job;
	u32 seconds;		/* for each step */
	u64 file_bytes;		/* of a new file */
	bool json;
	bool yes;
	struct mb_shape shape;	/* of arrays, but for the legs */
	struct bench_policy policies[BENCH_MAX_POLICIES];
	u32 nr_policies;
	char **paths;
	u32 nr_paths;

	/* As measured. */
	struct bench_row *rows;
	u32 nr_rows;
	struct progress progress;
	u32 steps_done;
};

/* Before the first place: how many steps there will be in all. */
void bench_begin(struct bench *bench, u32 nr_steps);

/**
 * bench_measure - all steps of the job, in one place
 * @bench: the run; rows are added
 * @place: where
 * @md: is it md raid10, which others are compared with?
 *
 * Return: 0, or -1 having said why; an interruption is not said.
 */
int bench_measure(struct bench *bench, const struct bench_place *place, bool md);

/* Fill a new file; a step like the others. */
int bench_fill(struct bench *bench, const struct bench_place *place);

/* After the last place, or the last that could be measured. */
void bench_end(struct bench *bench);

/* What is there is only read; files that are not there come and go. 0, or -1 having said why. */
int bench_paths(struct bench *bench);

/* md raid10 and mirrorbal in turn on disks that lose what they carry. 0, or -1 having said why. */
int bench_disks(struct bench *bench);

/* What was measured, on standard output. */
void bench_report(const struct bench *bench);

#endif /* MB_BENCH_H */
