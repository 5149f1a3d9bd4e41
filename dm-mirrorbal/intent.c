// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/moduleparam.h>

#include "exclusion.h"
#include "intent.h"
#include "leg.h"
#include "leg_io.h"
#include "recovery.h"
#include "superblock.h"
#include "write.h"

static unsigned int intent_delay = 5;
module_param(intent_delay, uint, 0644);
MODULE_PARM_DESC(intent_delay, "seconds between looks at which regions have not been written since the last one");

#define BITMAPS 5
#define BITMAP_BYTES (MB_INTENT_WORDS * sizeof(u64))

bool mb_intent_all_marked(struct mb_intent *intent, u64 first, u64 last)
{
	bool marked = true;
	u64 region;

	for (region = first; region <= last; region++) {
		set_bit(region, (unsigned long *)intent->touched);
		marked &= test_bit(region, (unsigned long *)intent->marked);
	}
	return marked;
}

/* Context: mutex held. Bits that are set in no other way. */
static void want_regions(struct mb_intent *intent, u64 from, u64 end)
{
	u64 last = (end - 1) >> intent->regions.shift, region;

	for (region = from >> intent->regions.shift; region <= last; region++)
		if (!__test_and_set_bit(region, (unsigned long *)intent->stored))
			intent->stale_blocks |= BIT(region / (MB_INTENT_BLOCK_BYTES * BITS_PER_BYTE));
}

/* Returns the legs that did not take it. */
static unsigned long write_block(struct mb_intent *intent, u32 number)
{
	struct mb_array *array = intent->array;
	unsigned long in_sync = READ_ONCE(array->in_sync), failed = 0;
	u64 sector = intent->sector + number * (MB_INTENT_BLOCK_BYTES >> SECTOR_SHIFT);
	u32 leg;

	mb_intent_encode(page_address(intent->page), intent->stored, number);
	for_each_set_bit(leg, &in_sync, MB_MAX_LEGS)
		if (mb_leg_page_io(array, leg, sector,
				   REQ_OP_WRITE | REQ_SYNC | REQ_META | REQ_FUA, intent->page,
				   MB_INTENT_BLOCK_BYTES))
			failed |= BIT(leg);
	return failed;
}

/*
 * Until all legs in sync have what is stored. False if a leg that has to stay does
 * not take it: then nothing may be written any more.
 * Context: mutex held.
 */
static bool write_stale_blocks(struct mb_intent *intent)
{
	struct mb_array *array = intent->array;
	unsigned long blocks = intent->stale_blocks;
	u32 number;

	for_each_set_bit(number, &blocks, MB_INTENT_MAX_BLOCKS) {
		unsigned long failed = write_block(intent, number);

		if (failed &&
		    !mb_legs_fail_writing(array, failed, "its write-intent bitmap cannot be written")) {
			mb_refuse_changes(array, "the write-intent bitmap cannot be written to a leg that holds the last copy of some data");
			return false;
		}
		intent->stale_blocks &= ~BIT(number);
	}
	return true;
}

/* What is on the legs may be written. Context: mutex held. */
static void publish(struct mb_intent *intent)
{
	u32 i;

	for (i = 0; i < MB_INTENT_WORDS; i++)
		WRITE_ONCE(intent->marked[i], intent->stored[i]);
}

static void clear_later(struct mb_intent *intent)
{
	queue_delayed_work(intent->array->intent_workqueue, &intent->clear_work,
			   msecs_to_jiffies(clamp(READ_ONCE(intent_delay), 1u, 3600u) * MSEC_PER_SEC));
}

/* If somebody has asked for that; see mb_intent_unsync_all(). Context: mutex held. */
static void want_all_regions(struct mb_intent *intent)
{
	if (!READ_ONCE(intent->want_all))
		return;
	WRITE_ONCE(intent->want_all, false);
	/* A table before may have handed on its own since. */
	mb_intent_set_all(intent->unsynced, &intent->regions);
	mb_intent_set_all(intent->stored, &intent->regions);
	intent->stale_blocks = GENMASK(mb_regions_blocks(&intent->regions) - 1, 0);
}

/* What is wanted goes to the legs, and may be written then. Context: mutex held. */
static bool store_wanted(struct mb_intent *intent)
{
	if (READ_ONCE(intent->array->changes_refused) || !write_stale_blocks(intent))
		return false;
	publish(intent);
	clear_later(intent);
	return true;
}

bool mb_intent_mark(struct mb_array *array, u64 from, u64 end)
{
	struct mb_intent *intent = array->intent;
	bool marked;

	mutex_lock(&intent->mutex);
	want_regions(intent, from, end);
	marked = store_wanted(intent);
	mutex_unlock(&intent->mutex);
	return marked;
}

