// SPDX-License-Identifier: GPL-2.0-only
#include "compat.h"
#include "exclusion.h"
#include "intent.h"
#include "leg.h"
#include "leg_io.h"
#include "metadata.h"
#include "write.h"

/* One copy of a write on its way. */
struct mb_write_copy {
	u32 leg;
	blk_status_t status;
	u64 sector;		/* of the device; the bio's own moves as it is done */
	struct bio bio;
};

/*
 * A write on its way. Owned by whoever submits it until the last copy has been
 * submitted, then by the last copy to complete.
 */
struct mb_write {
	struct mb_array *array;
	struct bio *parent;
	struct work_struct work;	/* if a copy failed */
	atomic_t pending;
	u32 nr_copies;
	int epoch;			/* see exclusion.h; MB_NO_EPOCH for a flush */
	bool failed;			/* at least one copy */
	/*
	 * As many struct mb_write_copy as there are legs: a flush goes to all.
	 * Not an array by type, since on some kernels a bio ends in one.
	 */
	char copies[] __aligned(__alignof__(struct mb_write_copy));
};

size_t mb_write_size(u32 legs)
{
	return sizeof(struct mb_write) + legs * sizeof(struct mb_write_copy);
}

static struct mb_write_copy *copy_of(struct mb_write *write, u32 nr)
{
	return (struct mb_write_copy *)write->copies + nr;
}

/* Without held_lock: see free_write() and hold(). */
static bool any_held(const struct mb_array *array)
{
	return READ_ONCE(array->held.head);
}

static void free_write(struct mb_write *write)
{
	struct mb_array *array = write->array;

	mempool_free(write, &array->writes);
	/* Pairs with hold(): either we see its bio, or its worker our element. */
	smp_mb();
	if (unlikely(any_held(array)))
		queue_work(array->workqueue, &array->held_work);
}

static void finish(struct mb_write *write, blk_status_t status)
{
	struct mb_array *array = write->array;
	struct bio *parent = write->parent;

	if (likely(write->epoch != MB_NO_EPOCH))
		mb_change_done(array, write->epoch);
	free_write(write);
	parent->bi_status = status;
	mb_acknowledge(array, parent);
}

/* The next @bytes of a bio's data, into a buffer. */
static void copy_data(struct bio *from, struct bvec_iter *iter, void *to, u32 bytes)
{
	while (bytes) {
		struct bio_vec part = bio_iter_iovec(from, *iter);
		u32 len = min(part.bv_len, bytes);

		memcpy_from_page(to, part.bv_page, part.bv_offset, len);
		bio_advance_iter(from, iter, len);
		to += len;
		bytes -= len;
	}
}

/*
 * Write a copy once more and wait: from a page of our own, as much as it holds
 * at a time, so that nothing about how the data is cut can be in the way. The
 * page comes from a pool, and comes back without further help.
 */
static blk_status_t write_again(struct mb_write *write, struct mb_write_copy *copy)
{
	struct mb_array *array = write->array;
	blk_opf_t opf = write->parent->bi_opf & ~MB_NOT_INHERITED;
	struct page *page = mempool_alloc(&array->bounce_pages, GFP_NOIO);
	struct bvec_iter iter = write->parent->bi_iter;
	blk_status_t status = BLK_STS_OK;
	u64 sector = copy->sector;

	while (iter.bi_size && !status) {
		u32 bytes = min(iter.bi_size, array->bounce_bytes);

		copy_data(write->parent, &iter, page_address(page), bytes);
		mb_leg_start_write(array, copy->leg, bytes >> SECTOR_SHIFT);
		status = mb_leg_page_io(array, copy->leg, sector, opf, page, bytes);
		mb_leg_done_write(array, copy->leg);
		sector += bytes >> SECTOR_SHIFT;
	}
	mempool_free(page, &array->bounce_pages);
	return status;
}

void mb_refuse_changes(struct mb_array *array, const char *why)
{
	WRITE_ONCE(array->changes_refused, true);
	DMERR_LIMIT("%s: %s; writes are refused until a table is loaded again",
		    mb_array_name(array), why);
}

void mb_lose_flush(struct mb_array *array)
{
	WRITE_ONCE(array->flush_lost, true);
	mb_refuse_changes(array, "a flush failed on the last copy of some data, so what was acknowledged may be lost");
}

/* A leg that cannot write through its cache flushes that after the data, and the error may be of either. */
static bool may_be_flush(const struct mb_write *write, const struct mb_write_copy *copy)
{
	struct block_device *bdev = write->array->legs[copy->leg].bdev;

	if (!bio_has_data(write->parent))
		return true;
	return write->parent->bi_opf & REQ_FUA && bdev_write_cache(bdev) && !bdev_fua(bdev);
}

