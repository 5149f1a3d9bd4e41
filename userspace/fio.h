/* SPDX-License-Identifier: GPL-2.0-only */
/* Running fio, and reading what it reports. */
#ifndef MB_FIO_H
#define MB_FIO_H

#include <json-c/json.h>

#include "port.h"

/* What one of fio's jobs did; a latency that was not measured is 0. */
struct fio_result {
	char *job;
	double read_iops;
	double read_bytes_s;
	double read_mean_ns;
	double read_p99_ns;
	double write_iops;
	double write_bytes_s;
};

struct fio_results {
	struct fio_result *list;
	u32 nr;
};

/* Called now and then while fio runs, with the part that is done, 0 to 1. */
typedef void (*fio_watch_fn)(double done, void *context);

/* Is there an fio? 0, or -1 having said how to get it. */
int fio_need(void);

/**
 * fio_run - run fio to its end
 * @argv: its arguments, "fio" first, NULL at the end; how it reports is not among them
 * @watch: called while it runs
 * @context: handed through
 * @results: receives what its jobs did; to be freed with fio_results_free()
 *
 * Ends it when the command is interrupted. Needs interrupt_catch().
 *
 * Return: 0, or -1 having said what is wrong; an interruption is not said.
 */
int fio_run(const char *const *argv, fio_watch_fn watch, void *context,
	    struct fio_results *results);

void fio_results_free(struct fio_results *results);

/**
 * fio_percent - how far fio is, by its status line
 * @line: "Jobs: 1 (f=1): [r(1)][75.0%][r=1997KiB/s]..."
 *
 * Return: 0 to 1; negative if the line does not say.
 */
double fio_percent(const char *line);

/**
 * fio_results_parse - from fio's JSON
 * @report: all of it
 * @results: receives them
 *
 * Return: NULL, or what is wrong, as a new text.
 */
char *fio_results_parse(struct json_object *report, struct fio_results *results);

#endif /* MB_FIO_H */
