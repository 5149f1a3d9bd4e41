// SPDX-License-Identifier: GPL-2.0-only
#include "equalize.h"
#include "leg.h"
#include "leg_io.h"
#include "repair.h"

/*
 * In the order of the copies, so that everybody who asks gets the same one.
 * @from receives the copy that was read, @unreadable the legs whose medium failed.
 */
static blk_status_t read_first_copy(const struct mb_block *block, const struct mb_place *places,
				    u32 *from, u32 *unreadable)
{
	struct mb_array *array = block->array;
	blk_status_t status = BLK_STS_IOERR;
	u32 i;

	*unreadable = 0;
	for (i = 0; i < array->layout.shape.copies; i++) {
		u32 leg = places[i].leg;

		if (!mb_leg_in_sync(array, leg))
			continue;
		*from = i;
		status = mb_block_io(array, &places[i], REQ_OP_READ, block->page);
		if (!status)
			break;
		mb_leg_count_read_error(array, leg, status);
		if (mb_repair_is_for(status))
			*unreadable |= BIT(leg);
	}
	return status;
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

blk_status_t mb_block_equalize(const struct mb_block *block, bool *equal)
{
	struct mb_array *array = block->array;
	struct mb_place places[MB_MAX_LEGS];
	u32 from, unreadable, i;
	blk_status_t status;

	*equal = true;
	mb_layout_map(&array->layout, block->sector, places);
	status = read_first_copy(block, places, &from, &unreadable);
	if (status)
		return status;
	for (i = 0; i < array->layout.shape.copies; i++) {
		u32 leg = places[i].leg;

		if (i != from && mb_leg_in_sync(array, leg) &&
		    !write_copy(block, &places[i], unreadable & BIT(leg)))
			*equal = false;
	}
	return BLK_STS_OK;
}
