/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write-intent: before a region is written its bit is durable on all legs in sync,
 * so that after a crash only regions with a bit set can differ.
 *
 * A change enters its epoch (exclusion.h) and then tests the bit in `marked`. If
 * it is not set the change leaves again and waits for a worker, which sets it on
 * the legs, then in memory. Bits of regions that were not written for a while are
 * cleared: in `marked`, so that no other change begins; then all that have begun are
 * waited for; the legs are flushed; then the bit is cleared on the legs. By the
 * argument of exclusion.h a change that tested the bit before it was cleared is
 * among those waited for: it counted itself into the old epoch before it tested, and
 * one that enters the new epoch sees the bits as they were when that was published.
 *
 * Nothing is cleared while a leg is failed or missing: the bits tell what it misses.
 */
#ifndef MB_INTENT_MODULE_H
#define MB_INTENT_MODULE_H

#include "array.h"
#include "core/intent.h"

struct mb_state;

struct mb_intent {
	struct mb_array *array;
	struct mb_regions regions;
	u64 *marked;		/* on all legs in sync: may be written. Changed under mutex */
	u64 *touched;		/* by changes since somebody looked; only a hint */
	u64 *unsynced;		/* copies may differ since the start; changed before `synced` is set back */
	u64 *stored;		/* what legs have set, or may have; under mutex */
	u64 *idle;		/* scratch; under mutex */
	u32 sector;		/* of the bitmap on each leg */
	u32 stale_blocks;	/* of the bitmap on the legs, to be written; under mutex */
	bool stopped;		/* from suspend to resume, when nothing is written; under mutex */
	bool want_all;		/* all regions are to be marked */
	struct mutex mutex;	/* see array.h */
	struct page *page;	/* a block; under mutex */
	spinlock_t lock;	/* for what follows; process context, a leaf */
	struct bio_list waiting;	/* changes whose regions are to be marked */
	struct work_struct mark_work;
	struct delayed_work clear_work;
};

/**
 * mb_intent_create - what write-intent needs beforehand
 * @array: an array under construction
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno.
 */
int mb_intent_create(struct mb_array *array);

/**
 * mb_intent_destroy - undo mb_intent_create()
 * @array: an array whose intent_workqueue is gone
 */
void mb_intent_destroy(struct mb_array *array);

/**
 * mb_intent_load - read the bitmaps of the legs in sync
 * @array: about to be resumed for the first time, and no table before it
 * @state: of its newest superblock
 *
 * What any of them has set counts; of a block that cannot be read, all.
 *
 * Context: process, sleeps; allocates nothing.
 */
void mb_intent_load(struct mb_array *array, const struct mb_state *state);

/**
 * mb_intent_inherit - know what the table before has stored
 * @array: about to be resumed for the first time
 * @old: its predecessor, which does no I/O any more
 *
 * Context: process, never sleeps.
 */
void mb_intent_inherit(struct mb_array *array, const struct mb_array *old);

/**
 * mb_intent_begin - changes are about to come
 * @array: about to be resumed; its legs in sync are known
 *
 * Context: process, sleeps; allocates nothing.
 */
void mb_intent_begin(struct mb_array *array);

/**
 * mb_intent_end - clear what can be cleared, and do no more
 * @array: suspended, without I/O
 *
 * Context: process, sleeps; allocates nothing.
 */
void mb_intent_end(struct mb_array *array);

/**
 * mb_intent_hold - let a write wait until its regions are marked
 * @array: the array
 * @bio: in no epoch; it is sent on, or ended
 *
 * Context: process.
 */
void mb_intent_hold(struct mb_array *array, struct bio *bio);

/**
 * mb_intent_mark - the same for who may sleep
 * @array: the array
 * @from: first sector of a change
 * @end: behind its last
 *
 * Context: process, sleeps; in no epoch.
 * Return: false if no change may be made any more.
 */
bool mb_intent_mark(struct mb_array *array, u64 from, u64 end);

/**
 * mb_intent_unsync_all - nothing is known to be the same any more
 * @array: the array
 *
 * Before `synced` is set back.
 *
 * Context: process.
 */
void mb_intent_unsync_all(struct mb_array *array);

/**
 * mb_intent_next_unsynced - where copies may differ
 * @array: the array
 * @sector: to begin at
 * @end: receives the sector behind, up to which they may
 *
 * Context: any.
 * Return: the first such sector, or the array's length.
 */
u64 mb_intent_next_unsynced(const struct mb_array *array, u64 sector, u64 *end);

/* mb_intent_is_marked() for the regions from @first to @last. */
bool mb_intent_all_marked(struct mb_intent *intent, u64 first, u64 last);

/**
 * mb_intent_is_marked - may a change be made?
 * @array: the array
 * @from: its first sector
 * @end: behind its last
 *
 * Context: process, in an epoch.
 */
static __always_inline bool mb_intent_is_marked(struct mb_array *array, u64 from, u64 end)
{
	struct mb_intent *intent = array->intent;
	u64 first, last;

	if (!intent)
		return true;
	first = from >> intent->regions.shift;
	last = (end - 1) >> intent->regions.shift;
	if (unlikely(first != last))
		return mb_intent_all_marked(intent, first, last);
	/* A line that others write as well, so only where it is not set. */
	if (unlikely(!test_bit(first, (unsigned long *)intent->touched)))
		set_bit(first, (unsigned long *)intent->touched);
	return test_bit(first, (unsigned long *)intent->marked);
}

#endif /* MB_INTENT_MODULE_H */
