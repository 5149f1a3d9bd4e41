// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdlib.h>

#include "advice.h"
#include "alloc.h"
#include "shell.h"
#include "stamp_text.h"
#include "table_line.h"

static void add(struct lines *lines, const char *fmt, ...) __printf(2, 3);

static void add(struct lines *lines, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = xstrdup(fmt);
	va_end(args);
	lines->list = xrealloc(lines->list, (lines->count + 1) * sizeof(*lines->list));
	lines->list[lines->count++] = text;
}

void lines_free(struct lines *lines)
{
	size_t i;

	for (i = 0; i < lines->count; i++)
		free(lines->list[i]);
	free(lines->list);
}

/* The one leg of a mask, or -1 for none or several. */
static int only_leg(u32 mask)
{
	return mask && !(mask & (mask - 1)) ? __builtin_ctz(mask) : -1;
}

static void say_only_copies(struct lines *lines, const struct view *view)
{
	u32 in_sync = view_in_sync(view), said = 0, set;

	for (set = 0; set < mb_layout_nr_sets(&view->layout); set++) {
		u32 legs = mb_layout_set(&view->layout, set);
		int left = only_leg(legs & in_sync);

		if (!(legs & in_sync)) {
			add(lines, "no copy is left of some data");
		} else if (left >= 0 && legs != (1u << left) && !(said & (1u << left))) {
			add(lines, "leg %d is the only copy left of some data", left);
			said |= 1u << left;
		}
	}
}

static void say_errors(struct lines *lines, const struct view *view, u32 leg)
{
	const u64 *counters = view->legs[leg].counters;
	u64 reads, writes, repaired;

	if (!counters)
		return;
	reads = counters[MB_COUNTER_READ_ERRORS];
	writes = counters[MB_COUNTER_WRITE_ERRORS];
	repaired = counters[MB_COUNTER_SECTORS_REPAIRED];
	if (view->legs[leg].health == MB_LEG_FAILED)
		add(lines, "leg %u failed%s; `journalctl -k --grep mirrorbal` says when and why", leg,
		    writes ? " by a write error" : "");
	if (reads)
		add(lines, "leg %u had %llu read errors; other copies served, `smartctl -a` may tell more",
		    leg, (unsigned long long)reads);
	if (repaired)
		add(lines, "leg %u had %llu sectors that could not be read written again from another copy",
		    leg, (unsigned long long)repaired);
}

static const char *why_no_resync(const struct view *view)
{
	if (view->array->read_only)
		return "read-only";
	return strcmp(view->status.action, "frozen") ? "stopped, the kernel log says why" :
		"off, by an order";
}

struct lines advice_events(const struct view *view)
{
	struct lines lines = { 0 };
	u32 leg;

	if (view->conflict)
		add(&lines, "%s", view->conflict);
	if (view->refusal) {
		add(&lines, "%s%s", view->array ? "it does no I/O: " : "", view->refusal);
		return lines;
	}
	if (view->creating)
		add(&lines, "its creation was not finished: the copies differ");
	for (leg = 0; leg < view->layout.shape.legs; leg++) {
		if (view->legs[leg].health == MB_LEG_MISSING)
			add(&lines, "leg %u %s", leg, view->array ?
			    "was left out when the array was started" :
			    view->lost & (1u << leg) ? "was in sync and was not found" :
			    "was not found; it was not in sync");
		if (!view->array && view->legs[leg].health == MB_LEG_FAILED)
			add(&lines, "leg %u is stale: it %s", leg, view->lost & (1u << leg) ?
			    "is older than the others think, a copy perhaps" :
			    "had failed before the stop");
		say_errors(&lines, view, leg);
	}
	if (view->array && view->array->suspended)
		add(&lines, "it is suspended: all I/O waits");
	if (view_unsynced(view))
		add(&lines, "behind the first %u %% the copies may differ; of each, all read the first that is in sync",
		    view_synced_percent(view));
	if (view_unsynced(view) && !view_resyncing(view))
		add(&lines, "no resync makes them the same: it is %s", why_no_resync(view));
	say_only_copies(&lines, view);
	return lines;
}

static bool is_good(const struct view *view, u32 leg)
{
	return view_leg_in_sync(view, leg) && view->legs[leg].device;
}

/* "mirrorbal erase" of the legs whose device is known: those in sync, or all others. */
static char *erase_command(const struct view *view, bool good)
{
	char *text = NULL;
	u32 leg;

	for (leg = 0; leg < view->layout.shape.legs; leg++) {
		if (!view->legs[leg].device || is_good(view, leg) != good)
			continue;
		if (!text)
			text = xstrdup("mirrorbal erase");
		shell_append(&text, device_own_name(view->legs[leg].device));
	}
	return text;
}

static void add_command(struct lines *lines, char *command)
{
	if (command)
		add(lines, "  %s", command);
	free(command);
}

/* A create command for the same geometry, as far as its options. */
static char *create_options(const struct view *view)
{
	const struct mb_shape *shape = &view->layout.shape;
	char word[8], *text = xstrdup("mirrorbal create");

	shell_append(&text, view->name);
	xappend(&text, " ", "--layout %s --chunk %us --size %llus", layout_word(word, shape),
		shape->chunk_sectors,
		(unsigned long long)mb_layout_leg_sectors(&view->layout, 0));
	return text;
}

