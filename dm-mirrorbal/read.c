// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>

#include "choice.h"
#include "leg.h"
#include "range.h"
#include "read.h"
#include "write.h"

/*
 * The kernel keeps programs from writing to a read-only device, but neither a
 * table on top of it nor a filesystem that was mounted before.
 */
static int refuse_to_change(struct bio *bio)
{
	bool flush = bio_op(bio) == REQ_OP_WRITE && !bio_has_data(bio);

	if (!flush)
		return DM_MAPIO_KILL;
	/* Nothing was written, so there is nothing to flush. */
	bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}

static noinline int map_other(struct mb_array *array, struct bio *bio)
{
	if (unlikely(!array->writable))
		return refuse_to_change(bio);
	if (unlikely(READ_ONCE(array->changes_refused)))
		return DM_MAPIO_KILL;
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

/*
 * A read is on its way to the leg that was chosen. @in_flight: on the leg, itself
 * among them; 0: its latency is not to be taken.
 */
static __always_inline int send_read(struct mb_array *array, struct bio *bio, struct mb_io *io,
				     struct mb_place place, u32 in_flight)
{
	struct mb_leg *leg = &array->legs[place.leg];

	io->leg = place.leg;
	io->special = MB_READ_PLAIN;
	if (unlikely(in_flight)) {
		io->special = MB_READ_SAMPLED;
		io->in_flight = in_flight;
		io->started_ns = ktime_get_ns();
	}
	bio->bi_iter.bi_sector = leg->data_offset + place.sector;
	/*
	 * Not bio_set_dev(): it would look up the cgroup, which device-mapper
	 * does again when it submits the clone (dm_submit_bio_remap()), from the
	 * original bio. That one has a cgroup, or it would not have come through
	 * the block layer (blk_cgroup_bio_start()). The clone is fresh, so there
	 * are no flags of another device to clear.
	 */
	bio->bi_bdev = leg->bdev;
	return DM_MAPIO_REMAPPED;
}

static noinline int map_read_not_plain(struct mb_array *array, struct bio *bio, struct mb_io *io,
				       sector_t sector, u32 sectors)
{
	struct mb_read_start start = {};
	struct mb_place place;

	if (!mb_choose_part(array, sector, &sectors, &place, &start))
		return DM_MAPIO_KILL;
	mb_trim(bio, sectors);
	io->iter = bio->bi_iter;
	io->distance = start.distance;
	return send_read(array, bio, io, place, start.in_flight);
}

static __always_inline int map_read(struct mb_array *array, struct bio *bio)
{
	struct mb_place place;
	struct mb_io *io;
	sector_t sector;
	u32 sectors, in_flight;

	sector = dm_target_offset(array->ti, bio->bi_iter.bi_sector);
	sectors = mb_trim_to_contiguous(array, bio, sector);
	io = mb_io(bio);
	io->iter = bio->bi_iter;
	if (unlikely(!READ_ONCE(array->plain_choice)))
		return map_read_not_plain(array, bio, io, sector, sectors);

	preempt_disable();
	place = mb_choose_plain(array, sector, sectors, &in_flight);
	preempt_enable();
	return send_read(array, bio, io, place, in_flight);
}

/* The rest of a polled read that device-mapper has cut: see MB_NOT_INHERITED. */
static noinline int map_rest_of_polled_read(struct mb_array *array, struct bio *bio)
{
	bio->bi_opf &= ~(REQ_POLLED | REQ_DRV);
	return map_read(array, bio);
}

int mb_map(struct dm_target *ti, struct bio *bio)
{
	struct mb_array *array = ti->private;

	if (likely((bio->bi_opf & (REQ_OP_MASK | REQ_DRV)) == REQ_OP_READ))
		return map_read(array, bio);
	if (bio_op(bio) == REQ_OP_READ)
		return map_rest_of_polled_read(array, bio);
	return map_other(array, bio);
}

/* Errors that say nothing about the leg and are the submitter's to handle. */
static bool not_the_legs_fault(const struct bio *bio, blk_status_t status)
{
	if (bio->bi_opf & REQ_RAHEAD)
		return true;
	return status == BLK_STS_AGAIN && (bio->bi_opf & REQ_NOWAIT);
}

static noinline int read_failed(struct mb_array *array, struct mb_io *io, blk_status_t status)
{
	struct bio *bio = dm_bio_from_per_bio_data(io, sizeof(*io));

	if (not_the_legs_fault(bio, status))
		return DM_ENDIO_DONE;

	mb_leg_count_read_error(array, io->leg, status);
	mb_leg_spend_read_error(array, io->leg, status);
	/* It would answer at once, by errors, and be preferred for being idle. */
	if (test_bit(GD_DEAD, &array->legs[io->leg].bdev->bd_disk->state))
		mb_leg_fail(array, io->leg, "its device is gone");
	io->array = array;
	INIT_WORK(&io->work, mb_read_retry);
	queue_work(array->retry_workqueue, &io->work);
	return DM_ENDIO_INCOMPLETE;
}

/* True if there is nothing left to do. */
static noinline bool end_special(struct mb_array *array, const struct mb_io *io,
				 blk_status_t status)
{
	u64 ns;

	if (io->special == MB_READ_RETRIED)
		return true;
	if (array->rotational)
		atomic_dec(&array->legs[io->leg].in_flight);
	/* How fast a leg fails is no reason to prefer it. */
	if (status)
		return false;
	ns = ktime_get_ns() - io->started_ns;
	mb_leg_sample_latency(array, io->leg, ns, io->in_flight);
	if (array->rotational)
		mb_choice_completed(array, io, ns);
	return false;
}

int mb_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *status)
{
	struct mb_array *array = ti->private;
	struct mb_io *io;

	if (unlikely(bio_op(bio) != REQ_OP_READ))
		return DM_ENDIO_DONE;

	io = mb_io(bio);
	if (unlikely(io->special != MB_READ_PLAIN) && end_special(array, io, *status))
		return DM_ENDIO_DONE;

	this_cpu_dec(array->cpus->views[io->leg].in_flight_here);
	if (likely(!*status))
		return DM_ENDIO_DONE;
	return read_failed(array, io, *status);
}
