// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "advice.h"
#include "alloc.h"
#include "json.h"
#include "options.h"
#include "report.h"
#include "say.h"
#include "size.h"
#include "table_line.h"

static void print_not_started(const struct view *view)
{
	u32 found = 0, stale = 0, leg;

	for (leg = 0; leg < view->layout.shape.legs; leg++) {
		found += view->legs[leg].health != MB_LEG_MISSING;
		stale += view->legs[leg].health == MB_LEG_FAILED;
	}
	printf("%s: not started, %u of %u legs found", view->name, found, view->layout.shape.legs);
	if (stale)
		printf(", %u of them stale", stale);
	printf("\n");
}

static void print_headline(const struct view *view)
{
	u32 legs = view->layout.shape.legs;
	u32 good = __builtin_popcount(view_in_sync(view));

	if (view->creating)
		printf("%s: creation not finished\n", view->name);
	else if (!view->array)
		print_not_started(view);
	else if (view_resyncing(view))
		printf("%s: %s, resync at %u %%, %u of %u legs work\n", view->name,
		       view_health_word(view), view_synced_percent(view), good, legs);
	else if (view_unsynced(view))
		printf("%s: %s, resynced to %u %% only, %u of %u legs work\n", view->name,
		       view_health_word(view), view_synced_percent(view), good, legs);
	else if (view->health == VIEW_HEALTHY)
		printf("%s: healthy, all %u legs in sync\n", view->name, legs);
	else
		printf("%s: %s, %u of %u legs in sync\n", view->name, view_health_word(view), good,
		       legs);
}

static void print_facts(const struct view *view)
{
	const struct mb_shape *shape = &view->layout.shape;
	char word[8], chunk[SIZE_TEXT_LEN], size[SIZE_TEXT_LEN];

	printf("  %s, layout %s, chunk %s, %u legs", size_text(size, view->layout.length << 9),
	       layout_word(word, shape), size_text(chunk, (u64)shape->chunk_sectors << 9),
	       shape->legs);
	if (view->array)
		printf(", policy %s, /dev/mapper/%s%s", view->table.policy, view->name,
		       view->array->read_only ? ", read-only" : "");
	printf("\n");
	if (*view->uuid)
		printf("  UUID %s\n", view->uuid);
}

/* Errors only: traffic is what `stats` is for. */
static void error_cell(struct report *report, const struct view_leg *leg, enum mb_counter counter)
{
	if (leg->counters && leg->counters[counter])
		report_cell(report, "%llu", (unsigned long long)leg->counters[counter]);
	else
		report_cell(report, "%s", "");
}

static void print_legs(const struct view *view)
{
	static const char *const columns[] = {
		">LEG", "STATE", "DEVICE", ">SIZE", "MODEL", "SERIAL", "MARK", ">READ-ERRORS",
		">WRITE-ERRORS", ">REDIRECTED", ">REPAIRED", "LINK", NULL
	};
	struct report *report = report_new(2, columns);
	char size[SIZE_TEXT_LEN];
	u32 leg;

	for (leg = 0; leg < view->layout.shape.legs; leg++) {
		const struct view_leg *of = &view->legs[leg];
		const struct device *device = of->device;

		report_cell(report, "%u", leg);
		report_cell(report, "%s", view_leg_state(view, leg));
		report_cell(report, "%s", device ? device->node : "-");
		report_cell(report, "%s", device ? size_text(size, device->bytes) : "");
		report_cell(report, "%s", device ? device->model : of->model ? of->model : "");
		report_cell(report, "%s", device ? device->serial : of->serial ? of->serial : "");
		report_cell(report, "%s", view_leg_mark(view, leg));
		error_cell(report, of, MB_COUNTER_READ_ERRORS);
		error_cell(report, of, MB_COUNTER_WRITE_ERRORS);
		error_cell(report, of, MB_COUNTER_REDIRECTED_READS);
		error_cell(report, of, MB_COUNTER_SECTORS_REPAIRED);
		report_cell(report, "%s", device && device->link ? device->link : "");
	}
	report_print(report, stdout);
}

static void print_lines(const char *heading, struct lines lines)
{
	size_t i;

	if (lines.count)
		printf("  %s:\n", heading);
	for (i = 0; i < lines.count; i++)
		printf("    %s\n", lines.list[i]);
	lines_free(&lines);
}

