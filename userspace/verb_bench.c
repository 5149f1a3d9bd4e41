// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "alloc.h"
#include "bench.h"
#include "interrupt.h"
#include "number.h"
#include "options.h"
#include "say.h"
#include "shape_options.h"
#include "size.h"

#define MIB (1ull << 20)
/* Four readers share a file, each with whole MiB. */
#define MIN_FILE_BYTES (16 * MIB)
#define MAX_SECONDS 86400

enum {
	OPTION_JOB = OPTION_OWN, OPTION_SECONDS, OPTION_SIZE, OPTION_DESTROY_DATA, OPTION_LAYOUT,
	OPTION_CHUNK, OPTION_POLICY,
};

static const struct option options[] = {
	OPTIONS_HELP, OPTIONS_JSON, OPTIONS_YES,
	{ "job", required_argument, NULL, OPTION_JOB },
	{ "seconds", required_argument, NULL, OPTION_SECONDS },
	{ "size", required_argument, NULL, OPTION_SIZE },
	{ "destroy-data", no_argument, NULL, OPTION_DESTROY_DATA },
	{ "layout", required_argument, NULL, OPTION_LAYOUT },
	{ "chunk", required_argument, NULL, OPTION_CHUNK },
	{ "policy", required_argument, NULL, OPTION_POLICY },
	OPTIONS_END
};

struct request {
	struct bench bench;
	const char *job;
	bool destroy_data;
	bool of_arrays;		/* an option that only arrays have was given */
};

static int set_seconds(const struct verb *verb, const char *word, u32 *seconds)
{
	u64 number;

	if (!mb_number_parse(word, MAX_SECONDS, &number) || !number)
		return options_wrong(verb, "--seconds '%s'; allowed are 1 to %u", word, MAX_SECONDS);
	*seconds = number;
	return 0;
}

static int set_size(const struct verb *verb, const char *word, u64 *bytes)
{
	const char *wrong = size_parse(word, bytes);

	if (wrong)
		return options_wrong(verb, "--size '%s' %s", word, wrong);
	if (*bytes < MIN_FILE_BYTES)
		return options_wrong(verb, "--size '%s'; allowed are 16M and more", word);
	return 0;
}

static int add_policy(const struct verb *verb, const char *word, struct bench *bench)
{
	struct bench_policy *policy = &bench->policies[bench->nr_policies];

	if (bench->nr_policies == BENCH_MAX_POLICIES)
		return options_wrong(verb, "at most %u policies at once", BENCH_MAX_POLICIES);
	bench->nr_policies++;
	return shape_option_policy(verb, word, &policy->name, &policy->argc, policy->argv);
}

static int take_option(const struct verb *verb, int option, struct request *request)
{
	struct bench *bench = &request->bench;

	switch (option) {
	case OPTION_JSON:
		bench->json = true;
		return 0;
	case OPTION_YES:
		bench->yes = true;
		return 0;
	case OPTION_JOB:
		request->job = optarg;
		return 0;
	case OPTION_SECONDS:
		return set_seconds(verb, optarg, &bench->seconds);
	case OPTION_SIZE:
		return set_size(verb, optarg, &bench->file_bytes);
	case OPTION_DESTROY_DATA:
		request->destroy_data = true;
		return 0;
	}
	request->of_arrays = true;
	switch (option) {
	case OPTION_LAYOUT:
		return shape_option_layout(verb, optarg, &bench->shape);
	case OPTION_CHUNK:
		return shape_option_chunk(verb, optarg, &bench->shape);
	default:
		return add_policy(verb, optarg, bench);
	}
}

static int take_paths(const struct verb *verb, int argc, char **argv, struct request *request)
{
	if (argc < 1)
		return options_wrong(verb, "give a device, or a file");
	if (request->destroy_data && argc > MB_MAX_LEGS)
		return options_wrong(verb, "%d devices are given; an array has at most %u", argc,
				     MB_MAX_LEGS);
	if (request->of_arrays && (!request->destroy_data || argc < MB_MIN_LEGS))
		return options_wrong(verb, "--layout, --chunk and --policy are of arrays, which are made with --destroy-data of two devices and more");
	request->bench.paths = argv;
	request->bench.nr_paths = argc;
	return 0;
}

static void free_rows(struct bench *bench)
{
	u32 i;

	for (i = 0; i < bench->nr_rows; i++) {
		free(bench->rows[i].place);
		free(bench->rows[i].result.job);
	}
	free(bench->rows);
}

/* What was measured before something went wrong is worth its while. */
static int measure(struct request *request)
{
	struct bench *bench = &request->bench;
	int result;

	if (bench_job_find(request->job, &bench->job) || fio_need())
		return EXIT_FAILED;
	if (!bench->nr_policies)
		bench->policies[bench->nr_policies++].name = MB_DEFAULT_POLICY;
	result = request->destroy_data ? bench_disks(bench) : bench_paths(bench);
	bench_report(bench);
	if (interrupted())
		result = say_error("interrupted");
	return result ? EXIT_FAILED : EXIT_HEALTHY;
}

static int run(const struct verb *verb, int argc, char **argv)
{
	struct request request = {
		.bench = {
			.seconds = 15,
			.file_bytes = 1024 * MIB,
			.shape = { .kind = MB_LAYOUT_NEAR, .copies = 2, .chunk_sectors = 1024 },
		},
		.job = "raid10",
	};
	int option, result = 0;

	while (!result && (option = options_next(verb, argc, argv, options)) >= 0)
		result = take_option(verb, option, &request);
	if (!result)
		result = take_paths(verb, argc - optind, argv + optind, &request);
	if (!result)
		result = measure(&request);
	free_rows(&request.bench);
	return result;
}

const struct verb verb_bench = {
	.name = "bench",
	.summary = "measure devices and files, or compare with md raid10 on spare disks",
	.help = "bench [OPTION]... DEVICE|FILE...\n"
		"\n"
		"Measures each device, or file on a mounted filesystem, by fio. What is there is only\n"
		"read. A file that is not there is made, and removed afterwards.\n"
		"\n"
		"With --destroy-data, after asking: the first of the devices alone, then an md raid10\n"
		"of all of them, then a mirrorbal array. Everything on them is lost, and no array is\n"
		"left on them.\n"
		"\n"
		"  --job raid10           one reader in sequence; random reads, one and 32 at a time;\n"
		"                         four readers. The default\n"
		"  --job homelab          random, 4 KiB, three reads to one write, 64 at a time, over\n"
		"                         1 GiB. It writes: a device needs --destroy-data\n"
		"  --job FILE             a job file of fio's, without files of its own\n"
		"  --seconds N            each measurement takes so long at most; 15\n"
		"  --size SIZE            of a file that is made; 1G\n"
		"  --destroy-data         on spare disks, see above\n"
		"  --layout n2|f2|o2|...  of the arrays; n2\n"
		"  --chunk SIZE           of the arrays; 512K\n"
		"  --policy NAME[,ARG]... of the mirrorbal array; repeatable; adaptive\n"
		"  --json                 one object a measurement\n"
		"  --yes                  do not ask\n"
		"\n"
		"OF-MD is what it does in a second, as a part of what md raid10 does.\n",
	.needs_root = true,
	.run = run,
};
