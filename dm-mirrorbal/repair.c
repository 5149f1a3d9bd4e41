// SPDX-License-Identifier: GPL-2.0-only
#include <linux/slab.h>

#include "exclusion.h"
#include "leg.h"
#include "leg_io.h"
#include "recovery.h"
#include "repair.h"

/* Of an array; a medium that goes bad all over must not fill the memory. */
#define MAX_WAITING 64

/* A read's range to repair. Owned by its work. */
struct repair {
	struct mb_array *array;
	struct work_struct work;
	u32 legs;			/* bit mask: that could not read all of it */
	struct mb_exclusion range;
};

int mb_repair_create(struct mb_array *array)
{
	struct mb_repair *repair = &array->repair;
	u32 order = get_order(array->block_bytes);

	repair->good = alloc_pages(GFP_KERNEL, order);
	repair->found = alloc_pages(GFP_KERNEL, order);
	return repair->good && repair->found ? 0 : -ENOMEM;
}

void mb_repair_destroy(struct mb_array *array)
{
	struct mb_repair *repair = &array->repair;
	u32 order = get_order(array->block_bytes);

	if (repair->good)
		__free_pages(repair->good, order);
	if (repair->found)
		__free_pages(repair->found, order);
}

/* The block from a leg in sync other than @leg; false if none has it. */
static bool read_good_copy(struct mb_array *array, const struct mb_place *places, u32 leg)
{
	u32 i;

	for (i = 0; i < array->layout.shape.copies; i++)
		if (places[i].leg != leg && mb_leg_in_sync(array, places[i].leg) &&
		    !mb_block_io(array, &places[i], REQ_OP_READ, array->repair.good))
			return true;
	return false;
}

static bool reads_back(struct mb_array *array, const struct mb_place *place)
{
	const struct mb_repair *repair = &array->repair;

	return !mb_block_io(array, place, REQ_OP_READ, repair->found) &&
	       !memcmp(page_address(repair->good), page_address(repair->found),
		       array->block_bytes);
}

static void rewrite(struct mb_array *array, const struct mb_place *place)
{
	struct mb_leg *leg = &array->legs[place->leg];

	/* Through its cache, or that is what would be read back. */
	if (mb_block_io(array, place, REQ_OP_WRITE | REQ_FUA, array->repair.good)) {
		atomic64_inc(&leg->write_errors);
		mb_leg_fail(array, place->leg, "it cannot read a sector, nor write it again");
		return;
	}
	if (!reads_back(array, place)) {
		DMERR_LIMIT("%s: leg %u (%pg): what was written again at sector %llu, which could not be read, cannot be read back",
			    mb_array_name(array), place->leg, leg->bdev, mb_device_sector(array, *place));
		return;
	}
	atomic64_add(array->block_bytes >> SECTOR_SHIFT, &leg->repaired_sectors);
	DMWARN_LIMIT("%s: leg %u (%pg): %u sectors at %llu, which could not be read, were written again from another copy",
		     mb_array_name(array), place->leg, leg->bdev,
		     array->block_bytes >> SECTOR_SHIFT, mb_device_sector(array, *place));
}

/* Context: the block is excluded, so its copies do not change. */
static void repair_copy(struct mb_array *array, const struct mb_place *places,
			const struct mb_place *place)
{
	if (!mb_leg_in_sync(array, place->leg))
		return;
	/* Most blocks of the read are good; and who wrote it meanwhile has repaired it. */
	if (!mb_repair_is_for(mb_block_io(array, place, REQ_OP_READ, array->repair.found)))
		return;
	if (read_good_copy(array, places, place->leg))
		rewrite(array, place);
	else
		DMERR_LIMIT("%s: leg %u (%pg): sector %llu cannot be read, and no other copy of it can",
			    mb_array_name(array), place->leg, array->legs[place->leg].bdev,
			    mb_device_sector(array, *place));
}

static void repair_block(struct mb_array *array, u32 legs, u64 sector)
{
	struct mb_place places[MB_MAX_LEGS];
	u32 i;

	/* A resync has been asked for meanwhile, and any copy will not do. */
	if (!mb_is_synced(array, sector, array->block_bytes >> SECTOR_SHIFT))
		return;
	mb_layout_map(&array->layout, sector, places);
	for (i = 0; i < array->layout.shape.copies; i++)
		if (legs & BIT(places[i].leg))
			repair_copy(array, places, &places[i]);
}

static void repair_range(struct work_struct *work)
{
	struct repair *repair = container_of(work, struct repair, work);
	struct mb_array *array = repair->array;
	u64 sector;

	if (!READ_ONCE(array->repair.stopped)) {
		mb_exclude(array, &repair->range);
		for (sector = repair->range.from;
		     sector < repair->range.end && !READ_ONCE(array->repair.stopped);
		     sector += array->block_bytes >> SECTOR_SHIFT)
			repair_block(array, repair->legs, sector);
		mb_exclude_end(array, &repair->range);
	}
	kfree(repair);
	atomic_dec(&array->repair.waiting);
}

static struct repair *alloc_repair(struct mb_array *array)
{
	struct repair *repair = NULL;

	if (atomic_inc_return(&array->repair.waiting) <= MAX_WAITING)
		repair = kmalloc(sizeof(*repair), GFP_NOIO | __GFP_NOWARN);
	if (!repair)
		atomic_dec(&array->repair.waiting);
	return repair;
}

void mb_repair(struct mb_array *array, u32 legs, u64 sector, u32 sectors)
{
	u32 block = array->block_bytes >> SECTOR_SHIFT;
	struct repair *repair;

	if (!array->writable)
		return;
	repair = alloc_repair(array);
	if (!repair)
		return;
	repair->array = array;
	repair->legs = legs;
	/* Chunks are whole blocks, so this does not leave the chunk. */
	repair->range.from = round_down(sector, block);
	repair->range.end = round_up(sector + sectors, block);
	INIT_WORK(&repair->work, repair_range);
	queue_work(array->repair_workqueue, &repair->work);
}

void mb_repair_stop(struct mb_array *array)
{
	WRITE_ONCE(array->repair.stopped, true);
}

void mb_repair_go_on(struct mb_array *array)
{
	WRITE_ONCE(array->repair.stopped, false);
}
