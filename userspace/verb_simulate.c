// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "alloc.h"
#include "json.h"
#include "number.h"
#include "options.h"
#include "replay.h"
#include "report.h"
#include "say.h"
#include "shape_options.h"
#include "size.h"
#include "trace.h"

#define MAX_POLICIES 16
#define MAX_DEPTH 4096
/* As create takes it. */
#define DATA_OFFSET_SECTORS (4ull << 11)

struct wanted_policy {
	const struct mb_policy_ops *ops;
	u32 argc;
	char *argv[MB_MAX_POLICY_ARGS];
};

struct simulation {
	struct mb_shape shape;
	struct sim_drive drives[MB_MAX_LEGS];
	u64 leg_sectors;	/* 0: as the trace needs */
	u32 depth;		/* 0: as the trace says, else as fast as it goes */
	bool depth_given;
	struct wanted_policy policies[MAX_POLICIES];
	u32 nr_policies;
	struct trace trace;
};

/* What one policy gave. */
struct outcome {
	struct replay_result replay;
	u64 reads[MB_MAX_LEGS];
};

static const struct mb_policy_ops *find_policy(const char *name)
{
	const struct mb_policy_ops *const *policies;
	u32 nr, i;

	if (!strcmp(name, replay_md_near_ops.name))
		return &replay_md_near_ops;
	policies = mb_policy_builtins(&nr);
	for (i = 0; i < nr; i++)
		if (!strcmp(name, policies[i]->name))
			return policies[i];
	return NULL;
}

static int add_policy(const struct verb *verb, struct simulation *simulation, const char *text)
{
	struct wanted_policy *policy = &simulation->policies[simulation->nr_policies];
	const char *name;
	int wrong;

	if (simulation->nr_policies == MAX_POLICIES)
		return options_wrong(verb, "at most %u policies at once", MAX_POLICIES);
	wrong = shape_option_policy(verb, text, &name, &policy->argc, policy->argv);
	if (wrong)
		return wrong;
	policy->ops = find_policy(name);
	if (!policy->ops)
		return options_wrong(verb, "--policy: '%s' is none that can be simulated", name);
	simulation->nr_policies++;
	return 0;
}

static void add_all_policies(struct simulation *simulation)
{
	const struct mb_policy_ops *const *policies;
	u32 nr, i;

	policies = mb_policy_builtins(&nr);
	for (i = nr; i > 0; i--)
		simulation->policies[simulation->nr_policies++].ops = policies[i - 1];
	if (simulation->shape.kind == MB_LAYOUT_NEAR)
		simulation->policies[simulation->nr_policies++].ops = &replay_md_near_ops;
}

/* "hdd", "ssd" or "ssd:<us>" */
static int add_leg(const struct verb *verb, struct simulation *simulation, const char *word)
{
	struct sim_drive *drive = &simulation->drives[simulation->shape.legs];
	u64 us;

	if (simulation->shape.legs == MB_MAX_LEGS)
		return options_wrong(verb, "--legs: at most %u", MB_MAX_LEGS);
	drive->spinning = !strcmp(word, "hdd");
	if (!drive->spinning) {
		drive->solid_shape = spindle_solid_defaults();
		if (!strncmp(word, "ssd:", 4) && mb_number_parse(word + 4, 1000000, &us) && us)
			drive->solid_shape.read_ns = us * 1000;
		else if (strcmp(word, "ssd"))
			return options_wrong(verb, "--legs: '%s'; wanted is a number of legs, or a list of hdd, ssd and ssd:<us>",
					     word);
	}
	simulation->shape.legs++;
	return 0;
}

static int set_legs(const struct verb *verb, struct simulation *simulation, char *text)
{
	char *word, *rest;
	u64 count;
	int wrong;

	simulation->shape.legs = 0;
	if (mb_number_parse(text, MB_MAX_LEGS, &count)) {
		while (simulation->shape.legs < count)
			add_leg(verb, simulation, "hdd");
		return 0;
	}
	for (word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		wrong = add_leg(verb, simulation, word);
		if (wrong)
			return wrong;
	}
	return 0;
}

static int set_leg_size(const struct verb *verb, struct simulation *simulation, const char *text)
{
	const char *wrong;
	u64 bytes;

	wrong = size_parse(text, &bytes);
	if (wrong)
		return options_wrong(verb, "--leg-size '%s' %s", text, wrong);
	simulation->leg_sectors = bytes / 512;
	return 0;
}

/* Sectors of data on a leg so that the array holds what the trace touches. */
static u64 needed_rows(const struct simulation *simulation)
{
	const struct mb_shape *shape = &simulation->shape;
	u64 chunks = simulation->trace.end / shape->chunk_sectors + 1;
	u64 rows = chunks * shape->copies / shape->legs + 1;

	/* Far and offset want whole sections. */
	return (rows + shape->copies - 1) / shape->copies * shape->copies;
}