/* What became of a copy that failed: does its error go up? */
static blk_status_t settle_failed_copy(struct mb_write *write, struct mb_write_copy *copy)
{
	bool flush = may_be_flush(write, copy);

	/*
	 * The owner's cut of the data is no fault of the leg, but the legs may
	 * have taken different parts of it.
	 */
	if (mb_status_is_invalid(copy->status) && bio_has_data(write->parent)) {
		copy->status = write_again(write, copy);
		if (!copy->status)
			return BLK_STS_OK;
	}

	atomic64_inc(&write->array->legs[copy->leg].write_errors);
	if (mb_leg_fail(write->array, copy->leg, flush ? "flush failed" : "write failed")) {
		if (flush)
			mb_exclusion_distrust(write->array, copy->leg);
		return BLK_STS_OK;
	}
	/* What its cache lost a second flush does not bring back. */
	if (flush) {
		mb_lose_flush(write->array);
		return copy->status;
	}
	/*
	 * The leg holds the last copy of something and stays in sync, so its
	 * copy of this write must not be left to differ from the others.
	 */
	return write_again(write, copy);
}

/*
 * A leg that failed is out of sync, so what it missed is no loss: each set of
 * copies has a leg in sync, which has been in sync all along and has taken the
 * write, unless its own error is the one that goes up.
 */
static void settle_failed_write(struct work_struct *work)
{
	struct mb_write *write = container_of(work, struct mb_write, work);
	blk_status_t result = BLK_STS_OK;
	u32 i;

	for (i = 0; i < write->nr_copies; i++) {
		blk_status_t status = BLK_STS_OK;

		if (copy_of(write, i)->status)
			status = settle_failed_copy(write, copy_of(write, i));
		if (status)
			result = status;
	}
	finish(write, result);
}

static void copy_done(struct bio *bio)
{
	struct mb_write_copy *copy = container_of(bio, struct mb_write_copy, bio);
	struct mb_write *write = bio->bi_private;

	if (bio_has_data(write->parent))
		mb_leg_done_write(write->array, copy->leg);
	copy->status = bio->bi_status;
	if (unlikely(copy->status))
		WRITE_ONCE(write->failed, true);
	bio_uninit(bio);

	/* Orders `failed` and `status` of all copies before what follows. */
	if (!atomic_dec_and_test(&write->pending))
		return;
	if (likely(!READ_ONCE(write->failed))) {
		finish(write, BLK_STS_OK);
		return;
	}
	INIT_WORK(&write->work, settle_failed_write);
	queue_work(write->array->settle_workqueue, &write->work);
}

static blk_status_t add_copy(struct mb_write *write, u32 leg, u64 sector)
{
	struct mb_write_copy *copy = copy_of(write, write->nr_copies);
	struct block_device *bdev = write->array->legs[leg].bdev;

	if (bio_init_clone(bdev, &copy->bio, write->parent, GFP_NOWAIT))
		return BLK_STS_RESOURCE;
	copy->leg = leg;
	copy->sector = sector;
	copy->bio.bi_iter.bi_sector = sector;
	copy->bio.bi_opf &= ~MB_NOT_INHERITED;
	copy->bio.bi_end_io = copy_done;
	copy->bio.bi_private = write;
	write->nr_copies++;
	return BLK_STS_OK;
}

static sector_t write_sector(const struct mb_array *array, const struct bio *bio)
{
	return dm_target_offset(array->ti, bio->bi_iter.bi_sector);
}

/* A clone for each leg in sync that the write or flush concerns. */
static blk_status_t add_copies(struct mb_write *write, u32 in_sync)
{
	struct mb_array *array = write->array;
	struct mb_place places[MB_MAX_LEGS];
	blk_status_t status = BLK_STS_OK;
	u32 i;

	if (!bio_has_data(write->parent)) {
		for (i = 0; i < array->layout.shape.legs && !status; i++)
			if (in_sync & BIT(i))
				status = add_copy(write, i, 0);
		return status;
	}
	mb_layout_map(&array->layout, write_sector(array, write->parent), places);
	for (i = 0; i < array->layout.shape.copies && !status; i++) {
		u32 leg = places[i].leg;

		if (likely(in_sync & BIT(leg)))
			status = add_copy(write, leg, mb_device_sector(array, places[i]));
	}
	return status;
}

