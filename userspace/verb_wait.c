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

static void say_nothing_to_wait_for(const struct view *view)
{
	say_note("nothing is under way%s", view_unsynced(view) ?
		 ", though copies may differ: `mirrorbal status` says why" : "");
}

/* Returns the array as it is in the end, or NULL. */
static struct view *wait_for(struct view *view)
{
	struct progress progress;

	progress_start(&progress, "resync", view->layout.length << 9);
	view = watch(view, &progress);
	if (view)
		progress_end(&progress, view->status.in_sync << 9, !view_unsynced(view));
	return view;
}

static int run(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = { OPTIONS_HELP, OPTIONS_END };
	struct view *view;
	int result;

	while (options_next(verb, argc, argv, options) >= 0)
		;
	if (argc - optind != 1)
		return options_wrong(verb, "give the name of one array");
	view = view_running(argv[optind]);
	if (view && view_resyncing(view))
		view = wait_for(view);
	else if (view)
		say_nothing_to_wait_for(view);
	if (!view)
		return EXIT_FAILED;
	result = view_unsynced(view) ? EXIT_DEGRADED : EXIT_HEALTHY;
	view_free(view);
	return result;
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
