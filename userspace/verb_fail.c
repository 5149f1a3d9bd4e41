// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "alloc.h"
#include "options.h"
#include "say.h"
#include "view.h"

/* "0 and 2" */
static char *leg_numbers(u32 mask)
{
	char *text = NULL;
	u32 leg;

	for (leg = 0; leg < MB_MAX_LEGS; leg++) {
		if (!(mask & (1u << leg)))
			continue;
		mask &= ~(1u << leg);
		xappend(&text, mask ? ", " : " and ", "%u", leg);
	}
	return text;
}

/* The legs that would share nothing but losses without this one. */
static u32 set_needing(const struct view *view, u32 leg)
{
	u32 in_sync = view_in_sync(view) & ~(1u << leg), lost = 0;

	mb_health_complete(&view->layout, in_sync, &lost);
	return lost;
}

static int check(const struct view *view, u32 leg)
{
	char *legs;

	if (view->legs[leg].health == MB_LEG_FAILED)
		return say_error("leg %u of '%s' has failed already", leg, view->name);
	if (!view_leg_in_sync(view, leg))
		return say_error("leg %u of '%s' is %s", leg, view->name,
				 view_leg_state(view, leg));
	if (mb_health_may_fail(&view->layout, view_in_sync(view), leg))
		return 0;
	legs = leg_numbers(set_needing(view, leg));
	say_error("leg %u holds the last good copy of what legs %s of '%s' share; the last copy is never failed",
		  leg, legs, view->name);
	free(legs);
	return -1;
}

static int fail_leg(const struct view *view, u32 leg, bool yes)
{
	char *text, *trouble;
	int result;

	if (check(view, leg))
		return EXIT_FAILED;
	text = view_leg_describe(view, leg);
	say_note("failing of '%s': %s", view->name, text);
	say_note(view->table.metadata ?
		 "it is not used any more, also after a stop: that is stored on the other legs" :
		 "it is not used any more until the array is stopped; it has no metadata, so after\n"
		 "a stop nothing remembers that its contents are old");
	free(text);
	if (!yes && can_ask() && !ask("Fail it?"))
		return EXIT_FAILED;
	text = xprintf("fail %u", leg);
	result = array_message(view->name, text, &trouble);
	free(text);
	if (result)
		say_error("cannot fail leg %u of '%s': %s", leg, view->name, trouble);
	free(trouble);
	return result ? EXIT_FAILED : EXIT_HEALTHY;
}

static int run(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = { OPTIONS_HELP, OPTIONS_YES, OPTIONS_END };
	struct view *view;
	bool yes = false;
	int result = EXIT_FAILED, leg;

	while (options_next(verb, argc, argv, options) >= 0)
		yes = true;
	if (argc - optind != 2)
		return options_wrong(verb, "give the name of an array and a leg");
	view = view_running(argv[optind]);
	if (!view)
		return EXIT_FAILED;
	leg = view_leg_named(view, argv[optind + 1]);
	if (leg >= 0)
		result = fail_leg(view, leg, yes);
	view_free(view);
	return result;
}

const struct verb verb_fail = {
	.name = "fail",
	.summary = "stop using a leg",
	.help = "fail NAME LEG [--yes]\n"
		"\n"
		"Stops the use of a leg, named leg0, leg1, ... or by any path of its device. The\n"
		"last copy of anything is never failed. On a terminal it asks first; --yes does\n"
		"not.\n",
	.needs_root = true,
	.run = run,
};
