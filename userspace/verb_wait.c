// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <unistd.h>

#include "options.h"
#include "progress.h"
#include "say.h"
#include "view.h"

#define LOOK_AGAIN_US 500000

/* Look until nothing is under way any more. Returns the array as it is then, or NULL. */
static struct view *watch(struct view *view, struct progress *progress)
{
	char *name = view->name;

	while (view && view_resyncing(view)) {
		struct view *next;

		progress_show(progress, view->status.in_sync << 9);
		usleep(LOOK_AGAIN_US);
		next = view_running(name);
		view_free(view);
		view = next;
		if (view)
			name = view->name;
	}
	return view;
}

static int wait_for(struct view *view)
{
	struct progress progress;
	int result;

	if (!view_resyncing(view)) {
		result = view_unsynced(view) ? EXIT_DEGRADED : EXIT_HEALTHY;
		say_note("nothing is under way%s", result ?
			 ", though copies may differ: `mirrorbal status` says why" : "");
		view_free(view);
		return result;
	}
	progress_start(&progress, "resync", view->layout.length << 9);
	view = watch(view, &progress);
	if (!view)
		return EXIT_FAILED;
	progress_end(&progress, view->status.in_sync << 9, !view_unsynced(view));
	result = view_unsynced(view) ? EXIT_DEGRADED : EXIT_HEALTHY;
	view_free(view);
	return result;
}

static int run(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = { OPTIONS_HELP, OPTIONS_END };
	struct view *view;

	while (options_next(verb, argc, argv, options) >= 0)
		;
	if (argc - optind != 1)
		return options_wrong(verb, "give the name of one array");
	view = view_running(argv[optind]);
	return view ? wait_for(view) : EXIT_FAILED;
}

const struct verb verb_wait = {
	.name = "wait",
	.summary = "wait for a resync, with its progress",
	.help = "wait NAME\n"
		"\n"
		"Waits until the copies of the array have been made the same, and shows how far\n"
		"that is. Ends with status 1 if it ends before: who froze it, or what went wrong,\n"
		"is told by `mirrorbal status NAME`.\n",
	.needs_root = true,
	.run = run,
};
