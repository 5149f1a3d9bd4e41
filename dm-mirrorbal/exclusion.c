// SPDX-License-Identifier: GPL-2.0-only
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "exclusion.h"
#include "write.h"

void mb_exclusions_init(struct mb_array *array)
{
	struct mb_exclusions *exclusions = &array->exclusions;

	spin_lock_init(&exclusions->lock);
	INIT_LIST_HEAD(&exclusions->list);
	bio_list_init(&exclusions->held);
	init_waitqueue_head(&exclusions->ended);
	mutex_init(&exclusions->drain_mutex);
}

/* One that overlaps, or NULL. */
static const struct mb_exclusion *find(const struct mb_exclusions *exclusions, u64 from, u64 end)
{
	const struct mb_exclusion *exclusion;

	list_for_each_entry(exclusion, &exclusions->list, entry)
		if (from < exclusion->end && end > exclusion->from)
			return exclusion;
	return NULL;
}

u32 mb_exclusion_in_sync(struct mb_array *array, u64 sector, u32 *sectors)
{
	struct mb_exclusions *exclusions = &array->exclusions;
	const struct mb_exclusion *exclusion;
	u32 now, in_sync;

	spin_lock(&exclusions->lock);
	/* Under the lock, as when an exclusion takes it: that one has as many legs or more. */
	now = in_sync = READ_ONCE(array->in_sync);
	list_for_each_entry(exclusion, &exclusions->list, entry) {
		if (!exclusion->in_sync || exclusion->in_sync == now)
			continue;
		if (sector >= exclusion->end || sector + *sectors <= exclusion->from)
			continue;
		/* Outside, such a leg may have missed writes: a read may not be of both. */
		if (sector < exclusion->from) {
			*sectors = exclusion->from - sector;
			continue;
		}
		in_sync = exclusion->in_sync;
		*sectors = min_t(u64, *sectors, exclusion->end - sector);
	}
	spin_unlock(&exclusions->lock);
	return in_sync;
}

void mb_exclusion_distrust(struct mb_array *array, u32 leg)
{
	struct mb_exclusions *exclusions = &array->exclusions;
	struct mb_exclusion *exclusion;

	spin_lock(&exclusions->lock);
	list_for_each_entry(exclusion, &exclusions->list, entry)
		WRITE_ONCE(exclusion->in_sync, exclusion->in_sync & ~BIT(leg));
	spin_unlock(&exclusions->lock);
}

bool mb_exclusion_is_wanted(struct mb_array *array)
{
	struct mb_exclusions *exclusions = &array->exclusions;

	return READ_ONCE(exclusions->held.head) || waitqueue_active(&exclusions->ended);
}

bool mb_is_excluded(struct mb_array *array, u64 from, u64 end)
{
	struct mb_exclusions *exclusions = &array->exclusions;
	bool excluded;

	spin_lock(&exclusions->lock);
	excluded = find(exclusions, from, end);
	spin_unlock(&exclusions->lock);
	return excluded;
}

bool mb_change_hold(struct mb_array *array, struct bio *bio, u64 from, u64 end)
{
	struct mb_exclusions *exclusions = &array->exclusions;
	bool excluded;

	spin_lock(&exclusions->lock);
	excluded = find(exclusions, from, end);
	if (excluded)
		bio_list_add(&exclusions->held, bio);
	spin_unlock(&exclusions->lock);
	return excluded;
}

int mb_change_begin_wait(struct mb_array *array, u64 from, u64 end)
{
	int epoch;

	for (;;) {
		epoch = mb_change_begin(array, from, end);
		if (epoch != MB_NO_EPOCH)
			return epoch;
		wait_event(array->exclusions.ended, !mb_is_excluded(array, from, end));
	}
}

static bool all_have_left(const struct mb_array *array, int epoch)
{
	u64 begun = 0, done = 0;
	int cpu;

	/* Nobody enters it any more; who leaves it may do so on another CPU. */
	for_each_possible_cpu(cpu) {
		const struct mb_cpu *on = per_cpu_ptr(array->cpus, cpu);

		begun += READ_ONCE(on->changes_begun[epoch]);
		done += READ_ONCE(on->changes_done[epoch]);
	}
	return begun == done;
}

/*
 * Looks again at each tick instead of being told: a change would have to look
 * whether somebody waits, with a barrier, whenever one is done.
 */
static void drain(struct mb_array *array)
{
	struct mb_exclusions *exclusions = &array->exclusions;
	int old = exclusions->epoch;

	smp_store_release(&exclusions->epoch, !old);
	synchronize_rcu();
	while (!all_have_left(array, old))
		schedule_timeout_uninterruptible(1);
	/* What the changes did comes before what we do. */
	smp_mb();
}

void mb_changes_drain(struct mb_array *array)
{
	/* One at a time: there are two epochs, and the other one must be empty. */
	mutex_lock(&array->exclusions.drain_mutex);
	drain(array);
	mutex_unlock(&array->exclusions.drain_mutex);
}

void mb_exclude(struct mb_array *array, struct mb_exclusion *exclusion)
{
	struct mb_exclusions *exclusions = &array->exclusions;

	for (;;) {
		spin_lock(&exclusions->lock);
		if (!find(exclusions, exclusion->from, exclusion->end))
			break;
		spin_unlock(&exclusions->lock);
		wait_event(exclusions->ended,
			   !mb_is_excluded(array, exclusion->from, exclusion->end));
	}
	exclusion->in_sync = 0;
	list_add(&exclusion->entry, &exclusions->list);
	WRITE_ONCE(exclusions->nr, exclusions->nr + 1);
	spin_unlock(&exclusions->lock);

	mb_changes_drain(array);

	spin_lock(&exclusions->lock);
	exclusion->in_sync = READ_ONCE(array->in_sync);
	spin_unlock(&exclusions->lock);
}

void mb_exclude_end(struct mb_array *array, struct mb_exclusion *exclusion)
{
	struct mb_exclusions *exclusions = &array->exclusions;
	struct bio_list held;

	spin_lock(&exclusions->lock);
	list_del(&exclusion->entry);
	WRITE_ONCE(exclusions->nr, exclusions->nr - 1);
	/* Those of other exclusions will be held again. */
	held = exclusions->held;
	bio_list_init(&exclusions->held);
	spin_unlock(&exclusions->lock);

	wake_up_all(&exclusions->ended);
	mb_write_release(array, &held);
}
