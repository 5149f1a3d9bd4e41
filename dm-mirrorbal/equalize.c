// SPDX-License-Identifier: GPL-2.0-only
#include "equalize.h"
#include "leg.h"
#include "leg_io.h"
#include "repair.h"

/* What has become of reading a block. */
struct outcome {
	blk_status_t status;
	u32 from;		/* copy that was read */
	u32 asked;		/* bit masks of legs */
	u32 unreadable;		/* likewise: whose medium has failed */
};

/* In the order of the copies, so that everybody who asks gets the same one. */
static struct outcome read_first_copy(const struct mb_block *block, const struct mb_place *places)
{
	struct mb_array *array = block->array;
	struct outcome outcome = { .status = BLK_STS_IOERR };
	u32 in_sync = READ_ONCE(block->range->in_sync), i;

	for (i = 0; i < array->layout.shape.copies; i++) {
		u32 leg = places[i].leg;

		if (!(in_sync & BIT(leg)))
			continue;
		outcome.from = i;
		outcome.asked |= BIT(leg);
		outcome.status = mb_block_io(array, &places[i], REQ_OP_READ, block->page);
		if (!outcome.status)
			break;
		mb_leg_count_read_error(array, leg, outcome.status);
		if (mb_repair_is_for(outcome.status))
			outcome.unreadable |= BIT(leg);
	}
	return outcome;
}

/* True unless the copy is left to differ. */
static bool write_copy(const struct mb_block *block, const struct mb_place *place, bool unreadable)
{
	struct mb_array *array = block->array;
	struct mb_leg *leg = &array->legs[place->leg];

	/* Through its cache: the read that waits for this must be true after a power loss, too. */
	if (mb_block_io(array, place, REQ_OP_WRITE | REQ_FUA, block->page)) {
		atomic64_inc(&leg->write_errors);
		return mb_leg_fail(array, place->leg, "a block could not be made like the first copy");
	}
	if (unreadable)
		atomic64_add(array->block_bytes >> SECTOR_SHIFT, &leg->repaired_sectors);
	return true;
}

blk_status_t mb_block_equalize(const struct mb_block *block, bool *settled)
{
	struct mb_array *array = block->array;
	struct mb_place places[MB_MAX_LEGS];
	struct outcome outcome;
	u32 i;

	mb_layout_map(&array->layout, block->sector, places);
	outcome = read_first_copy(block, places);
	if (outcome.status) {
		*settled = !(outcome.asked & ~outcome.unreadable & READ_ONCE(array->in_sync));
		return outcome.status;
	}
	*settled = true;
	for (i = 0; i < array->layout.shape.copies; i++) {
		u32 leg = places[i].leg;

		if (i != outcome.from && mb_leg_in_sync(array, leg) &&
		    !write_copy(block, &places[i], outcome.unreadable & BIT(leg)))
			*settled = false;
	}
	return BLK_STS_OK;
}
