/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recovery: resync of an array whose copies may differ, from its first sector
 * to its last. mb_array.synced is how far it has come. Below it all copies are
 * the same; above it, everybody reads the first copy on a leg in sync.
 *
 * A worker takes steps: exclude a range, copy it, move the mark. It rests between
 * steps as core/pace.h has it, and ends a step early when a write waits for it.
 */
#ifndef MB_RECOVERY_H
#define MB_RECOVERY_H

#include "array.h"
#include "intent.h"

/**
 * mb_recovery_create - what recovery needs beforehand
 * @array: an array under construction
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno.
 */
int mb_recovery_create(struct mb_array *array);

/**
 * mb_recovery_destroy - undo mb_recovery_create()
 * @array: an array whose recovery_workqueue is gone
 */
void mb_recovery_destroy(struct mb_array *array);

/* Recovery does not go beyond its step any more. Context: process, never sleeps. */
void mb_recovery_stop(struct mb_array *array);

/* From suspend to resume it is stopped; now it may go on. Context: process. */
void mb_recovery_go_on(struct mb_array *array);

/* What an operator asks for; it stays so over suspend and reload. Context: process. */
void mb_recovery_freeze(struct mb_array *array);
void mb_recovery_thaw(struct mb_array *array);

/**
 * mb_recovery_restart - nothing is known to be the same any more
 * @array: the array
 *
 * Context: process.
 */
void mb_recovery_restart(struct mb_array *array);

/* The same, but whether it begins is as it was before. Context: process. */
void mb_recovery_distrust(struct mb_array *array);

/*
 * What it got stuck at may be done by now, or not have to be done any more, as
 * when a leg has failed. Context: any.
 */
void mb_recovery_try_again(struct mb_array *array);

/* KiB a second, at most; 0 for no limit. Context: process. */
void mb_recovery_set_limit(struct mb_array *array, u32 limit);

/* May the worker take another step? Context: any. */
bool mb_recovery_may_go_on(const struct mb_array *array);

/* What it does, in a word for the status. Context: any. */
const char *mb_recovery_action(const struct mb_array *array);

/* Are all copies of these sectors the same? Context: any. */
static inline bool mb_is_synced(const struct mb_array *array, u64 sector, u32 sectors)
{
	u64 end;

	/* Before who is in sync is looked at: who failed while it was copied is not. */
	if (sector + sectors <= smp_load_acquire(&array->synced))
		return true;
	/* Changed before `synced` is set back. */
	return array->intent && mb_intent_next_unsynced(array, sector, &end) >= sector + sectors;
}

/* Are all copies of everything the same? Context: any. */
static inline bool mb_all_synced(const struct mb_array *array)
{
	return smp_load_acquire(&array->synced) == array->layout.length;
}

#endif /* MB_RECOVERY_H */
