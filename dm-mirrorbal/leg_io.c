// SPDX-License-Identifier: GPL-2.0-only
#include "exclusion.h"
#include "leg.h"
#include "leg_io.h"
#include "write.h"

blk_status_t mb_leg_page_io(struct mb_array *array, u32 leg, u64 sector, blk_opf_t opf,
			    struct page *page, u32 bytes)
{
	struct bio_vec vec;
	struct bio bio;
	blk_status_t status;

	bio_init(&bio, array->legs[leg].bdev, &vec, 1, opf);
	bio.bi_iter.bi_sector = sector;
	__bio_add_page(&bio, page, bytes, 0);
	submit_bio_wait(&bio);
	status = bio.bi_status;
	bio_uninit(&bio);
	return status;
}

blk_status_t mb_block_io(struct mb_array *array, const struct mb_place *place, blk_opf_t opf,
			 struct page *page)
{
	return mb_leg_page_io(array, place->leg, mb_device_sector(array, *place), opf, page,
			      array->block_bytes);
}

static bool flush_leg(struct mb_array *array, u32 leg)
{
	if (!blkdev_issue_flush(array->legs[leg].bdev))
		return true;
	if (!mb_leg_fail(array, leg, "flush failed"))
		return false;
	/* What it has lost may not be copied to others. */
	mb_exclusion_distrust(array, leg);
	return true;
}

bool mb_flush_legs(struct mb_array *array)
{
	bool flushed = true;
	u32 leg;

	for (leg = 0; leg < array->layout.shape.legs; leg++)
		if (mb_leg_in_sync(array, leg))
			flushed &= flush_leg(array, leg);
	if (!flushed)
		mb_lose_flush(array);
	return flushed;
}