static void end_all(struct bio_list *bios)
{
	struct bio *bio;

	while ((bio = bio_list_pop(bios)))
		bio_io_error(bio);
}

static struct bio_list take_waiting(struct mb_intent *intent)
{
	struct bio_list bios;

	spin_lock(&intent->lock);
	bios = intent->waiting;
	bio_list_init(&intent->waiting);
	spin_unlock(&intent->lock);
	return bios;
}

/* All that wait by then are served by one write of each block. */
static void mark(struct work_struct *work)
{
	struct mb_intent *intent = container_of(work, struct mb_intent, mark_work);
	struct mb_array *array = intent->array;
	struct bio_list bios;
	struct bio *bio;
	bool marked;

	mutex_lock(&intent->mutex);
	bios = take_waiting(intent);
	/* Nobody should wait then; what else is wanted is stored at the next resume. */
	if (intent->stopped) {
		mutex_unlock(&intent->mutex);
		end_all(&bios);
		return;
	}
	bio_list_for_each(bio, &bios) {
		u64 from = dm_target_offset(array->ti, bio->bi_iter.bi_sector);

		want_regions(intent, from, from + bio_sectors(bio));
	}
	want_all_regions(intent);
	marked = store_wanted(intent);
	mutex_unlock(&intent->mutex);

	if (marked)
		mb_write_release(array, &bios);
	else
		end_all(&bios);
}

void mb_intent_hold(struct mb_array *array, struct bio *bio)
{
	struct mb_intent *intent = array->intent;

	spin_lock(&intent->lock);
	bio_list_add(&intent->waiting, bio);
	spin_unlock(&intent->lock);
	queue_work(array->intent_workqueue, &intent->mark_work);
}

static bool all_legs_in_sync(const struct mb_array *array)
{
	return READ_ONCE(array->in_sync) == array->all_legs;
}

static bool may_clear(const struct mb_array *array)
{
	return all_legs_in_sync(array) && !READ_ONCE(array->changes_refused);
}

/* Idle bits are cleared in memory, so that no change begins that has not begun. */
static void withdraw(struct mb_intent *intent)
{
	u32 i;

	for (i = 0; i < MB_INTENT_WORDS; i++)
		if (intent->idle[i])
			WRITE_ONCE(intent->marked[i], intent->marked[i] & ~intent->idle[i]);
}

/* On the legs now. If that fails, what they have is more than must be. */
static void clear_on_legs(struct mb_intent *intent)
{
	u32 i;

	for (i = 0; i < MB_INTENT_WORDS; i++) {
		if (!intent->idle[i])
			continue;
		intent->stored[i] &= ~intent->idle[i];
		intent->stale_blocks |= BIT(i / MB_INTENT_BLOCK_WORDS);
	}
	write_stale_blocks(intent);
}

/* Context: mutex held. */
static void clear_idle(struct mb_intent *intent)
{
	struct mb_array *array = intent->array;

	if (!may_clear(array) ||
	    !mb_intent_idle(intent->idle, intent->marked, intent->touched,
			    intent->unsynced, &intent->regions, smp_load_acquire(&array->synced)))
		return;
	withdraw(intent);
	mb_changes_drain(array);
	/* A leg that failed meanwhile is told apart by the bits from then on. */
	if (mb_flush_legs(array) && all_legs_in_sync(array))
		clear_on_legs(intent);
	else
		publish(intent);
}

static bool any_marked(const struct mb_intent *intent)
{
	return memchr_inv(intent->marked, 0, BITMAP_BYTES);
}

static void forget_touched(struct mb_intent *intent)
{
	u32 i;

	for (i = 0; i < MB_INTENT_WORDS; i++)
		WRITE_ONCE(intent->touched[i], 0);
}

static void clear(struct work_struct *work)
{
	struct mb_intent *intent = container_of(work, struct mb_intent, clear_work.work);

	mutex_lock(&intent->mutex);
	if (!intent->stopped) {
		clear_idle(intent);
		forget_touched(intent);
		/* With a leg away nothing will be cleared, however often it is tried. */
		if (any_marked(intent) && may_clear(intent->array))
			clear_later(intent);
	}
	mutex_unlock(&intent->mutex);
}

static int alloc_bitmaps(struct mb_intent *intent)
{
	u64 *words = kvzalloc(BITMAPS * BITMAP_BYTES, GFP_KERNEL);

	if (!words)
		return -ENOMEM;
	intent->marked = words;
	intent->touched = words + MB_INTENT_WORDS;
	intent->unsynced = words + 2 * MB_INTENT_WORDS;
	intent->stored = words + 3 * MB_INTENT_WORDS;
	intent->idle = words + 4 * MB_INTENT_WORDS;
	return 0;
}

