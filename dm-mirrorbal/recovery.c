// SPDX-License-Identifier: GPL-2.0-only
#include <linux/dm-kcopyd.h>
#include <linux/slab.h>

#include "choice.h"
#include "exclusion.h"
#include "leg.h"
#include "leg_io.h"
#include "recovery.h"
#include "recovery_copy.h"
#include "write.h"

/* In its rests it looks so often whether the array is used; after so long it is not. */
#define LOOK_MS 50
#define UNUSED_MS 200

bool mb_recovery_may_go_on(const struct mb_array *array)
{
	const struct mb_recovery *recovery = &array->recovery;

	return array->writable && !mb_all_synced(array) && !READ_ONCE(recovery->stopped) &&
	       !READ_ONCE(recovery->frozen) && !READ_ONCE(recovery->stuck);
}

static void start(struct mb_array *array)
{
	if (mb_recovery_may_go_on(array))
		queue_work(array->recovery_workqueue, &array->recovery.work);
}

/* What a step is taken by. */
struct mark {
	u64 synced;
	u32 restarts;
	u32 orders;
};

static struct mark look_at_mark(struct mb_array *array)
{
	struct mark mark;
	unsigned long flags;

	spin_lock_irqsave(&array->state_lock, flags);
	mark.synced = array->synced;
	mark.restarts = array->recovery.restarts;
	mark.orders = READ_ONCE(array->recovery.orders);
	spin_unlock_irqrestore(&array->state_lock, flags);
	return mark;
}

/* Unless since the step's beginning somebody has ordered to try again. */
static void get_stuck(struct mb_array *array, struct mark mark, u64 sector, const char *trouble)
{
	unsigned long flags;

	DMERR("%s: resync cannot go on at sector %llu: %s", mb_array_name(array), sector, trouble);
	spin_lock_irqsave(&array->state_lock, flags);
	if (array->recovery.orders == mark.orders)
		WRITE_ONCE(array->recovery.stuck, true);
	spin_unlock_irqrestore(&array->state_lock, flags);
}

/* The mark moves, unless since an order has come to begin anew. */
static void advance(struct mb_array *array, struct mark mark, u64 to)
{
	unsigned long flags;

	spin_lock_irqsave(&array->state_lock, flags);
	if (array->recovery.restarts == mark.restarts) {
		smp_store_release(&array->synced, to);
		mb_choice_changed(array);
	}
	spin_unlock_irqrestore(&array->state_lock, flags);
}

/* All is copied. That it is the same is told, and would be untrue if legs lost what their caches have. */
static void complete_resync(struct mb_array *array, struct mark mark)
{
	if (mb_flush_legs(array)) {
		advance(array, mark, array->layout.length);
		return;
	}
	/* What its cache has lost may be of any step. */
	advance(array, mark, 0);
	get_stuck(array, mark, 0, "a flush failed on a leg that holds the last copy of other data");
}

static void move_mark(struct mb_array *array, struct mark mark, u64 to)
{
	if (to == array->layout.length)
		complete_resync(array, mark);
	else
		advance(array, mark, to);
}

static void take_step(struct mb_array *array, struct mark mark, u64 end, struct mb_step *step)
{
	struct mb_exclusion range = {
		.from = mark.synced,
		.end = min(mark.synced + array->recovery.pace.sectors, end),
	};
	const char *trouble;
	u64 begun, reached;

	mb_exclude(array, &range);
	begun = ktime_get_ns();
	reached = mb_recovery_copy(array, &range, &trouble);
	step->ns = ktime_get_ns() - begun;
	step->sectors = reached - mark.synced;
	if (trouble)
		get_stuck(array, mark, reached, trouble);
	move_mark(array, mark, reached);
	/* Who waits is not among what is counted. */
	step->disturbed = mb_exclusion_is_wanted(array);
	mb_exclude_end(array, &range);
}

/* Has the array been used since this was asked last? */
static bool is_used(struct mb_array *array)
{
	u64 traffic = mb_legs_traffic(array);
	bool used = traffic != array->recovery.traffic;

	array->recovery.traffic = traffic;
	return used;
}

/*
 * Until the pace lets it go on, or somebody gives another order; beside others
 * also until they have been away for a while.
 */
