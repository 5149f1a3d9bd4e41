// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "alloc.h"
#include "bench_job.h"
#include "say.h"

#define MIB (1ull << 20)
#define GIB (1ull << 30)

/* A map of all blocks would take much memory on large disks; another generator has no limit of 32 bits. */
#define RANDOM \
	"--bs=4k", "--direct=1", "--ioengine=libaio", "--norandommap", \
	"--random_generator=tausworthe64", "--randrepeat=1", "--time_based"

/* What was measured of md raid10 when it learned to choose by distance, in 2016: one reader, and one read at a time. */
static const struct bench_step raid10_steps[] = {
	{ "sequential", 1, (const char *const []){ "--rw=read", "--bs=4k", "--ioengine=psync", NULL } },
	{ "random", 1, (const char *const []){ "--rw=randread", "--iodepth=1", RANDOM, NULL } },
	{ "random-32", 1, (const char *const []){ "--rw=randread", "--iodepth=32", RANDOM, NULL } },
	{ "readers-4", 4, (const char *const []){ "--rw=read", "--bs=1M", "--ioengine=psync",
						   "--group_reporting", NULL } },
};

/* The job of a homelab's owner in 2022. */
static const struct bench_step homelab_steps[] = {
	{ "homelab", 1, (const char *const []){ "--readwrite=randrw", "--rwmixread=75", "--bs=4k",
						"--iodepth=64", "--ioengine=libaio", "--direct=1",
						"--randrepeat=1", "--gtod_reduce=1", NULL } },
};
#define HOMELAB_BYTES GIB

static const struct bench_step file_steps[] = { { NULL, 0, NULL } };

static const struct bench_job jobs[] = {
	{ "raid10", false, raid10_steps, ARRAY_SIZE(raid10_steps) },
	{ "homelab", true, homelab_steps, ARRAY_SIZE(homelab_steps) },
};

/* Where is measured is said on our command line; a job file that says it too would have its way. */
static bool names_a_place(const char *line)
{
	static const char *const options[] = { "filename", "directory", "filename_format", "opendir" };
	size_t length, i;

	while (isspace((unsigned char)*line))
		line++;
	length = strcspn(line, "= \t\r\n");
	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (strlen(options[i]) == length && !strncmp(line, options[i], length))
			return true;
	return false;
}

static int check_job_file(const char *path)
{
	FILE *file = fopen(path, "re");
	size_t size = 0, number = 0;
	char *line = NULL;
	int result = 0;

	if (!file)
		return say_error("--job: '%s' is neither raid10 nor homelab, nor fio's job file: %s", path,
				 strerror(errno));
	while (!result && getline(&line, &size, file) >= 0) {
		number++;
		if (names_a_place(line))
			result = say_error("%s, line %zu: names files of its own; take that out, what is measured is said on the command line",
					   path, number);
	}
	if (!result && ferror(file))
		result = say_error("%s: %s", path, strerror(errno));
	free(line);
	fclose(file);
	return result;
}

int bench_job_find(const char *word, struct bench_job *job)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(jobs); i++)
		if (!strcmp(word, jobs[i].name)) {
			*job = jobs[i];
			return 0;
		}
	*job = (struct bench_job){ .name = word, .steps = file_steps, .nr_steps = 1 };
	return check_job_file(word);
}

static void add(struct bench_argv *argv, char *word)
{
	argv->words[argv->nr++] = word;
}

/* To fio, a colon separates one file from the next. */
static char *filename_option(const char *path)
{
	char *option = xstrdup("--filename=");

	for (; *path; path++)
		xappend(&option, "", *path == ':' || *path == '\\' ? "\\%c" : "%c", *path);
	return option;
}

static void begin(struct bench_argv *argv, const struct bench_place *place)
{
	*argv = (struct bench_argv){ 0 };
	add(argv, xstrdup("fio"));
	if (!place->writable)
		add(argv, xstrdup("--readonly"));
	add(argv, xstrdup("--allow_file_create=0"));
	add(argv, filename_option(place->path));
}

static u64 bytes_of(const struct bench_job *job, const struct bench_place *place)
{
	return job->steps == homelab_steps && place->bytes > HOMELAB_BYTES ? HOMELAB_BYTES :
	       place->bytes;
}

static void add_share(struct bench_argv *argv, u64 bytes, u32 readers)
{
	u64 each = bytes / readers / MIB * MIB;

	add(argv, xprintf("--size=%llu", (unsigned long long)(readers > 1 ? each : bytes)));
	if (readers == 1)
		return;
	add(argv, xprintf("--numjobs=%u", readers));
	add(argv, xprintf("--offset_increment=%llu", (unsigned long long)each));
}

void bench_job_argv(struct bench_argv *argv, const struct bench_job *job, u32 number,
		    const struct bench_place *place, u32 seconds)
{
	const struct bench_step *step = &job->steps[number];
	const char *const *option;

	begin(argv, place);
	if (!step->options) {
		add(argv, xstrdup(job->name));
		return;
	}
	add(argv, xstrdup("--thread"));
	add(argv, xstrdup("--lat_percentiles=1"));
	add(argv, xprintf("--name=%s", step->name));
	add(argv, xprintf("--runtime=%u", seconds));
	add_share(argv, bytes_of(job, place), step->readers);
	for (option = step->options; *option; option++)
		add(argv, xstrdup(*option));
}

void bench_fill_argv(struct bench_argv *argv, const struct bench_place *place)
{
	begin(argv, place);
	add(argv, xstrdup("--thread"));
	add(argv, xstrdup("--name=fill"));
	add(argv, xstrdup("--rw=write"));
	add(argv, xstrdup("--bs=1M"));
	add(argv, xstrdup("--ioengine=psync"));
	add(argv, xstrdup("--end_fsync=1"));
	add_share(argv, place->bytes, 1);
}

void bench_argv_free(struct bench_argv *argv)
{
	u32 i;

	for (i = 0; i < argv->nr; i++)
		free(argv->words[i]);
}
