// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "say.h"
#include "startable.h"

static int check_legs(const struct view *view)
{
	if (view->creating)
		return say_error("the creation of '%s' was not finished: its copies differ. `mirrorbal erase` its legs and create it again",
				 view->name);
	if (view->conflict)
		return say_error("%s: one is a copy of the other, and which is up to date cannot be told. Disconnect one, or let it forget that: `mirrorbal erase DEVICE`",
				 view->conflict);
	if (view->refusal)
		return say_error("'%s' must not be started: %s", view->name, view->refusal);
	if (!mb_health_complete(&view->layout, view_in_sync(view), NULL))
		return say_error("'%s' cannot start: `mirrorbal status %s` says which legs were not found",
				 view->name, view->name);
	return 0;
}

static void warn(const struct view *view)
{
	u32 leg;

	for (leg = 0; leg < view->layout.shape.legs; leg++) {
		const struct view_leg *of = &view->legs[leg];
		char *text = NULL;

		if (of->health == MB_LEG_IN_SYNC)
			continue;
		text = view_leg_describe(view, leg);
		if (of->health == MB_LEG_FAILED && view->lost & (1u << leg))
			say_warning("'%s': %s: it is older than the others think, a copy perhaps, and is not used", view->name, text);
		else if (of->health == MB_LEG_FAILED)
			say_warning("'%s': %s: it is stale, had failed before, and is not used", view->name, text);
		else if (view->lost & (1u << leg))
			say_warning("'%s': %s: it was in sync and is not here", view->name, text);
		else
			say_warning("'%s': %s: it was missing before", view->name, text);
		free(text);
	}
}

int startable_check(const struct view *view, bool degraded)
{
	if (check_legs(view))
		return -1;
	warn(view);
	if (view->stray)
		say_warning("%s", view->stray);
	/* It may only be on its way. */
	if (view->lost && !degraded)
		return say_error("'%s' would start without a leg that was in sync; connect it, or start without: mirrorbal assemble --degraded %s",
				 view->name, view->name);
	return 0;
}
