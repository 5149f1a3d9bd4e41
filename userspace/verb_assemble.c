// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "alloc.h"
#include "module.h"
#include "options.h"
#include "say.h"
#include "startable.h"
#include "table_line.h"

struct request {
	bool all, degraded, dry_run;
};

static int start(const struct view *view)
{
	char *params = table_params(view, false), *trouble;
	char *dm_uuid = xprintf("%s%s", ARRAY_UUID_PREFIX, view->uuid);
	int result = array_create(view->name, dm_uuid, view->layout.length, params, &trouble);

	if (result)
		say_error("cannot start '%s': %s", view->name, trouble);
	free(trouble);
	free(dm_uuid);
	free(params);
	return result;
}

static int report_health(const struct view *view)
{
	if (view->refusal)
		say_error("'%s' is there, but does no I/O: %s", view->name, view->refusal);
	return view->health;
}

/* The module has judged for itself, and may have found otherwise in the meantime. */
static int report_started(const char *name)
{
	struct view *view = view_running(name);
	int result = view ? report_health(view) : EXIT_FAILED;

	if (view && !view->refusal)
		printf("started '%s': %s, /dev/mapper/%s\n", name, view_health_word(view), name);
	view_free(view);
	return result;
}

static void print_command(const struct view *view)
{
	char *command = table_command(view);

	puts(command);
	free(command);
}

static int assemble(const struct view *view, const struct request *request)
{
	if (view->array) {
		say_note("'%s' runs already", view->name);
		return report_health(view);
	}
	if (startable_check(view, request->degraded))
		return EXIT_FAILED;
	if (request->dry_run) {
		print_command(view);
		return EXIT_HEALTHY;
	}
	return start(view) ? EXIT_FAILED : report_started(view->name);
}

static int assemble_named(int count, char **names, struct members *members,
			  const struct request *request)
{
	int worst = EXIT_HEALTHY, i;

	for (i = 0; i < count; i++) {
		struct view *view = view_named(names[i], members);
		int result = view ? assemble(view, request) : EXIT_FAILED;

		worst = result > worst ? result : worst;
		view_free(view);
	}
	return worst;
}

/* Which of two is meant by a name, in /etc/fstab say, nobody here knows. */
static int assemble_one_of_all(const struct view *view, const struct request *request)
{
	if (view->array)
		return report_health(view);
	if (!view->ambiguous)
		return assemble(view, request);
	say_error("array %s: another one, or another device, is called '%s', too; it is started by its UUID only",
		  view->uuid, view->name);
	return EXIT_FAILED;
}

static int assemble_all(struct members *members, const struct request *request)
{
	struct view_list views = views_all(members);
	int worst = views.failed ? EXIT_FAILED : EXIT_HEALTHY;
	size_t i;

	for (i = 0; i < views.count; i++) {
		int result = assemble_one_of_all(views.list[i], request);

		worst = result > worst ? result : worst;
	}
	views_free(&views);
	return worst;
}

enum {
	OPTION_ALL = OPTION_OWN, OPTION_DEGRADED,
};

static int run(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = {
		OPTIONS_HELP, OPTIONS_DRY_RUN,
		{ "all", no_argument, NULL, OPTION_ALL },
		{ "degraded", no_argument, NULL, OPTION_DEGRADED },
		OPTIONS_END
	};
	struct request request = { false };
	struct members *members;
	int option, result;

	while ((option = options_next(verb, argc, argv, options)) >= 0) {
		request.all |= option == OPTION_ALL;
		request.degraded |= option == OPTION_DEGRADED;
		request.dry_run |= option == OPTION_DRY_RUN;
	}
	if (request.all ? argc != optind : argc == optind)
		return options_wrong(verb, "give the names of arrays, or --all");
	if (!request.dry_run && module_need_target())
		return EXIT_FAILED;
	members = members_new();
	result = request.all ? assemble_all(members, &request) :
			       assemble_named(argc - optind, argv + optind, members, &request);
	members_free(members);
	return result;
}

const struct verb verb_assemble = {
	.name = "assemble",
	.summary = "start an array from its legs",
	.help = "assemble NAME... | --all [--degraded] [--dry-run]\n"
		"\n"
		"Starts arrays from what their legs say of themselves, whatever the devices are\n"
		"called by now: with the policy, the marks and the limit that they had. A leg that\n"
		"had failed is not used, and is told. NAME may be the array's UUID.\n"
		"\n"
		"  --all       every array of which legs are found\n"
		"  --degraded  also without a leg that was in sync when the array was stopped. What\n"
		"              is written then, that leg misses\n"
		"  --dry-run   print the dmsetup command, change nothing\n"
		"\n"
		"Exit status 0 if all run, 1 if one is degraded, 2 and more if one does not.\n",
	.needs_root = true,
	.run = run,
};
