// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "alloc.h"
#include "options.h"
#include "say.h"
#include "shell.h"
#include "table_line.h"
#include "users.h"
#include "view.h"

static int refuse_open(const struct view *view)
{
	char *users = users_of(view->array->number);
	char *path = xprintf("/dev/mapper/%s", view->name), *word = shell_word(path);

	if (users)
		say_error("'%s' is in use: %s; end that first", view->name, users);
	else
		say_error("'%s' is open %d times, by nobody that could be found; `lsof %s` may tell",
			  view->name, view->array->open_count, word);
	free(users);
	free(path);
	free(word);
	return EXIT_FAILED;
}

/* The last moment at which it is known which legs are stale. */
static void warn_stale(const struct view *view)
{
	char *command;

	if (view->table.metadata || (view->health == VIEW_HEALTHY && !view_unsynced(view)))
		return;
	command = table_command(view);
	say_warning("not all legs were in sync, and it has no metadata that would remember it. Start it again with this command only:\n  %s",
		    command);
	free(command);
}

static int stop(const struct view *view)
{
	char *trouble;

	if (view->array->open_count)
		return refuse_open(view);
	warn_stale(view);
	if (array_remove(view->name, &trouble)) {
		say_error("cannot stop '%s': %s", view->name, trouble);
		free(trouble);
		return EXIT_FAILED;
	}
	say_note("stopped '%s'", view->name);
	return EXIT_HEALTHY;
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
	if (!view)
		return EXIT_FAILED;
	result = stop(view);
	view_free(view);
	return result;
}

const struct verb verb_stop = {
	.name = "stop",
	.summary = "stop an array; its legs keep their data",
	.help = "stop NAME\n"
		"\n"
		"Stops an array that nobody uses. What its legs hold stays. With metadata which of\n"
		"them are in sync is stored, and `mirrorbal assemble NAME` starts it again.\n",
	.needs_root = true,
	.run = run,
};
