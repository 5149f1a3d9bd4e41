// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "json.h"
#include "options.h"
#include "say.h"
#include "startable.h"
#include "table_line.h"

enum { OPTION_DEGRADED = OPTION_OWN };

struct request {
	bool json, degraded;
};

static void warn(const struct view *view)
{
	u32 leg;

	for (leg = 0; leg < view->layout.shape.legs; leg++) {
		const struct view_leg *of = &view->legs[leg];

		if (view_leg_in_sync(view, leg) && of->device && !of->device->link)
			say_warning("%s has no name that is the same after a reboot: look then which device leg %u is before this is used",
				    of->device->node, leg);
	}
}

static int print_table(const struct view *view, const struct request *request)
{
	struct json_object *object;
	char *text;

	if (!view->array && startable_check(view, request->degraded))
		return EXIT_FAILED;
	warn(view);
	if (!request->json) {
		text = table_command(view);
		puts(text);
		free(text);
		return EXIT_HEALTHY;
	}
	object = json_object_new_object();
	json_put_text(object, "name", view->name);
	text = table_line(view);
	json_put_text(object, "table", text);
	free(text);
	text = table_command(view);
	json_put_text(object, "command", text);
	free(text);
	json_print(object);
	return EXIT_HEALTHY;
}

static int run(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = {
		OPTIONS_HELP, OPTIONS_JSON, { "degraded", no_argument, NULL, OPTION_DEGRADED },
		OPTIONS_END
	};
	struct request request = { false };
	struct members *members;
	struct view *view;
	int option, result;

	while ((option = options_next(verb, argc, argv, options)) >= 0) {
		request.json |= option == OPTION_JSON;
		request.degraded |= option == OPTION_DEGRADED;
	}
	if (argc - optind != 1)
		return options_wrong(verb, "give the name of one array");
	members = members_new();
	view = view_named(argv[optind], members);
	members_free(members);
	if (!view)
		return EXIT_FAILED;
	result = print_table(view, &request);
	view_free(view);
	return result;
}

const struct verb verb_table = {
	.name = "table",
	.summary = "print the dmsetup command that starts an array",
	.help = "table NAME [--degraded] [--json]\n"
		"\n"
		"Prints the `dmsetup create` command that starts the array again, after a reboot\n"
		"too: legs go by their /dev/disk/by-id links where they have one. A leg that is\n"
		"not found stands as '-'. For an array that does not run the command is made from\n"
		"the legs' superblocks; NAME may be the array's UUID. --degraded: also if\n"
		"a leg that was in sync was not found.\n",
	.needs_root = true,
	.run = run,
};
