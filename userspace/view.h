/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An array as a person sees it: what device-mapper says, what the legs' stamps
 * say, and which disk is which. Also of arrays that do not run.
 */
#ifndef MB_VIEW_H
#define MB_VIEW_H

#include "array.h"
#include "health.h"
#include "members.h"
#include "status.h"
#include "policy.h"
#include "table.h"

struct view_leg {
	struct device *device;	/* NULL: not known or not found */
	char health;		/* MB_LEG_*; as it would be, of an array that does not run */
	char mark;
	u64 data_offset;	/* sectors */
	const char *model;	/* as last seen, where the device is gone */
	const char *serial;
	const u64 *counters;	/* NULL unless the array runs */
};

enum view_health { VIEW_HEALTHY, VIEW_DEGRADED, VIEW_DOWN };

struct view {
	char *name;
	char uuid[40];			/* "" without a stamp */
	struct array *array;		/* NULL: does not run */
	struct mb_layout layout;
	struct mb_table table;		/* what it runs with, or would */
	struct mb_status status;	/* of a running array */
	struct mb_superblock *stamp;	/* newest of its legs; NULL if none is stamped, or all are well */
	struct mb_superblock *creating;	/* a stamp of its creation, if that was not finished */
	char *stray;			/* a device whose stamp cannot be read; maybe a lost leg's; or NULL */
	bool ambiguous;			/* it does not run, and something else has its name, too */
	char *refusal;			/* why it does no I/O, or must not be started; or NULL */
	u32 lost;			/* legs that were in sync when it was stopped and are not here; bit mask */
	char *conflict;			/* several devices that say they are one leg; or NULL */
	struct view_leg legs[MB_MAX_LEGS];
	enum view_health health;
	char **words;			/* that @table points into: of the table line, or the policy's arguments */
};

/*
 * An array that runs; NULL, having said why, if there is none of that name.
 * Reads no disk: one may be dying. Which device a leg that is not in sync is
 * may stay unknown.
 */
struct view *view_running(const char *name);

/* An array that does not run, by one of its members. */
struct view *view_unstarted(const struct member *member, struct members *members);

/* Whichever of both it is; NULL, having said why. */
struct view *view_named(const char *name, struct members *members);

struct view_list {
	struct view **list;
	size_t count;
	bool failed;	/* one runs that is not understood; that was said */
};

/* Every array, running ones first. */
struct view_list views_all(struct members *members);

void views_free(struct view_list *views);
void view_free(struct view *view);

/* Bit mask of all legs, there or not. */
u32 view_all_legs(const struct view *view);

/* It runs, and copies may differ: only a part, or nothing, is known to be the same on all legs. */
bool view_unsynced(const struct view *view);

/* Of a running array: how much is known to be the same, rounded down. */
u32 view_synced_percent(const struct view *view);

/* They are being made the same. */
bool view_resyncing(const struct view *view);

/* Does the leg hold what the array holds, or was it found if the array does not run? */
bool view_leg_in_sync(const struct view *view, u32 leg);

/* Bit mask of these legs. */
u32 view_in_sync(const struct view *view);

/* "healthy", "degraded", "down" */
const char *view_health_word(const struct view *view);

/* "in sync", "failed", ... */
const char *view_leg_state(const struct view *view, u32 leg);

/* "write-mostly", "slow", "write-mostly, slow", "" */
const char *view_leg_mark(const struct view *view, u32 leg);

/**
 * view_leg_named - the leg that a person means
 * @view: the array
 * @word: "leg1", or any path of the device
 *
 * Return: its number; -1, having said what is allowed.
 */
int view_leg_named(const struct view *view, const char *word);

/* "leg 1, /dev/sda (...), model, serial, size" */
char *view_leg_describe(const struct view *view, u32 leg);

#endif /* MB_VIEW_H */
