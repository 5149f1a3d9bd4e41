// SPDX-License-Identifier: GPL-2.0-only
#include "choice.h"
#include "equalize.h"
#include "exclusion.h"
#include "leg.h"
#include "metadata.h"
#include "read.h"
#include "recovery.h"
#include "repair.h"

/* A part of a read that failed, and who has been asked for it. */
struct attempt {
	struct mb_array *array;
	struct bio *bio;	/* of device-mapper; lends its pages */
	struct bvec_iter iter;	/* of the part, sectors of the array */
	u32 asked;		/* bit mask of legs */
	u32 unreadable;		/* likewise: whose medium has failed */
};

static void note_failure(struct attempt *attempt, u32 leg, blk_status_t status)
{
	attempt->asked |= BIT(leg);
	if (mb_repair_is_for(status))
		attempt->unreadable |= BIT(leg);
}

/* Read the part from one leg and wait. */
static blk_status_t read_from(const struct attempt *attempt, const struct mb_place *place)
{
	struct mb_array *array = attempt->array;
	struct block_device *bdev = array->legs[place->leg].bdev;
	blk_status_t status;
	struct bio *clone;

	clone = bio_alloc_clone(bdev, attempt->bio, GFP_NOIO, &array->bios);
	if (!clone)
		return BLK_STS_RESOURCE;
	clone->bi_opf &= ~MB_NOT_INHERITED;
	clone->bi_iter = attempt->iter;
	clone->bi_iter.bi_sector = mb_device_sector(array, *place);
	submit_bio_wait(clone);
	status = clone->bi_status;
	bio_put(clone);
	return status;
}

/*
 * Ask the legs that were not asked yet, until one has the part. With none left
 * it is the last error, of whichever leg, that counts.
 */
static blk_status_t ask_others(struct attempt *attempt)
{
	u32 sectors = attempt->iter.bi_size >> SECTOR_SHIFT;
	struct mb_array *array = attempt->array;
	blk_status_t status = attempt->bio->bi_status;
	struct mb_read_start start;
	struct mb_place place;

	while (mb_choose(array, attempt->iter.bi_sector, sectors, attempt->asked, &place,
			 &start)) {
		status = read_from(attempt, &place);
		mb_leg_done(array, place.leg);
		if (!status) {
			atomic64_inc(&array->legs[place.leg].redirected_reads);
			return BLK_STS_OK;
		}
		mb_leg_count_read_error(array, place.leg, status);
		note_failure(attempt, place.leg, status);
	}
	return status;
}

/*
 * Ask for one block, and those legs last that failed the one before: a leg that
 * fails slowly must not be waited for at each block anew. @suspects becomes
 * what is to be asked last for the next block.
 */
static blk_status_t read_block(struct attempt *block, u32 *suspects)
{
	u32 all = block->array->all_legs;
	blk_status_t status;

	block->asked = *suspects;
	status = ask_others(block);
	if (!status) {
		/* Who was not asked this time stays suspect. */
		*suspects = block->asked;
		return status;
	}
	block->asked = all & ~*suspects;
	status = ask_others(block);
	*suspects = block->asked == all ? 0 : block->asked;
	return status;
}

static bool may_differ(const struct attempt *whole)
{
	return !mb_is_synced(whole->array, whole->iter.bi_sector, bvec_iter_sectors(whole->iter));
}

/* Each copy has a fault somewhere: put the read together from their blocks. */
static blk_status_t read_by_blocks(const struct attempt *whole)
{
	struct bvec_iter rest = whole->iter;
	u32 suspects = 0;

	while (rest.bi_size) {
		struct attempt block = {
			.array = whole->array,
			.bio = whole->bio,
			.iter = rest,
		};
		blk_status_t status;

		block.iter.bi_size = min(whole->array->largest_block, rest.bi_size);
		status = read_block(&block, &suspects);
		if (status)
			return status;
		if (may_differ(whole))
			suspects = 0;
		bio_advance_iter(whole->bio, &rest, block.iter.bi_size);
		cond_resched();
	}
	return BLK_STS_OK;
}