static int size_legs(struct simulation *simulation)
{
	u64 needed = needed_rows(simulation) * simulation->shape.chunk_sectors + DATA_OFFSET_SECTORS;
	char text[SIZE_TEXT_LEN];
	u32 leg;

	if (!simulation->leg_sectors)
		simulation->leg_sectors = needed;
	if (simulation->leg_sectors < needed)
		return say_error("the trace goes beyond the array: legs of %s are needed",
				 size_text(text, needed * 512));
	for (leg = 0; leg < simulation->shape.legs; leg++)
		if (simulation->drives[leg].spinning)
			simulation->drives[leg].spinning_shape =
				spindle_defaults(simulation->leg_sectors);
	return 0;
}

static int simulate(const struct simulation *simulation, const struct wanted_policy *policy,
		    struct outcome *outcome)
{
	struct sim *sim = xcalloc(1, sizeof(*sim));
	struct mb_error error;
	u32 leg;

	if (sim_start(sim, &simulation->shape, simulation->drives,
		      simulation->leg_sectors - DATA_OFFSET_SECTORS, policy->ops, policy->argc,
		      (char **)policy->argv, &error)) {
		free(sim);
		return say_error("%s", error.text);
	}
	replay_run(sim, simulation->trace.requests, simulation->trace.nr, simulation->depth,
		   &outcome->replay);
	for (leg = 0; leg < simulation->shape.legs; leg++)
		outcome->reads[leg] = sim->legs[leg].reads;
	sim_stop(sim);
	free(sim);
	return 0;
}

static char *policy_text(const struct wanted_policy *policy)
{
	return shape_policy_text(policy->ops->name, policy->argc, policy->argv);
}

static double mean_ms(const struct outcome *outcome)
{
	return outcome->replay.reads ?
	       outcome->replay.read_latency_ns / 1e6 / outcome->replay.reads : 0;
}

static char *shares_text(const struct simulation *simulation, const struct outcome *outcome)
{
	char *text = NULL;
	u64 all = 0;
	u32 leg;

	for (leg = 0; leg < simulation->shape.legs; leg++)
		all += outcome->reads[leg];
	for (leg = 0; leg < simulation->shape.legs; leg++)
		xappend(&text, " ", "%.0f", all ? 100.0 * outcome->reads[leg] / all : 0);
	return text;
}

static void print_table(const struct simulation *simulation, const struct outcome *outcomes)
{
	static const char *const columns[] = {
		"POLICY", ">REQUESTS/S", ">READ-MEAN-MS", ">READ-P99-MS", ">SECONDS", ">READS%-OF-LEGS",
		NULL
	};
	struct report *report = report_new(0, columns);
	u32 i;

	for (i = 0; i < simulation->nr_policies; i++) {
		const struct outcome *outcome = &outcomes[i];
		char *name = policy_text(&simulation->policies[i]);
		char *shares = shares_text(simulation, outcome);
		double seconds = outcome->replay.run_ns / 1e9;

		report_cell(report, "%s", name);
		report_cell(report, "%.1f", seconds > 0 ? simulation->trace.nr / seconds : 0);
		report_cell(report, "%.3f", mean_ms(outcome));
		report_cell(report, "%.3f", outcome->replay.read_p99_ns / 1e6);
		report_cell(report, "%.3f", seconds);
		report_cell(report, "%s", shares);
		free(shares);
		free(name);
	}
	report_print(report, stdout);
}

static void print_json(const struct simulation *simulation, const struct outcome *outcomes)
{
	u32 i, leg;

	for (i = 0; i < simulation->nr_policies; i++) {
		struct json_object *object = json_object_new_object();
		struct json_object *reads = json_object_new_array();
		char *name = policy_text(&simulation->policies[i]);

		for (leg = 0; leg < simulation->shape.legs; leg++)
			json_object_array_add(reads, json_object_new_uint64(outcomes[i].reads[leg]));
		json_put_text(object, "policy", name);
		json_put_number(object, "requests", simulation->trace.nr);
		json_put_number(object, "run_ns", outcomes[i].replay.run_ns);
		json_put_number(object, "reads", outcomes[i].replay.reads);
		json_put_number(object, "read_mean_ns", outcomes[i].replay.reads ?
				outcomes[i].replay.read_latency_ns / outcomes[i].replay.reads : 0);
		json_put_number(object, "read_p99_ns", outcomes[i].replay.read_p99_ns);
		json_object_object_add(object, "reads_of_legs", reads);
		json_print_line(object);
		free(name);
	}
}

static int read_trace(struct simulation *simulation, const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	const char *wrong;
	u64 line;

	if (!file)
		return say_error("%s: %s", path, strerror(errno));
	wrong = trace_read(file, &simulation->trace, &line);
	if (file != stdin)
		fclose(file);
	return wrong ? say_error("%s, line %llu: %s", path, (unsigned long long)line, wrong) : 0;
}

