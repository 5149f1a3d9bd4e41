// SPDX-License-Identifier: GPL-2.0-only
#include <linux/dm-kcopyd.h>
#include <linux/slab.h>

#include "choice.h"
#include "exclusion.h"
#include "leg.h"
#include "leg_io.h"
#include "recovery.h"
#include "recovery_copy.h"

/*
 * Of a step: after each piece it is seen whether somebody waits. Large enough
 * that what is lost between pieces does not count on spinning legs.
 */
#define PIECE_SECTORS (SZ_16M >> SECTOR_SHIFT)

static bool may_go_on(const struct mb_array *array)
{
	const struct mb_recovery *recovery = &array->recovery;

	return array->writable && !mb_all_synced(array) && !READ_ONCE(recovery->stopped) &&
	       !READ_ONCE(recovery->frozen) && !READ_ONCE(recovery->stuck);
}

static void start(struct mb_array *array)
{
	if (may_go_on(array))
		queue_work(array->recovery_workqueue, &array->recovery.work);
}

static void get_stuck(struct mb_array *array, u64 sector, const char *why)
{
	DMERR("%s: resync cannot go on at sector %llu: %s, and its leg holds the last copy of other data",
	      mb_array_name(array), sector, why);
	WRITE_ONCE(array->recovery.stuck, true);
}

/*
 * `nosync` is printed once all is synced, and would be untrue if legs lost what
 * was copied to their caches. False if a leg that must stay may have.
 */
static bool flush_legs(struct mb_array *array)
{
	bool flushed = true;
	u32 leg;

	for (leg = 0; leg < array->layout.shape.legs; leg++)
		if (mb_leg_in_sync(array, leg) && blkdev_issue_flush(array->legs[leg].bdev))
			flushed &= mb_leg_fail(array, leg, "flush failed");
	return flushed;
}

/* The mark moves, unless it was set back meanwhile. */
static void advance(struct mb_array *array, u64 from, u64 to)
{
	unsigned long flags;

	spin_lock_irqsave(&array->state_lock, flags);
	if (array->synced == from) {
		WRITE_ONCE(array->synced, to);
		mb_choice_changed(array);
	}
	spin_unlock_irqrestore(&array->state_lock, flags);
}

/*
 * Copy of a step as much as goes before somebody wants in. Returns how far it
 * came.
 */
static u64 copy_pieces(struct mb_array *array, const struct mb_exclusion *range)
{
	u64 sector = range->from;

	do {
		u64 end = min(sector + PIECE_SECTORS, range->end);

		if (!mb_recovery_copy(array, sector, end)) {
			get_stuck(array, sector, "a copy there could not be written");
			break;
		}
		sector = end;
		cond_resched();
	} while (sector < range->end && may_go_on(array) && !mb_exclusion_is_wanted(array));
	return sector;
}

/* Behind the last sector if there is nothing left to copy to: one leg for each set. */
static u64 end_of_step(const struct mb_array *array, u64 from)
{
	if (!mb_health_any_second(&array->layout, READ_ONCE(array->in_sync)))
		return array->layout.length;
	return min(from + array->recovery.pace.sectors, array->layout.length);
}

static void take_step(struct mb_array *array, struct mb_step *step)
{
	struct mb_recovery *recovery = &array->recovery;
	u64 from = READ_ONCE(array->synced), begun, reached, traffic;
	struct mb_exclusion range = {
		.from = from,
		.end = end_of_step(array, from),
	};

	mb_exclude(array, &range);
	begun = ktime_get_ns();
	reached = copy_pieces(array, &range);
	if (reached == array->layout.length && !flush_legs(array)) {
		get_stuck(array, from, "a flush failed");
		reached = from;
	}
	advance(array, from, reached);
	step->ns = ktime_get_ns() - begun;
	mb_exclude_end(array, &range);

	traffic = mb_legs_traffic(array);
	step->sectors = reached - from;
	step->disturbed = traffic != recovery->traffic;
	recovery->traffic = traffic;
}

/* Until the pace lets it go on, or somebody decides anew. */
static void rest(struct mb_array *array, const struct mb_step *step)
{
	struct mb_recovery *recovery = &array->recovery;
	u32 limit = READ_ONCE(recovery->limit);
	u64 ns = mb_pace_next(&recovery->pace, step, limit);

	if (ns)
		wait_event_idle_timeout(recovery->wake,
					!may_go_on(array) || READ_ONCE(recovery->limit) != limit,
					nsecs_to_jiffies(ns) + 1);
}

static void recover(struct work_struct *work)
{
	struct mb_array *array = container_of(work, struct mb_array, recovery.work);
	struct mb_recovery *recovery = &array->recovery;
	struct mb_step step;

	if (!may_go_on(array))
		return;
	DMINFO("%s: resync from sector %llu of %llu", mb_array_name(array),
	       READ_ONCE(array->synced), array->layout.length);
	mb_pace_start(&recovery->pace);
	recovery->traffic = mb_legs_traffic(array);
	do {
		take_step(array, &step);
		rest(array, &step);
	} while (may_go_on(array));
	if (!mb_all_synced(array))
		return;
	DMINFO("%s: resync is done", mb_array_name(array));
	queue_work(array->workqueue, &array->event_work);
}

int mb_recovery_create(struct mb_array *array)
{
	struct mb_recovery *recovery = &array->recovery;

	recovery->stopped = true;
	INIT_WORK(&recovery->work, recover);
	init_waitqueue_head(&recovery->wake);
	recovery->runs = kcalloc(array->layout.shape.legs, sizeof(*recovery->runs), GFP_KERNEL);
	if (!recovery->runs)
		return -ENOMEM;
	recovery->copier = dm_kcopyd_client_create(NULL);
	if (IS_ERR(recovery->copier)) {
		int r = PTR_ERR(recovery->copier);

		recovery->copier = NULL;
		return r;
	}
	return 0;
}

void mb_recovery_destroy(struct mb_array *array)
{
	if (array->recovery.copier)
		dm_kcopyd_client_destroy(array->recovery.copier);
	kfree(array->recovery.runs);
}

/* The worker looks up from its rest. */
static void look_up(struct mb_array *array)
{
	wake_up_all(&array->recovery.wake);
	start(array);
}

void mb_recovery_stop(struct mb_array *array)
{
	WRITE_ONCE(array->recovery.stopped, true);
	look_up(array);
}

void mb_recovery_go_on(struct mb_array *array)
{
	WRITE_ONCE(array->recovery.stopped, false);
	/* A leg may have been failed by hand, or do again what it refused. */
	WRITE_ONCE(array->recovery.stuck, false);
	look_up(array);
}

void mb_recovery_freeze(struct mb_array *array)
{
	WRITE_ONCE(array->recovery.frozen, true);
	look_up(array);
}

void mb_recovery_thaw(struct mb_array *array)
{
	WRITE_ONCE(array->recovery.frozen, false);
	WRITE_ONCE(array->recovery.stuck, false);
	look_up(array);
}

void mb_recovery_restart(struct mb_array *array)
{
	unsigned long flags;

	spin_lock_irqsave(&array->state_lock, flags);
	WRITE_ONCE(array->synced, 0);
	mb_choice_changed(array);
	spin_unlock_irqrestore(&array->state_lock, flags);
	mb_recovery_thaw(array);
}

void mb_recovery_set_limit(struct mb_array *array, u32 limit)
{
	WRITE_ONCE(array->recovery.limit, limit);
	look_up(array);
}

const char *mb_recovery_action(const struct mb_array *array)
{
	if (READ_ONCE(array->recovery.frozen))
		return "frozen";
	return may_go_on(array) ? "resync" : "idle";
}