/* The policy and the legs' marks are the running array's own. */
static void append_settings(char **command, const struct view *view)
{
	char *policy;
	u32 i;

	policy = xstrdup(view->table.policy);
	for (i = 0; i < view->table.policy_argc; i++)
		xappend(&policy, ",", "%s", view->table.policy_argv[i]);
	if (strcmp(policy, MB_DEFAULT_POLICY)) {
		xappend(command, " ", "--policy");
		shell_append(command, policy);
	}
	free(policy);
	for (i = 0; i < view->layout.shape.legs; i++)
		if (view->table.write_mostly & (1u << i))
			xappend(command, " ", "--write-mostly leg%u", i);
}

/* The create command that copies from the legs that are left onto new ones. */
static char *recreate_command(const struct view *view)
{
	u32 legs = view->layout.shape.legs, leg;
	char *text = create_options(view);

	append_settings(&text, view);
	for (leg = 0; leg < legs; leg++) {
		if (!is_good(view, leg))
			continue;
		xappend(&text, " ", "--copy-from");
		shell_append(&text, device_own_name(view->legs[leg].device));
	}
	for (leg = 0; leg < legs; leg++) {
		if (is_good(view, leg))
			shell_append(&text, device_own_name(view->legs[leg].device));
		else
			xappend(&text, " ", "NEW-LEG%u", leg);
	}
	return text;
}

/*
 * The stale legs forget first: as long as one still carries the array's name
 * it would be shown as the array once the good ones have forgotten, and the
 * name could not be used again.
 */
static void advise_replacing(struct lines *lines, const struct view *view)
{
	char *name = shell_word(view->name), *erase_good = erase_command(view, true);

	add(lines, "make a backup of /dev/mapper/%s now", view->name);
	if (view->stamp && erase_good) {
		add(lines, "a leg cannot be replaced while the array runs in this version; with a new disk for it:");
		add(lines, "  mirrorbal stop %s", name);
		add_command(lines, erase_command(view, false));
		add_command(lines, xstrdup(erase_good));
		add_command(lines, recreate_command(view));
	}
	free(erase_good);
	free(name);
}

/* The copies that won before it was broken off must win again: the others are half overwritten. */
static char *retry_command(const struct view *view)
{
	u32 legs = view->layout.shape.legs, leg;
	char *text = create_options(view), *winners = stamp_winners(view->creating);

	if (winners)
		xappend(&text, " ", "%s", winners);
	free(winners);
	for (leg = 0; leg < legs; leg++) {
		if (view->legs[leg].device)
			shell_append(&text, device_own_name(view->legs[leg].device));
		else
			xappend(&text, " ", "LEG%u", leg);
	}
	return text;
}

/*
 * A leg that was in sync, as far as those that are here know, may hold what they lack:
 * nobody should type away what it has without having looked for it.
 */
static void advise_finding(struct lines *lines, const struct view *view)
{
	u32 leg;

	for (leg = 0; leg < view->layout.shape.legs; leg++) {
		char *text;

		if (!(view->lost & (1u << leg)))
			continue;
		text = view_leg_describe(view, leg);
		add(lines, "connect %s", text);
		free(text);
	}
	if (view->stray) {
		add(lines, "%s", view->stray);
		return;
	}
	add(lines, "if it is gone for good: what the others hold is as old as `mirrorbal examine` says of them (updated);");
	add(lines, "`mirrorbal assemble --degraded` starts with that, and what the missing leg has more is lost then");
}

static void advise_assembling(struct lines *lines, const struct view *view)
{
	char *text = xstrdup("mirrorbal assemble");

	shell_append(&text, view->ambiguous ? view->uuid : view->name);
	add_command(lines, text);
}

static void advise_starting(struct lines *lines, const struct view *view)
{
	if (view->conflict) {
		add(lines, "disconnect the device that is a copy of the other, or let it forget that: mirrorbal erase DEVICE");
	} else if (view->creating) {
		add(lines, "begin again; which copies win must be said as it was at first:");
		add_command(lines, erase_command(view, true));
		add_command(lines, retry_command(view));
	} else if (view->refusal) {
		add(lines, "erase the leg whose content may go (`mirrorbal erase DEVICE`), or disconnect it");
	} else if (!mb_health_complete(&view->layout, view_in_sync(view), NULL)) {
		add(lines, "connect the missing disks; without them the array cannot start");
	} else if (view->lost) {
		advise_finding(lines, view);
	} else {
		advise_assembling(lines, view);
	}
}

/* Of a running array that is neither healthy nor down. */
static void advise_degraded(struct lines *lines, const struct view *view)
{
	if (view_unsynced(view) && !view_resyncing(view) && !view->array->read_only)
		add(lines, "mirrorbal set %s resync on", view->name);
	if (view_in_sync(view) != view_all_legs(view))
		advise_replacing(lines, view);
}

struct lines advice_next(const struct view *view)
{
	struct lines lines = { 0 };

	if (!view->array)
		advise_starting(&lines, view);
	else if (view->health == VIEW_DEGRADED)
		advise_degraded(&lines, view);
	else if (view->refusal)
		add(&lines, "mirrorbal stop %s", view->name);
	else if (view->health == VIEW_DOWN)
		add(&lines, "journalctl -k --grep mirrorbal");
	return lines;
}