int mb_intent_create(struct mb_array *array)
{
	struct mb_intent *intent = kzalloc(sizeof(*intent), GFP_KERNEL);

	if (!intent)
		return -ENOMEM;
	array->intent = intent;
	intent->array = array;
	intent->stopped = true;
	/* Until the legs have been asked. */
	mb_regions_init(&intent->regions, array->layout.length, MB_MAX_REGION_SECTORS);
	mutex_init(&intent->mutex);
	spin_lock_init(&intent->lock);
	bio_list_init(&intent->waiting);
	INIT_WORK(&intent->mark_work, mark);
	INIT_DELAYED_WORK(&intent->clear_work, clear);
	intent->page = alloc_pages(GFP_KERNEL, get_order(MB_INTENT_BLOCK_BYTES));
	return intent->page ? alloc_bitmaps(intent) : -ENOMEM;
}

void mb_intent_destroy(struct mb_array *array)
{
	struct mb_intent *intent = array->intent;

	if (!intent)
		return;
	kvfree(intent->marked);
	if (intent->page)
		__free_pages(intent->page, get_order(MB_INTENT_BLOCK_BYTES));
	kfree(intent);
}

/* Null if it cannot be read. */
static const u8 *read_block(struct mb_intent *intent, u32 leg, u32 number)
{
	u64 sector = intent->sector + number * (MB_INTENT_BLOCK_BYTES >> SECTOR_SHIFT);

	if (mb_leg_page_io(intent->array, leg, sector, REQ_OP_READ | REQ_META, intent->page,
			   MB_INTENT_BLOCK_BYTES))
		return NULL;
	return page_address(intent->page);
}

static bool is_stored(const struct mb_intent *intent, const u8 *block, u32 number)
{
	return block && mb_intent_same(intent->stored, block, number);
}

static void load_block(struct mb_intent *intent, u32 number)
{
	unsigned long in_sync = READ_ONCE(intent->array->in_sync);
	bool first = true;
	u32 leg;

	for_each_set_bit(leg, &in_sync, MB_MAX_LEGS) {
		const u8 *block = read_block(intent, leg, number);
		/* What legs before it have. */
		bool same = first || is_stored(intent, block, number);

		mb_intent_merge(intent->stored, &intent->regions, block, number);
		/* The power may have gone when some had got it. */
		if (!same || !is_stored(intent, block, number))
			intent->stale_blocks |= BIT(number);
		first = false;
	}
}

void mb_intent_load(struct mb_array *array, const struct mb_state *state)
{
	struct mb_intent *intent = array->intent;
	u32 number;

	mb_regions_init(&intent->regions, array->layout.length, state->region_sectors);
	intent->sector = state->intent_sector;
	memset(intent->stored, 0, BITMAP_BYTES);
	for (number = 0; number < mb_regions_blocks(&intent->regions); number++)
		load_block(intent, number);
	/* After a stop in order all in sync are the same; what is set, others miss. */
	if (state->dirty)
		memcpy(intent->unsynced, intent->stored, BITMAP_BYTES);
}

void mb_intent_inherit(struct mb_array *array, const struct mb_array *old)
{
	struct mb_intent *to = array->intent;
	const struct mb_intent *from = old->intent;

	to->regions = from->regions;
	to->sector = from->sector;
	to->stale_blocks = from->stale_blocks;
	memcpy(to->stored, from->stored, BITMAP_BYTES);
	memcpy(to->unsynced, from->unsynced, BITMAP_BYTES);
}

void mb_intent_begin(struct mb_array *array)
{
	struct mb_intent *intent = array->intent;

	mutex_lock(&intent->mutex);
	want_all_regions(intent);
	intent->stopped = false;
	store_wanted(intent);
	mutex_unlock(&intent->mutex);
}

void mb_intent_end(struct mb_array *array)
{
	struct mb_intent *intent = array->intent;

	mutex_lock(&intent->mutex);
	if (!intent->stopped) {
		intent->stopped = true;
		forget_touched(intent);
		clear_idle(intent);
	}
	mutex_unlock(&intent->mutex);
	cancel_delayed_work_sync(&intent->clear_work);
}

void mb_intent_unsync_all(struct mb_array *array)
{
	struct mb_intent *intent = array->intent;

	mb_intent_set_all(intent->unsynced, &intent->regions);
	/* Not here: the mutex may be held for as long as a leg takes to answer. */
	WRITE_ONCE(intent->want_all, true);
	queue_work(array->intent_workqueue, &intent->mark_work);
}

u64 mb_intent_next_unsynced(const struct mb_array *array, u64 sector, u64 *end)
{
	u64 from;

	mb_intent_find(array->intent->unsynced, &array->intent->regions, sector, &from, end);
	return from;
}
