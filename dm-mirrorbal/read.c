// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>

#include "choice.h"
#include "leg.h"
#include "read.h"

int mb_read_map(struct mb_array *array, struct bio *bio)
{
	sector_t sector = dm_target_offset(array->ti, bio->bi_iter.bi_sector);
	struct mb_io *io = mb_io(bio);

	io->iter = bio->bi_iter;
	io->iter.bi_sector = sector;
	io->flags = bio->bi_flags;
	if (unlikely(!mb_choose(array, sector, bio_sectors(bio), 0, &io->choice)))
		return DM_MAPIO_KILL;

	if (unlikely(io->choice.sampled))
		io->started_ns = ktime_get_ns();
	bio_set_dev(bio, array->legs[io->choice.leg].bdev);
	bio->bi_iter.bi_sector = io->choice.sector;
	return DM_MAPIO_REMAPPED;
}

/* Errors that say nothing about the leg and are the submitter's to handle. */
static bool not_the_legs_fault(const struct bio *bio, blk_status_t status)
{
	if (bio->bi_opf & REQ_RAHEAD)
		return true;
	return status == BLK_STS_AGAIN && (bio->bi_opf & REQ_NOWAIT);
}

int mb_read_end(struct mb_array *array, struct bio *bio, blk_status_t status)
{
	struct mb_io *io = mb_io(bio);
	u32 leg = io->choice.leg;

	/* Completed by the retry, which has counted for itself. */
	if (unlikely(leg == MB_NO_LEG))
		return DM_ENDIO_DONE;

	mb_leg_done(array, leg);
	if (unlikely(io->choice.sampled))
		mb_leg_sample_latency(array, leg, ktime_get_ns() - io->started_ns);
	if (likely(!status) || not_the_legs_fault(bio, status))
		return DM_ENDIO_DONE;

	atomic64_inc(&array->legs[leg].read_errors);
	io->array = array;
	INIT_WORK(&io->work, mb_read_retry);
	queue_work(array->leg_workqueue, &io->work);
	return DM_ENDIO_INCOMPLETE;
}
