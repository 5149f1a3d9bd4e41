// SPDX-License-Identifier: GPL-2.0-only
#include <linux/completion.h>

#include "exclusion.h"
#include "intent.h"
#include "leg.h"
#include "metadata.h"
#include "range.h"

/*
 * A range operation at work on all its legs. On the stack of the worker, which
 * waits for the last piece.
 */
struct range_op {
	struct mb_array *array;
	struct bio *parent;
	u64 sector;		/* of the array */
	u32 sectors;
	atomic_t pending;	/* pieces, and one for the submitter */
	struct completion done;
	unsigned long tried;	/* bit masks of legs */
	unsigned long refused;	/* as unsupported */
	unsigned long changed;	/* at least a piece was done */
	unsigned long failed;
};

static bool is_zeroes(const struct range_op *op)
{
	return bio_op(op->parent) == REQ_OP_WRITE_ZEROES;
}

static void drop(struct range_op *op)
{
	if (atomic_dec_and_test(&op->pending))
		complete(&op->done);
}

static void note(struct range_op *op, u32 leg, blk_status_t status)
{
	if (status == BLK_STS_NOTSUPP || status == BLK_STS_TARGET)
		set_bit(leg, &op->refused);
	else if (status)
		set_bit(leg, &op->failed);
	else
		set_bit(leg, &op->changed);
}

static void piece_done(struct bio *bio)
{
	struct mb_piece *piece = container_of(bio, struct mb_piece, bio);
	struct range_op *op = bio->bi_private;

	if (is_zeroes(op))
		mb_leg_done_write(op->array, piece->leg);
	note(op, piece->leg, bio->bi_status);
	bio_put(bio);
	drop(op);
}

static void submit_piece(struct range_op *op, u32 leg, const struct mb_extent *extent)
{
	struct mb_leg *to = &op->array->legs[leg];
	blk_opf_t opf = op->parent->bi_opf & ~MB_NOT_INHERITED;
	struct mb_piece *piece;
	struct bio *bio;

	bio = bio_alloc_bioset(to->bdev, 0, opf, GFP_NOIO, &op->array->bios);
	bio->bi_iter.bi_sector = to->data_offset + extent->sector;
	bio->bi_iter.bi_size = extent->sectors << SECTOR_SHIFT;
	bio->bi_end_io = piece_done;
	bio->bi_private = op;
	piece = container_of(bio, struct mb_piece, bio);
	piece->leg = leg;

	if (is_zeroes(op))
		mb_leg_start_write(op->array, leg, extent->sectors);
	atomic_inc(&op->pending);
	/* By device-mapper's hand: it knows whose cgroup this is. */
	dm_submit_bio_remap(op->parent, bio);
}

static u32 extents_of(const struct range_op *op, u32 leg, struct mb_extent *extents)
{
	return mb_layout_leg_extents(&op->array->layout, op->sector, op->sectors, leg, extents);
}

static void submit_to_legs(struct range_op *op, u32 legs)
{
	struct mb_extent extents[MB_MAX_EXTENTS];
	u32 leg, nr, i;

	for (leg = 0; leg < op->array->layout.shape.legs; leg++) {
		if (!(legs & BIT(leg)))
			continue;
		nr = extents_of(op, leg, extents);
		if (nr)
			op->tried |= BIT(leg);
		for (i = 0; i < nr; i++)
			submit_piece(op, leg, &extents[i]);
	}
}

/* Zeros that fit into one bio, written; returns how many sectors that were. */
static u32 write_some_zeros(struct range_op *op, u32 leg, u64 sector, u64 sectors,
			    blk_status_t *status)
{
	struct mb_leg *to = &op->array->legs[leg];
	blk_opf_t opf = REQ_OP_WRITE | (op->parent->bi_opf & (REQ_SYNC | REQ_FUA));
	u64 bytes = min_t(u64, sectors << SECTOR_SHIFT, BIO_MAX_VECS << PAGE_SHIFT);
	u32 written = bytes >> SECTOR_SHIFT;
	struct bio *bio;

	bio = bio_alloc_bioset(to->bdev, DIV_ROUND_UP(bytes, PAGE_SIZE), opf, GFP_NOIO,
			       &op->array->bios);
	bio->bi_iter.bi_sector = to->data_offset + sector;
	while (bytes) {
		u32 len = min_t(u64, bytes, PAGE_SIZE);

		__bio_add_page(bio, ZERO_PAGE(0), len, 0);
		bytes -= len;
	}
	mb_leg_start_write(op->array, leg, written);
	*status = submit_bio_wait(bio) ? bio->bi_status : BLK_STS_OK;
	mb_leg_done_write(op->array, leg);
	bio_put(bio);
	return written;
}

