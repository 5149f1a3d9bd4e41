// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "alloc.h"
#include "interrupt.h"
#include "json.h"
#include "options.h"
#include "report.h"
#include "say.h"
#include "view.h"

/* The counters at one moment. */
struct sample {
	double seconds;
	struct mb_status status;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static int take(const struct view *view, struct sample *sample)
{
	struct array *array = array_get(view->name);
	struct mb_error error;
	int result;

	if (!array)
		return say_error("'%s' was stopped", view->name);
	sample->seconds = now();
	result = mb_status_parse(&sample->status, array->status, &error);
	if (result)
		say_error("%s: this command does not understand its status: %s", view->name,
			  error.text);
	array_free(array);
	return result;
}

/* Counters can go back: somebody reset them between the samples. */
static u64 since(const struct sample *from, const struct sample *to, u32 leg,
		 enum mb_counter counter)
{
	u64 after = to->status.counters[leg][counter];
	u64 before = from ? from->status.counters[leg][counter] : 0;

	return after >= before ? after - before : after;
}

static double percent(u64 part, u64 whole)
{
	return whole ? 100.0 * part / whole : 0;
}

/* What a leg did between two samples; rates a second, or totals. */
struct work {
	double reads, read_mib, share, sequential, writes, write_mib;
	u64 in_flight, latency_us, errors;
};

static struct work work_of(const struct sample *from, const struct sample *to, u32 leg)
{
	double divisor = from ? fmax(to->seconds - from->seconds, 1e-6) : 1;
	u64 reads = since(from, to, leg, MB_COUNTER_READS), all = 0;
	u32 i;