static void print_view(const struct view *view)
{
	print_headline(view);
	print_facts(view);
	print_legs(view);
	print_lines("what happened", advice_events(view));
	print_lines("next", advice_next(view));
}

static void put_lines(struct json_object *object, const char *key, struct lines lines)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < lines.count; i++)
		json_object_array_add(array, json_text(lines.list[i]));
	json_object_object_add(object, key, array);
	lines_free(&lines);
}

static struct json_object *view_json_with_advice(const struct view *view)
{
	struct json_object *object = json_view(view);

	put_lines(object, "events", advice_events(view));
	put_lines(object, "next", advice_next(view));
	return object;
}

static bool is_stray(const struct member *member)
{
	return member->verdict != MB_SUPERBLOCK_VALID;
}

/* Stamps that belong to no array that could be shown; how bad that is. */
static int report_strays(struct members *members, struct json_object *object)
{
	struct json_object *strays = json_object_new_array();
	const struct member *member = NULL;
	int result = EXIT_HEALTHY;

	while ((member = members_next(members, member))) {
		struct json_object *stray;

		if (!is_stray(member))
			continue;
		say_warning("%s carries a mirrorbal stamp that cannot be read: %s",
			    member->device->node, member->error.text);
		stray = json_object_new_object();
		json_put_device(stray, member->device);
		json_put_text(stray, "reason", member->error.text);
		json_object_array_add(strays, stray);
		result = EXIT_DEGRADED;
	}
	json_object_object_add(object, "unreadable_stamps", strays);
	return result;
}

static int report_views(const struct view_list *views, struct json_object *object, bool json)
{
	struct json_object *arrays = json_object_new_array();
	int worst = EXIT_HEALTHY;
	size_t i;

	for (i = 0; i < views->count; i++) {
		const struct view *view = views->list[i];

		if ((int)view->health > worst)
			worst = view->health;
		if (json) {
			json_object_array_add(arrays, view_json_with_advice(view));
			continue;
		}
		if (i)
			printf("\n");
		print_view(view);
	}
	json_object_object_add(object, "arrays", arrays);
	return worst;
}

_Static_assert((int)VIEW_HEALTHY == EXIT_HEALTHY && (int)VIEW_DEGRADED == EXIT_DEGRADED &&
	       (int)VIEW_DOWN == EXIT_DOWN, "health is the exit status");

static int report_one(const char *name, struct members *members,
		      struct json_object *object, bool json)
{
	struct view *view = view_named(name, members);
	struct view_list one = { .list = &view, .count = 1 };
	int result;

	if (!view)
		return EXIT_FAILED;
	result = report_views(&one, object, json);
	view_free(view);
	return result;
}

static int report_all(struct members *members, struct json_object *object, bool json)
{
	struct view_list views = views_all(members);
	int result = report_views(&views, object, json);
	int strays = report_strays(members, object);

	if (!views.count && !views.failed && !json)
		say_note("there is no array; `mirrorbal create --help` says how to make one");
	if (views.failed)
		result = EXIT_FAILED;
	views_free(&views);
	return strays > result ? strays : result;
}

static int report(const char *name, bool json)
{
	struct json_object *object = json_object_new_object();
	struct members *members = members_new();
	int result = name ? report_one(name, members, object, json) :
			    report_all(members, object, json);

	members_free(members);
	if (json && json_object_object_length(object))
		json_print(object);
	else
		json_object_put(object);
	return result;
}

static int run(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = { OPTIONS_HELP, OPTIONS_JSON, OPTIONS_END };
	bool json = false;

	while (options_next(verb, argc, argv, options) >= 0)
		json = true;
	if (argc - optind > 1)
		return options_wrong(verb, "give the name of one array, or none for all");
	return report(argc == optind ? NULL : argv[optind], json);
}

const struct verb verb_status = {
	.name = "status",
	.summary = "show arrays, their legs, what happened, what to do",
	.help = "status [NAME] [--json]\n"
		"\n"
		"Shows one array or all, those that are not started too: health, each leg with\n"
		"its device, model and serial number, what happened, and the next command to\n"
		"type. Exit status 0 healthy, 1 degraded or a stamp that cannot be read, 2 down or\n"
		"not started, 3 and more for errors.\n",
	.needs_root = true,
	.run = run,
};
