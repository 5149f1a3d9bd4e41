// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "alloc.h"
#include "bench.h"

/* Parts of a step that the progress bar counts. */
#define PARTS 1000

void bench_begin(struct bench *bench, u32 nr_steps)
{
	progress_start(&bench->progress, "bench", (u64)nr_steps * PARTS);
}

void bench_end(struct bench *bench)
{
	progress_clear(&bench->progress);
}

struct step_shown {
	struct bench *bench;
	char *text;
};

static void show(double done, void *context)
{
	struct step_shown *step = context;

	progress_show_step(&step->bench->progress, step->bench->steps_done * PARTS + done * PARTS,
			   step->text);
}

static int run_step(struct bench *bench, const struct bench_argv *argv, char *text,
		    struct fio_results *results)
{
	struct step_shown step = { .bench = bench, .text = text };
	int result;

	show(0, &step);
	result = fio_run((const char *const *)argv->words, show, &step, results);
	bench->steps_done++;
	free(text);
	return result;
}

static void add_rows(struct bench *bench, const struct bench_place *place, bool md, u32 *nth,
		     struct fio_results *results)
{
	u32 i;

	bench->rows = xrealloc(bench->rows, (bench->nr_rows + results->nr) * sizeof(*bench->rows));
	for (i = 0; i < results->nr; i++)
		bench->rows[bench->nr_rows++] = (struct bench_row){
			.place = xstrdup(place->name), .nth = (*nth)++, .md = md,
			.result = results->list[i],
		};
	/* The rows have what was in them. */
	free(results->list);
}

int bench_measure(struct bench *bench, const struct bench_place *place, bool md)
{
	struct fio_results results;
	struct bench_argv argv;
	u32 step, nth = 0;
	int result = 0;

	for (step = 0; step < bench->job.nr_steps && !result; step++) {
		const char *name = bench->job.steps[step].name;

		bench_job_argv(&argv, &bench->job, step, place, bench->seconds);
		result = run_step(bench, &argv, xprintf("%s: %s", place->name,
							name ? name : bench->job.name), &results);
		bench_argv_free(&argv);
		if (!result)
			add_rows(bench, place, md, &nth, &results);
	}
	return result;
}

int bench_fill(struct bench *bench, const struct bench_place *place)
{
	struct fio_results results;
	struct bench_argv argv;
	int result;

	bench_fill_argv(&argv, place);
	result = run_step(bench, &argv, xprintf("%s: filled", place->name), &results);
	bench_argv_free(&argv);
	if (!result)
		fio_results_free(&results);
	return result;
}