	for (i = 0; i < to->status.legs; i++)
		all += since(from, to, i, MB_COUNTER_READS);
	return (struct work){
		.reads = reads / divisor,
		.read_mib = since(from, to, leg, MB_COUNTER_SECTORS_READ) / 2048.0 / divisor,
		.share = percent(reads, all),
		.sequential = percent(since(from, to, leg, MB_COUNTER_SEQUENTIAL_READS), reads),
		.writes = since(from, to, leg, MB_COUNTER_WRITES) / divisor,
		.write_mib = since(from, to, leg, MB_COUNTER_SECTORS_WRITTEN) / 2048.0 / divisor,
		.in_flight = to->status.counters[leg][MB_COUNTER_READS_IN_FLIGHT],
		.latency_us = to->status.counters[leg][MB_COUNTER_READ_LATENCY_US],
		.errors = since(from, to, leg, MB_COUNTER_READ_ERRORS) +
			  since(from, to, leg, MB_COUNTER_WRITE_ERRORS),
	};
}

static const char *leg_node(const struct view *view, u32 leg)
{
	return view->legs[leg].device ? view->legs[leg].device->node : "-";
}

static void print_sample(const struct view *view, const struct sample *from,
			 const struct sample *to)
{
	static const char *const rates[] = {
		">LEG", "DEVICE", ">READ/S", ">READ-MIB/S", ">SHARE%", ">SEQ%", ">WRITE/S",
		">WRITE-MIB/S",
		">IN-FLIGHT", ">LATENCY-US", ">ERRORS", NULL
	};
	static const char *const totals[] = {
		">LEG", "DEVICE", ">READS", ">READ-MIB", ">SHARE%", ">SEQ%", ">WRITES",
		">WRITE-MIB",
		">IN-FLIGHT", ">LATENCY-US", ">ERRORS", NULL
	};
	struct report *report = report_new(0, from ? rates : totals);
	u32 leg;

	for (leg = 0; leg < to->status.legs; leg++) {
		struct work work = work_of(from, to, leg);

		report_cell(report, "%u", leg);
		report_cell(report, "%s", leg_node(view, leg));
		report_cell(report, "%.*f", from ? 1 : 0, work.reads);
		report_cell(report, "%.1f", work.read_mib);
		report_cell(report, "%.1f", work.share);
		report_cell(report, "%.1f", work.sequential);
		report_cell(report, "%.*f", from ? 1 : 0, work.writes);
		report_cell(report, "%.1f", work.write_mib);
		report_cell(report, "%llu", (unsigned long long)work.in_flight);
		report_cell(report, "%llu", (unsigned long long)work.latency_us);
		report_cell(report, "%llu", (unsigned long long)work.errors);
	}
	report_print(report, stdout);
	fflush(stdout);
}

static void put_rounded(struct json_object *object, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", value);
	json_object_object_add(object, key, json_object_new_double_s(value, text));
}

static struct json_object *leg_json(const struct view *view, const struct sample *from,
				    const struct sample *to, u32 leg)
{
	struct json_object *object = json_object_new_object();
	struct json_object *counters = json_object_new_object();
	struct work work = work_of(from, to, leg);
	u32 i;

	json_put_number(object, "leg", leg);
	json_put_text(object, "device", leg_node(view, leg));
	if (from) {
		put_rounded(object, "reads_per_second", work.reads);
		put_rounded(object, "read_mib_per_second", work.read_mib);
		put_rounded(object, "writes_per_second", work.writes);
		put_rounded(object, "write_mib_per_second", work.write_mib);
	}
	put_rounded(object, "share_of_reads_percent", work.share);
	put_rounded(object, "sequential_percent", work.sequential);
	for (i = 0; i < MB_NR_COUNTERS; i++)
		json_put_number(counters, mb_counter_name(i), to->status.counters[leg][i]);
	json_object_object_add(object, "counters", counters);
	return object;
}

static void print_json(const struct view *view, const struct sample *from,
		       const struct sample *to)
{
	struct json_object *object = json_object_new_object();
	struct json_object *legs = json_object_new_array();
	u32 leg;

	json_put_text(object, "name", view->name);
	json_put_text(object, "policy", to->status.policy);
	if (from)
		put_rounded(object, "seconds", to->seconds - from->seconds);
	for (leg = 0; leg < to->status.legs; leg++)
		json_object_array_add(legs, leg_json(view, from, to, leg));
	json_object_object_add(object, "legs", legs);
	json_print_line(object);
}

static void print_one(const struct view *view, const struct sample *from, const struct sample *to,
		      bool json)
{
	if (json)
		print_json(view, from, to);
	else
		print_sample(view, from, to);
}

static void sleep_until(double when)
{
	double left = when - now();
	struct timespec time;

	if (left <= 0)
		return;
	time.tv_sec = left;
	time.tv_nsec = (left - floor(left)) * 1e9;
	nanosleep(&time, NULL);
}

/* How the samples are wanted. */
struct wish {
	double interval;	/* seconds */
	unsigned long count;	/* 0: until interrupted */
	bool total, json;
};

static int follow(const struct view *view, const struct wish *wish)
{
	struct sample *from = xcalloc(1, sizeof(*from)), *to = xcalloc(1, sizeof(*to)), *swap;
	unsigned long done;
	double next;
	int result = take(view, from);

	interrupt_catch();
	/* There is nothing to tidy up: when the reader leaves, this ends. */
	signal(SIGPIPE, SIG_DFL);
	next = from->seconds;
	for (done = 0; !result && (!wish->count || done < wish->count); done++) {
		next += wish->interval;
		sleep_until(next);
		if (interrupted())
			break;
		result = take(view, to);
		if (result)
			break;
		if (done && !wish->json)
			printf("\n");
		print_one(view, from, to, wish->json);
		if (ferror(stdout))
			break;
		swap = from;
		from = to;
		to = swap;
	}
	free(from);
	free(to);
	return result ? EXIT_FAILED : EXIT_HEALTHY;
}

static int show_total(const struct view *view, const struct wish *wish)
{
	struct sample *sample = xcalloc(1, sizeof(*sample));
	int result = take(view, sample);

	if (!result)
		print_one(view, NULL, sample, wish->json);
	free(sample);
	return result ? EXIT_FAILED : EXIT_HEALTHY;
}

enum { OPTION_INTERVAL = OPTION_OWN, OPTION_COUNT, OPTION_TOTAL };

static int parse_wish(const struct verb *verb, int argc, char **argv, struct wish *wish)
{
	static const struct option options[] = {
		OPTIONS_HELP, OPTIONS_JSON,
		{ "interval", required_argument, NULL, OPTION_INTERVAL },
		{ "count", required_argument, NULL, OPTION_COUNT },
		{ "total", no_argument, NULL, OPTION_TOTAL },
		OPTIONS_END
	};
	int option;
	char *end;

	while ((option = options_next(verb, argc, argv, options)) >= 0) {
		switch (option) {
		case OPTION_JSON:
			wish->json = true;
			break;
		case OPTION_TOTAL:
			wish->total = true;
			break;
		case OPTION_INTERVAL:
			wish->interval = strtod(optarg, &end);
			if (*end || !(wish->interval >= 0.01 && wish->interval <= 86400))
				return options_wrong(verb, "interval is '%s'; allowed are 0.01 to 86400 seconds",
						     optarg);
			break;
		case OPTION_COUNT:
			wish->count = strtoul(optarg, &end, 10);
			if (*end || !wish->count || optarg[0] == '-')
				return options_wrong(verb, "count is '%s'; allowed are whole numbers from 1",
						     optarg);
			break;
		}
	}
	if (argc - optind != 1)
		return options_wrong(verb, "give the name of one array");
	return 0;
}

static int run(const struct verb *verb, int argc, char **argv)
{
	struct wish wish = { .interval = 1 };
	struct view *view;
	int result = parse_wish(verb, argc, argv, &wish);

	if (result)
		return result;
	view = view_running(argv[optind]);
	if (!view)
		return EXIT_FAILED;
	result = wish.total ? show_total(view, &wish) : follow(view, &wish);
	view_free(view);
	return result;
}

const struct verb verb_stats = {
	.name = "stats",
	.summary = "show where reads and writes go, live",
	.help = "stats NAME [--interval SECONDS] [--count N] [--json]\n"
		"       mirrorbal stats NAME --total [--json]\n"
		"\n"
		"Every second, or every SECONDS, until interrupted or N times: each leg's reads and\n"
		"writes a second, its share of the reads, how many of them went on where the\n"
		"leg's last read had ended, reads in flight, mean read latency, errors.\n"
		"\n"
		"  --total   what was counted since the start or the last reset, once\n"
		"  --json    a JSON object a line\n",
	.needs_root = true,
	.run = run,
};