/* The data of a block, as far as it belongs to the read. */
static void copy_from_block(const struct attempt *whole, const struct mb_block *block)
{
	u64 block_end = block->sector + (whole->array->block_bytes >> SECTOR_SHIFT);
	u64 sector = max_t(u64, block->sector, whole->iter.bi_sector);
	u64 end = min_t(u64, block_end, bvec_iter_end_sector(whole->iter));
	const char *from = page_address(block->page) + ((sector - block->sector) << SECTOR_SHIFT);
	struct bvec_iter iter = whole->iter;

	bio_advance_iter(whole->bio, &iter, (sector - iter.bi_sector) << SECTOR_SHIFT);
	iter.bi_size = (end - sector) << SECTOR_SHIFT;
	while (iter.bi_size) {
		struct bio_vec part = bio_iter_iovec(whole->bio, iter);

		memcpy_to_page(part.bv_page, part.bv_offset, from, part.bv_len);
		from += part.bv_len;
		bio_advance_iter(whole->bio, &iter, part.bv_len);
	}
}

/*
 * The first copy cannot be read, and the others may differ from each other: they
 * are made the same before the read tells of one of them. (One that could be neither
 * read nor written nor failed is not read by others either, as long as that lasts.)
 */
static blk_status_t read_by_equalizing(const struct attempt *whole)
{
	struct mb_array *array = whole->array;
	u32 step = array->block_bytes >> SECTOR_SHIFT;
	struct mb_exclusion range = {
		/* Chunks are whole blocks, so this does not leave the chunk. */
		.from = round_down(whole->iter.bi_sector, step),
		.end = round_up(bvec_iter_end_sector(whole->iter), step),
	};
	struct mb_block block = { .array = array, .range = &range };
	blk_status_t status = BLK_STS_OK;
	bool settled;

	mb_exclude(array, &range);
	block.page = mempool_alloc(&array->block_pages, GFP_NOIO);
	for (block.sector = range.from; block.sector < range.end && !status; block.sector += step) {
		status = mb_block_equalize(&block, &settled);
		if (!status)
			copy_from_block(whole, &block);
	}
	mempool_free(block.page, &array->block_pages);
	mb_exclude_end(array, &range);
	return status;
}

/*
 * Ask for the whole from each copy that may be asked, then by blocks. Where copies
 * may differ, by blocks only: which copy is served must not depend on how
 * much is read.
 */
static blk_status_t read_from_others(struct attempt *whole)
{
	if (!may_differ(whole) && !ask_others(whole))
		return BLK_STS_OK;
	return read_by_blocks(whole);
}

void mb_read_retry(struct work_struct *work)
{
	struct mb_io *io = container_of(work, struct mb_io, work);
	struct bio *bio = dm_bio_from_per_bio_data(io, sizeof(*io));
	struct attempt whole = {
		.array = io->array,
		.bio = bio,
		.iter = io->iter,
	};
	blk_status_t status = bio->bi_status;
	bool equalize;

	note_failure(&whole, io->leg, status);
	whole.iter.bi_sector = dm_target_offset(io->array->ti, io->iter.bi_sector);
	DMERR_LIMIT("%s: read of %u sectors at %llu failed on leg %u (%pg); asking other copies",
		    mb_array_name(io->array), io->iter.bi_size >> SECTOR_SHIFT,
		    (unsigned long long)whole.iter.bi_sector, io->leg,
		    io->array->legs[io->leg].bdev);

	/*
	 * As it was before the failed leg's queue consumed it and marked it for
	 * its own accounting, which must not see it complete twice.
	 */
	bio->bi_iter = io->iter;
	bio->bi_flags &= BIT(BIO_CLONED);
	equalize = io->array->writable && may_differ(&whole);
	if (!equalize) {
		status = read_from_others(&whole);
		/* A resync may have been asked for meanwhile, so that there was nobody to ask. */
		equalize = status && io->array->writable && may_differ(&whole);
	}
	if (equalize)
		status = read_by_equalizing(&whole);
	bio->bi_status = status;
	/* Every leg that has failed a block has failed the whole before. */
	if (whole.unreadable)
		mb_repair(io->array, whole.unreadable, whole.iter.bi_sector,
			  whole.iter.bi_size >> SECTOR_SHIFT);

	io->special = MB_READ_RETRIED;
	if (!equalize) {
		bio_endio(bio);
		return;
	}
	/*
	 * Who reads again after a crash must see the same: a leg that failed on the
	 * way must be known to. For mb_acknowledge(): after the legs were looked up.
	 */
	smp_mb();
	mb_acknowledge(io->array, bio);
}