static void submit_copies(struct mb_write *write)
{
	u32 sectors = bio_sectors(write->parent);
	u32 nr = write->nr_copies;
	u32 i;

	/* From the last submission on the write belongs to its completion. */
	atomic_set(&write->pending, nr);
	for (i = 0; i < nr; i++) {
		struct mb_write_copy *copy = copy_of(write, i);

		if (sectors)
			mb_leg_start_write(write->array, copy->leg, sectors);
		/* By device-mapper's hand: it knows whose cgroup this is. */
		dm_submit_bio_remap(write->parent, &copy->bio);
	}
}

static bool is_marked(struct mb_array *array, struct mb_write *write, u64 from, u64 end)
{
	if (likely(mb_intent_is_marked(array, from, end)))
		return true;
	mb_change_done(array, write->epoch);
	mb_intent_hold(array, write->parent);
	return false;
}

/* False if the write waits for its range; then it belongs to nobody here. */
static bool enter_epoch(struct mb_array *array, struct mb_write *write)
{
	u64 from, end;

	write->epoch = MB_NO_EPOCH;
	if (!bio_has_data(write->parent))
		return true;
	from = write_sector(array, write->parent);
	end = from + bio_sectors(write->parent);
	do {
		write->epoch = mb_change_begin(array, from, end);
		if (likely(write->epoch != MB_NO_EPOCH))
			return is_marked(array, write, from, end);
	} while (!mb_change_hold(array, write->parent, from, end));
	return false;
}

/* All clones are made before the first is sent: a write goes out whole. */
static void start_write(struct mb_array *array, struct mb_write *write, struct bio *parent)
{
	blk_status_t status;

	write->array = array;
	write->parent = parent;
	write->nr_copies = 0;
	write->failed = false;
	if (unlikely(!enter_epoch(array, write))) {
		free_write(write);
		return;
	}
	status = add_copies(write, READ_ONCE(array->in_sync));
	if (unlikely(status || !write->nr_copies)) {
		while (write->nr_copies)
			bio_uninit(&copy_of(write, --write->nr_copies)->bio);
		finish(write, status ? status : BLK_STS_IOERR);
		return;
	}
	submit_copies(write);
}

void mb_write_release(struct mb_array *array, struct bio_list *bios)
{
	if (bio_list_empty(bios))
		return;
	spin_lock(&array->held_lock);
	bio_list_merge(&array->held, bios);
	spin_unlock(&array->held_lock);
	/* An element may have come back before they were listed: look again. */
	queue_work(array->workqueue, &array->held_work);
}

static void hold(struct mb_array *array, struct bio *bio)
{
	struct bio_list one = BIO_EMPTY_LIST;

	bio_list_add(&one, bio);
	mb_write_release(array, &one);
}

void mb_write_held(struct work_struct *work)
{
	struct mb_array *array = container_of(work, struct mb_array, held_work);

	for (;;) {
		struct mb_write *write;
		struct bio *bio;

		if (!any_held(array))
			return;
		/*
		 * Without memory all elements are out, and the next one to
		 * come back queues us again, since it sees the list.
		 */
		write = mempool_alloc(&array->writes, GFP_NOWAIT | __GFP_NOWARN);
		if (!write)
			return;
		spin_lock(&array->held_lock);
		bio = bio_list_pop(&array->held);
		spin_unlock(&array->held_lock);
		start_write(array, write, bio);
	}
}

/* An element for a write, unless others have waited longer for one. */
static struct mb_write *alloc_write(struct mb_array *array, const struct bio *bio)
{
	if (unlikely(any_held(array)) && !(bio->bi_opf & REQ_NOWAIT))
		return NULL;
	return mempool_alloc(&array->writes, GFP_NOWAIT | __GFP_NOWARN);
}

int mb_write_map(struct mb_array *array, struct bio *bio)
{
	struct mb_write *write = alloc_write(array, bio);

	/*
	 * Before the write is cut: it is refused as a whole or not at all. A flush
	 * is held: device-mapper would drop its refusal, and send on the write
	 * that has asked for it.
	 */
	if (unlikely(!write) && (bio->bi_opf & REQ_NOWAIT) && bio_has_data(bio)) {
		bio->bi_status = BLK_STS_AGAIN;
		bio_endio(bio);
		return DM_MAPIO_SUBMITTED;
	}
	if (bio_has_data(bio))
		mb_trim_to_contiguous(array, bio, write_sector(array, bio));
	if (likely(write))
		start_write(array, write, bio);
	else
		hold(array, bio);
	return DM_MAPIO_SUBMITTED;
}
