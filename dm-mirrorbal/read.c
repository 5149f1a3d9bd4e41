// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>

#include "choice.h"
#include "leg.h"
#include "range.h"
#include "read.h"
#include "write.h"

static noinline int map_other(struct mb_array *array, struct bio *bio)
{
	switch (bio_op(bio)) {
	case REQ_OP_WRITE:
		return mb_write_map(array, bio);
	case REQ_OP_DISCARD:
	case REQ_OP_WRITE_ZEROES:
		return mb_range_map(array, bio);
	default:
		return DM_MAPIO_KILL;
	}
}

int mb_map(struct dm_target *ti, struct bio *bio)
{
	struct mb_array *array = ti->private;
	struct mb_choice *choice;
	struct mb_io *io;
	sector_t sector;
	u32 sectors;

	if (unlikely(bio_op(bio) != REQ_OP_READ))
		return map_other(array, bio);

	sector = dm_target_offset(ti, bio->bi_iter.bi_sector);
	sectors = mb_trim_to_contiguous(array, bio, sector);
	io = mb_io(bio);
	io->iter = bio->bi_iter;
	choice = &io->choice;
	preempt_disable();
	if (likely(READ_ONCE(array->plain_choice))) {
		mb_choose_plain(array, sector, sectors, choice);
		preempt_enable();
	} else {
		preempt_enable();
		if (!mb_choose(array, sector, sectors, 0, choice))
			return DM_MAPIO_KILL;
	}

	if (unlikely(choice->special))
		io->started_ns = ktime_get_ns();
	bio->bi_iter.bi_sector = choice->sector;
	bio_set_dev(bio, array->legs[choice->leg].bdev);
	return DM_MAPIO_REMAPPED;
}

/* Errors that say nothing about the leg and are the submitter's to handle. */
static bool not_the_legs_fault(const struct bio *bio, blk_status_t status)
{
	if (bio->bi_opf & REQ_RAHEAD)
		return true;
	return status == BLK_STS_AGAIN && (bio->bi_opf & REQ_NOWAIT);
}

static noinline int read_failed(struct mb_array *array, struct bio *bio, struct mb_io *io,
				blk_status_t status)
{
	if (not_the_legs_fault(bio, status))
		return DM_ENDIO_DONE;

	atomic64_inc(&array->legs[io->choice.leg].read_errors);
	io->array = array;
	INIT_WORK(&io->work, mb_read_retry);
	queue_work(array->leg_workqueue, &io->work);
	return DM_ENDIO_INCOMPLETE;
}

/* True if there is nothing left to do. */
static noinline bool end_special(struct mb_array *array, const struct mb_io *io)
{
	if (io->choice.special & MB_CHOICE_RETRIED)
		return true;
	if (array->rotational)
		atomic_dec(&array->legs[io->choice.leg].in_flight);
	mb_leg_sample_latency(array, io->choice.leg, ktime_get_ns() - io->started_ns);
	return false;
}

int mb_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *status)
{
	struct mb_array *array = ti->private;
	struct mb_io *io;

	if (unlikely(bio_op(bio) != REQ_OP_READ))
		return DM_ENDIO_DONE;

	io = mb_io(bio);
	if (unlikely(io->choice.special) && end_special(array, io))
		return DM_ENDIO_DONE;

	this_cpu_dec(array->cpus->views[io->choice.leg].in_flight_here);
	if (likely(!*status))
		return DM_ENDIO_DONE;
	return read_failed(array, bio, io, *status);
}