static int simulate_all(struct simulation *simulation, bool json)
{
	struct outcome outcomes[MAX_POLICIES];
	struct mb_error error;
	u32 i;

	if (mb_shape_check(&simulation->shape, &error))
		return say_error("%s", error.text);
	if (size_legs(simulation))
		return -1;
	if (!simulation->depth_given)
		simulation->depth = simulation->trace.timed ? 0 : 1;
	if (!simulation->nr_policies)
		add_all_policies(simulation);
	memset(outcomes, 0, sizeof(outcomes));
	for (i = 0; i < simulation->nr_policies; i++)
		if (simulate(simulation, &simulation->policies[i], &outcomes[i]))
			return -1;
	if (json)
		print_json(simulation, outcomes);
	else
		print_table(simulation, outcomes);
	return 0;
}

enum {
	OPTION_LAYOUT = OPTION_OWN, OPTION_LEGS, OPTION_CHUNK, OPTION_POLICY, OPTION_LEG_SIZE,
	OPTION_DEPTH,
};

static int set_depth(const struct verb *verb, struct simulation *simulation, const char *text)
{
	u64 depth;

	if (!mb_number_parse(text, MAX_DEPTH, &depth) || !depth)
		return options_wrong(verb, "--depth '%s'; allowed are 1 to %u", text, MAX_DEPTH);
	simulation->depth = depth;
	simulation->depth_given = true;
	return 0;
}

static int take_option(const struct verb *verb, struct simulation *simulation, int option)
{
	switch (option) {
	case OPTION_LAYOUT:
		return shape_option_layout(verb, optarg, &simulation->shape);
	case OPTION_LEGS:
		return set_legs(verb, simulation, optarg);
	case OPTION_CHUNK:
		return shape_option_chunk(verb, optarg, &simulation->shape);
	case OPTION_POLICY:
		return add_policy(verb, simulation, optarg);
	case OPTION_LEG_SIZE:
		return set_leg_size(verb, simulation, optarg);
	default:
		return set_depth(verb, simulation, optarg);
	}
}

static int run(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = {
		OPTIONS_HELP, OPTIONS_JSON,
		{ "layout", required_argument, NULL, OPTION_LAYOUT },
		{ "legs", required_argument, NULL, OPTION_LEGS },
		{ "chunk", required_argument, NULL, OPTION_CHUNK },
		{ "policy", required_argument, NULL, OPTION_POLICY },
		{ "leg-size", required_argument, NULL, OPTION_LEG_SIZE },
		{ "depth", required_argument, NULL, OPTION_DEPTH },
		OPTIONS_END
	};
	struct simulation simulation = {
		.shape = { .kind = MB_LAYOUT_NEAR, .copies = 2, .chunk_sectors = 1024 },
	};
	int option, result;
	bool json = false;

	while ((option = options_next(verb, argc, argv, options)) >= 0) {
		if (option == OPTION_JSON) {
			json = true;
			continue;
		}
		result = take_option(verb, &simulation, option);
		if (result)
			return result;
	}
	if (argc - optind != 1)
		return options_wrong(verb, "one trace is wanted; `-` is standard input");
	if (!simulation.shape.legs)
		return options_wrong(verb, "--legs is missing: 2, say, or hdd,hdd,ssd");
	result = read_trace(&simulation, argv[optind]) || simulate_all(&simulation, json);
	trace_free(&simulation.trace);
	return result ? EXIT_FAILED : EXIT_HEALTHY;
}

const struct verb verb_simulate = {
	.name = "simulate",
	.summary = "what each read policy would have given for recorded I/O",
	.help =
		"simulate TRACE --legs N|KIND,KIND... [OPTION]...\n"
		"\n"
		"Puts recorded I/O to an array of simulated drives, once for each policy, and prints\n"
		"what came of it. Touches no device.\n"
		"\n"
		"TRACE is fio's iolog (fio --write_iolog), or blkparse's text; `-` is standard input.\n"
		"\n"
		"  --legs N         so many drives of 7,200 rpm\n"
		"  --legs KIND,...  a drive each: hdd, ssd (80 us), ssd:<us>\n"
		"  --layout LAYOUT  n2, f2, o2, ...; default n2\n"
		"  --chunk SIZE     default 512K\n"
		"  --leg-size SIZE  of each drive; default: what the trace needs. Seeks depend on it\n"
		"  --policy POLICY[,ARGUMENT]...\n"
		"                   repeatable; default: all that are built in, and md-near, by\n"
		"                   which md raid10 reads near layouts\n"
		"  --depth N        so many requests at a time, as fast as it goes; default: at the\n"
		"                   trace's own times, or one at a time if it has none\n"
		"  --json           one object a policy\n",
	.run = run,
};
