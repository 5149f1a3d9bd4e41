/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exclusions: ranges of the array that one of us has for himself, to read one
 * copy and write the others without a change falling in between.
 *
 * A change is a write, a discard or zeroes from outside. Each enters an epoch
 * before it looks whether its range is excluded, and leaves it when it is done.
 * Who excludes a range lists it, begins a new epoch, waits until nobody can be
 * in the old one without having seen the list (a grace period), and then until
 * all who are in it have left. So a change pays two counters of its own CPU, and
 * needs none for its region.
 *
 * Why that is enough: a change that enters the new epoch has read it by an
 * acquire, so it sees the list as it was before the epoch was published, range
 * included. One that enters the old epoch does so in a section without
 * preemption. If the section ended before the grace period did, its counting is
 * seen by whoever waited for that; if it began after, it has read the new epoch.
 *
 * Reads are not kept out: the source of a copy does not change. If the source's
 * leg fails meanwhile, whoever reads a range whose copies may differ still reads
 * it there: the leg has missed no write in this range. Only if it was a flush that
 * failed, what it holds is nobody's any more.
 */
#ifndef MB_EXCLUSION_H
#define MB_EXCLUSION_H

#include "array.h"

/* The epoch of what is in none: its range is excluded, or it is no change. */
#define MB_NO_EPOCH (-1)

/**
 * mb_exclusions_init - nothing is excluded
 * @array: an array under construction
 */
void mb_exclusions_init(struct mb_array *array);

/**
 * mb_exclude - have a range for oneself
 * @array: the array
 * @exclusion: from and end are set; must live until mb_exclude_end()
 *
 * Its in_sync receives the legs that hold all that has been written to the range.
 *
 * Context: process; sleeps until changes that have begun are done, of whatever
 * range. May not be called by what a change waits for.
 */
void mb_exclude(struct mb_array *array, struct mb_exclusion *exclusion);

/**
 * mb_exclude_end - let changes in again
 * @array: the array
 * @exclusion: of mb_exclude()
 *
 * Context: process.
 */
void mb_exclude_end(struct mb_array *array, struct mb_exclusion *exclusion);

/**
 * mb_exclusion_in_sync - which legs count as in sync where copies may differ
 * @array: the array
 * @sector: first sector of a read
 * @sectors: its length; receives for how much of it the answer holds
 *
 * Context: process.
 * Return: bit mask of legs: as it was when the range was excluded, if it is.
 */
u32 mb_exclusion_in_sync(struct mb_array *array, u64 sector, u32 *sectors);

/* What a leg has lost may not be copied to others. Context: process. */
void mb_exclusion_distrust(struct mb_array *array, u32 leg);

/**
 * mb_changes_drain - wait until all changes that have begun are done
 * @array: the array
 *
 * Changes that begin meanwhile see what was published before.
 *
 * Context: process, sleeps. May not be called by what a change waits for.
 */
void mb_changes_drain(struct mb_array *array);

/* Does anybody wait for the end of an exclusion, of whatever range? Context: any. */
bool mb_exclusion_is_wanted(struct mb_array *array);

/* Does an exclusion overlap sectors @from to @end? Context: process. */
bool mb_is_excluded(struct mb_array *array, u64 from, u64 end);

/* A change is done. @epoch: of mb_change_begin(). Context: any. */
static inline void mb_change_done(struct mb_array *array, int epoch)
{
	this_cpu_inc(array->cpus->changes_done[epoch]);
}

/**
 * mb_change_begin - a change is about to be made
 * @array: the array
 * @from: its first sector
 * @end: behind its last
 *
 * Context: process.
 * Return: its epoch, or MB_NO_EPOCH if the range is excluded.
 */
static __always_inline int mb_change_begin(struct mb_array *array, u64 from, u64 end)
{
	int epoch;

	preempt_disable();
	/* Before the list is looked at: see above. */
	epoch = smp_load_acquire(&array->exclusions.epoch);
	this_cpu_inc(array->cpus->changes_begun[epoch]);
	preempt_enable();
	if (unlikely(READ_ONCE(array->exclusions.nr)) && mb_is_excluded(array, from, end)) {
		mb_change_done(array, epoch);
		return MB_NO_EPOCH;
	}
	return epoch;
}

/**
 * mb_change_hold - list a write until its range is free
 * @array: the array
 * @bio: the write
 * @from: its first sector
 * @end: behind its last
 *
 * Context: process.
 * Return: false if the range is free by now.
 */
bool mb_change_hold(struct mb_array *array, struct bio *bio, u64 from, u64 end);

/**
 * mb_change_begin_wait - mb_change_begin() for who may sleep
 * @array: the array
 * @from: its first sector
 * @end: behind its last
 *
 * Context: process, sleeps until the range is free.
 * Return: its epoch.
 */
int mb_change_begin_wait(struct mb_array *array, u64 from, u64 end);

#endif /* MB_EXCLUSION_H */