/*
 * A leg that cannot zero by itself is written with zeros, like the others. Not
 * by blkdev_issue_zeroout(): it takes its bios from the pool that those we
 * complete may be of, and gives up where a drive refuses in its own words.
 */
static blk_status_t write_zeros(struct range_op *op, u32 leg)
{
	struct mb_extent extents[MB_MAX_EXTENTS];
	u32 nr = extents_of(op, leg, extents), i;
	blk_status_t status = BLK_STS_OK;

	for (i = 0; i < nr; i++) {
		u64 done = 0;

		while (done < extents[i].sectors && !status) {
			done += write_some_zeros(op, leg, extents[i].sector + done,
						 extents[i].sectors - done, &status);
			cond_resched();
		}
	}
	return status;
}

/* A refused discard changes nothing; refused zeroes must be written. */
static void settle_refusals(struct range_op *op)
{
	u32 leg;

	if (!is_zeroes(op))
		return;
	for_each_set_bit(leg, &op->refused, MB_MAX_LEGS)
		if (mb_leg_in_sync(op->array, leg) && write_zeros(op, leg))
			set_bit(leg, &op->failed);
}

static blk_status_t settle_failed_leg(struct range_op *op, u32 leg)
{
	bool zeroes = is_zeroes(op);

	atomic64_inc(&op->array->legs[leg].write_errors);
	if (mb_leg_fail(op->array, leg, zeroes ? "write-zeroes failed" : "discard failed"))
		return BLK_STS_OK;
	/* It stays in sync, so it must not be left to differ from the others. */
	return zeroes ? write_zeros(op, leg) : BLK_STS_IOERR;
}

static blk_status_t settle(struct range_op *op)
{
	blk_status_t result = BLK_STS_OK;
	u32 leg;

	/* Refused by all, nothing was changed, and the owner may try otherwise. */
	if (op->tried && op->refused == op->tried && !op->changed)
		return BLK_STS_NOTSUPP;
	settle_refusals(op);
	for_each_set_bit(leg, &op->failed, MB_MAX_LEGS) {
		blk_status_t status = settle_failed_leg(op, leg);

		if (status)
			result = status;
	}
	return result;
}

/* Context: in an epoch. */
static blk_status_t change_legs(struct range_op *op)
{
	u32 legs = READ_ONCE(op->array->in_sync);

	/* What no leg takes is not done. */
	if (!mb_health_complete(&op->array->layout, legs, NULL))
		return BLK_STS_IOERR;
	/* Legs that cannot discard keep what they have; nobody may rely on it. */
	if (!is_zeroes(op))
		legs &= op->array->discards;
	submit_to_legs(op, legs);
	drop(op);
	wait_for_completion_io(&op->done);
	return settle(op);
}

/* Its regions marked and in an epoch; MB_NO_EPOCH if nothing may be changed any more. */
static int begin(struct mb_array *array, u64 from, u64 end)
{
	for (;;) {
		int epoch = mb_change_begin_wait(array, from, end);

		if (mb_intent_is_marked(array, from, end))
			return epoch;
		mb_change_done(array, epoch);
		if (!mb_intent_mark(array, from, end))
			return MB_NO_EPOCH;
	}
}

static void range_work(struct work_struct *work)
{
	struct mb_io *io = container_of(work, struct mb_io, work);
	struct bio *parent = dm_bio_from_per_bio_data(io, sizeof(*io));
	struct mb_array *array = io->array;
	struct range_op op = {
		.array = array,
		.parent = parent,
		.sector = dm_target_offset(array->ti, parent->bi_iter.bi_sector),
		.sectors = bio_sectors(parent),
		.pending = ATOMIC_INIT(1),
		.done = COMPLETION_INITIALIZER_ONSTACK(op.done),
	};
	int epoch = begin(array, op.sector, op.sector + op.sectors);

	if (epoch == MB_NO_EPOCH) {
		bio_io_error(parent);
		return;
	}
	parent->bi_status = change_legs(&op);
	mb_change_done(array, epoch);
	/* For mb_acknowledge(): after the legs were looked up. */
	smp_mb();
	mb_acknowledge(array, parent);
}

int mb_range_map(struct mb_array *array, struct bio *bio)
{
	struct mb_io *io = mb_io(bio);

	io->array = array;
	INIT_WORK(&io->work, range_work);
	queue_work(array->range_workqueue, &io->work);
	return DM_MAPIO_SUBMITTED;
}
