// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

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

/*
 * What a job file may say: how I/O is done and counted. fio knows many options
 * that name files, run programs or remove what was read, and is no safer for
 * being told not to write.
 */
static const char *const allowed_options[] = {
	"rw", "readwrite", "rwmixread", "rwmixwrite", "rwmixcycle", "percentage_random",
	"bs", "blocksize", "bsrange", "blocksize_range", "bssplit", "blockalign", "ba",
	"size", "io_size", "io_limit", "offset", "offset_increment", "number_ios", "loops",
	"ioengine", "iodepth", "iodepth_low", "iodepth_batch", "iodepth_batch_submit",
	"iodepth_batch_complete", "iodepth_batch_complete_min", "iodepth_batch_complete_max",
	"direct", "buffered", "invalidate", "fadvise_hint", "fsync", "fdatasync", "end_fsync", "sync",
	"hipri", "fixedbufs", "registerfiles", "sqthread_poll", "nonvectored",
	"numjobs", "thread", "group_reporting", "stonewall", "wait_for_previous", "startdelay",
	"runtime", "timeout", "time_based", "ramp_time", "thinktime", "thinktime_blocks",
	"rate", "rate_iops", "rate_process", "latency_target", "latency_window", "latency_percentile",
	"norandommap", "random_generator", "randrepeat", "allrandrepeat", "randseed",
	"random_distribution", "softrandommap", "zero_buffers", "refill_buffers", "scramble_buffers",
	"buffer_compress_percentage", "dedupe_percentage", "gtod_reduce", "gtod_cpu", "clocksource",
	"disable_lat", "disable_clat", "disable_slat", "lat_percentiles", "clat_percentiles",
	"slat_percentiles", "percentile_list", "cpus_allowed", "cpus_allowed_policy", "prio",
	"prioclass", "nice", "description", "name",
};
static const char *const allowed_engines[] = {
	"libaio", "io_uring", "posixaio", "psync", "sync", "vsync", "pvsync", "pvsync2", "mmap",
};

static bool is_one_of(const char *word, size_t length, const char *const *words, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (strlen(words[i]) == length && !strncmp(word, words[i], length))
			return true;
	return false;
}

/* NULL, or what of a line a job file may not have; ends it after that. */
static const char *refused_part(char *line)
{
	char *name = line + strspn(line, " \t"), *value;
	size_t length = strcspn(name, "= \t\r\n");

	if (!*name || strchr("#;[\r\n", *name))
		return NULL;
	value = name + length;
	value += strspn(value, "= \t");
	value[strcspn(value, " \t\r\n")] = '\0';
	if (!is_one_of(name, length, allowed_options, ARRAY_SIZE(allowed_options))) {
		name[length] = '\0';
		return name;
	}
	if (!strncmp(name, "ioengine", length) && length == strlen("ioengine") &&
	    !is_one_of(value, strlen(value), allowed_engines, ARRAY_SIZE(allowed_engines)))
		return name;
	return NULL;
}

static int check_lines(FILE *file, const char *path)
{
	size_t size = 0, number = 0;
	const char *refused = NULL;
	char *line = NULL;
	int result = 0;

	while (!refused && getline(&line, &size, file) >= 0) {
		number++;
		refused = refused_part(line);
	}
	if (refused)
		result = say_error("%s, line %zu: '%s' is nothing that a job file may say here; allowed is how I/O is done, not where, nor what else is",
				   path, number, refused);
	else if (ferror(file))
		result = say_error("%s: %s", path, strerror(errno));
	free(line);
	return result;
}

static int check_job_file(const char *path)
{
	FILE *file = fopen(path, "re");
	struct stat st;
	int result;

	if (!file)
		return say_error("--job: '%s' is neither raid10 nor homelab, nor fio's job file: %s", path,
				 strerror(errno));
	/* It is read twice, here and by fio. */
	if (fstat(fileno(file), &st) || !S_ISREG(st.st_mode))
		result = say_error("--job: '%s' is no regular file", path);
	else
		result = check_lines(file, path);
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

static void begin(struct bench_argv *argv, const struct bench_place *place)
{
	*argv = (struct bench_argv){ 0 };
	add(argv, xstrdup("fio"));
	if (!place->writable)
		add(argv, xstrdup("--readonly"));
	add(argv, xstrdup("--allow_file_create=0"));
	/* A job of its own process would not end with fio. */
	add(argv, xstrdup("--thread"));
	add(argv, xprintf("--filename=%s", place->path));
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
		/* Not an option, whatever it is called. */
		add(argv, xprintf("%s%s", job->name[0] == '/' ? "" : "./", job->name));
		return;
	}
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