static void rest(struct mb_array *array, const struct mb_step *step)
{
	struct mb_recovery *recovery = &array->recovery;
	/* An order that comes with a new limit is seen. */
	u32 orders = smp_load_acquire(&recovery->orders);
	u32 limit = READ_ONCE(recovery->limit), unused = 0;
	u64 ns = mb_pace_next(&recovery->pace, step, limit);
	unsigned long end = jiffies + nsecs_to_jiffies(ns);

	while (ns && !time_after(jiffies, end) && mb_recovery_may_go_on(array) &&
	       READ_ONCE(recovery->orders) == orders) {
		wait_event_idle_timeout(recovery->wake, READ_ONCE(recovery->orders) != orders,
					min(end - jiffies + 1, msecs_to_jiffies(LOOK_MS)));
		unused = is_used(array) ? 0 : unused + 1;
		if (!limit && unused * LOOK_MS >= UNUSED_MS)
			break;
	}
}

/* With one leg left of each set there is nothing to copy to. In sync, legs only get fewer. */
static bool is_anything_twice(const struct mb_array *array)
{
	return mb_health_any_second(&array->layout, READ_ONCE(array->in_sync));
}

/* What is to be copied next, and up to where. */
static u64 next_unsynced(const struct mb_array *array, u64 sector, u64 *end)
{
	if (array->intent)
		return mb_intent_next_unsynced(array, sector, end);
	*end = array->layout.length;
	return sector;
}

static void recover(struct work_struct *work)
{
	struct mb_array *array = container_of(work, struct mb_array, recovery.work);
	struct mb_recovery *recovery = &array->recovery;

	if (!mb_recovery_may_go_on(array))
		return;
	DMINFO("%s: resync from sector %llu of %llu", mb_array_name(array),
	       READ_ONCE(array->synced), array->layout.length);
	mb_pace_start(&recovery->pace);
	is_used(array);
	while (mb_recovery_may_go_on(array)) {
		struct mark mark = look_at_mark(array);
		struct mb_step step;
		u64 end, next = next_unsynced(array, mark.synced, &end);

		if (!is_anything_twice(array)) {
			complete_resync(array, mark);
			continue;
		}
		if (next != mark.synced) {
			move_mark(array, mark, next);
			continue;
		}
		take_step(array, mark, end, &step);
		step.disturbed |= is_used(array);
		rest(array, &step);
	}
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

/* The worker looks up from its rest, or begins. */
static void look_up(struct mb_array *array)
{
	wake_up_all(&array->recovery.wake);
	start(array);
}

/* Context: state_lock held. */
static void count_order(struct mb_recovery *recovery)
{
	smp_store_release(&recovery->orders, recovery->orders + 1);
}

static void give_order(struct mb_array *array)
{
	unsigned long flags;

	spin_lock_irqsave(&array->state_lock, flags);
	count_order(&array->recovery);
	spin_unlock_irqrestore(&array->state_lock, flags);
	look_up(array);
}

void mb_recovery_try_again(struct mb_array *array)
{
	unsigned long flags;

	/* In one, or a step that ends in between would get stuck in spite of it. */
	spin_lock_irqsave(&array->state_lock, flags);
	count_order(&array->recovery);
	WRITE_ONCE(array->recovery.stuck, false);
	spin_unlock_irqrestore(&array->state_lock, flags);
	look_up(array);
}

void mb_recovery_stop(struct mb_array *array)
{
	WRITE_ONCE(array->recovery.stopped, true);
	give_order(array);
}

void mb_recovery_go_on(struct mb_array *array)
{
	WRITE_ONCE(array->recovery.stopped, false);
	mb_recovery_try_again(array);
}

void mb_recovery_freeze(struct mb_array *array)
{
	WRITE_ONCE(array->recovery.frozen, true);
	give_order(array);
}

void mb_recovery_thaw(struct mb_array *array)
{
	WRITE_ONCE(array->recovery.frozen, false);
	mb_recovery_try_again(array);
}

void mb_recovery_distrust(struct mb_array *array)
{
	unsigned long flags;

	if (array->intent)
		mb_intent_unsync_all(array);
	spin_lock_irqsave(&array->state_lock, flags);
	WRITE_ONCE(array->recovery.restarts, array->recovery.restarts + 1);
	smp_store_release(&array->synced, 0);
	mb_choice_changed(array);
	spin_unlock_irqrestore(&array->state_lock, flags);
}

void mb_recovery_restart(struct mb_array *array)
{
	mb_recovery_distrust(array);
	mb_recovery_thaw(array);
}

void mb_recovery_set_limit(struct mb_array *array, u32 limit)
{
	WRITE_ONCE(array->recovery.limit, limit);
	give_order(array);
}

const char *mb_recovery_action(const struct mb_array *array)
{
	if (READ_ONCE(array->recovery.frozen))
		return "frozen";
	return mb_recovery_may_go_on(array) ? "resync" : "idle";
}
