// SPDX-License-Identifier: GPL-2.0-only
#include <linux/completion.h>
#include <linux/dm-kcopyd.h>

#include "equalize.h"
#include "leg.h"
#include "recovery_copy.h"

/* What fails is tried again in such parts, before it is gone through by blocks. */
#define PART_SECTORS (SZ_64K >> SECTOR_SHIFT)

/* A range on its way through kcopyd. On the stack of who waits for its last job. */
struct copying {
	struct mb_array *array;
	u32 in_sync;		/* as it was at the beginning */
	atomic_t pending;	/* jobs, and one for the submitter */
	struct completion done;
	bool failed;		/* at least one job */
};

static void drop(struct copying *copying)
{
	if (atomic_dec_and_test(&copying->pending))
		complete(&copying->done);
}

static void job_done(int read_error, unsigned long write_errors, void *context)
{
	struct copying *copying = context;

	if (read_error || write_errors)
		WRITE_ONCE(copying->failed, true);
	drop(copying);
}

static struct dm_io_region region_of(const struct mb_array *array, const struct mb_place *place,
				     u32 sectors)
{
	return (struct dm_io_region){
		.bdev = array->legs[place->leg].bdev,
		.sector = mb_device_sector(array, *place),
		.count = sectors,
	};
}

static void submit_job(struct copying *copying, struct dm_io_region *source,
		       struct dm_io_region *targets, u32 nr)
{
	if (!nr)
		return;
	atomic_inc(&copying->pending);
	dm_kcopyd_copy(copying->array->recovery.copier, source, nr, targets, 0, job_done, copying);
}

/* Sends the run on its way and empties it. A job takes so many targets. */
static void submit_run(struct copying *copying, struct mb_copy_run *run)
{
	struct mb_array *array = copying->array;
	struct dm_io_region source = {}, targets[DM_KCOPYD_MAX_REGIONS];
	u32 copies = array->layout.shape.copies;
	u32 copy, nr = 0;

	if (!run->sectors)
		return;
	copy = mb_health_first_copy(run->places, copies, copying->in_sync);
	if (copy < copies)
		source = region_of(array, &run->places[copy], run->sectors);
	while (++copy < copies) {
		if (!(copying->in_sync & BIT(run->places[copy].leg)))
			continue;
		targets[nr++] = region_of(array, &run->places[copy], run->sectors);
		if (nr == ARRAY_SIZE(targets)) {
			submit_job(copying, &source, targets, nr);
			nr = 0;
		}
	}
	submit_job(copying, &source, targets, nr);
	run->sectors = 0;
}

/* A run for each leg that has copy 0: neighbours there mostly are so on the others. */
static void submit_runs(struct copying *copying, u64 from, u64 end)
{
	struct mb_array *array = copying->array;
	const struct mb_shape *shape = &array->layout.shape;
	struct mb_copy_run *runs = array->recovery.runs;
	struct mb_place places[MB_MAX_LEGS];
	u32 sectors, leg;
	u64 sector;

	for (sector = from; sector < end; sector += sectors) {
		struct mb_copy_run *run;

		sectors = min(mb_layout_contiguous(&array->layout, sector), end - sector);
		mb_layout_map(&array->layout, sector, places);
		run = &runs[places[0].leg];
		if (!mb_copy_run_extend(run, shape->copies, places, sectors)) {
			submit_run(copying, run);
			mb_copy_run_extend(run, shape->copies, places, sectors);
		}
	}
	for (leg = 0; leg < shape->legs; leg++)
		submit_run(copying, &runs[leg]);
}

/* The fast way. False if all copies may not be the same now. */
static bool copy_fast(struct mb_array *array, u64 from, u64 end)
{
	struct copying copying = {
		.array = array,
		.in_sync = READ_ONCE(array->in_sync),
		.pending = ATOMIC_INIT(1),
		.done = COMPLETION_INITIALIZER_ONSTACK(copying.done),
	};

	submit_runs(&copying, from, end);
	drop(&copying);
	wait_for_completion_io(&copying.done);
	/* If a leg has failed, another copy may be the first one now. */
	return !copying.failed && READ_ONCE(array->in_sync) == copying.in_sync;
}

static bool equalize(struct mb_array *array, u64 from, u64 end)
{
	struct mb_block block = {
		.array = array,
		.page = mempool_alloc(&array->block_pages, GFP_NOIO),
	};
	bool equal, all_equal = true;

	for (block.sector = from; block.sector < end;
	     block.sector += array->block_bytes >> SECTOR_SHIFT) {
		if (mb_block_equalize(&block, &equal))
			DMERR_LIMIT("%s: sector %llu cannot be read from any copy; it is left as it is",
				    mb_array_name(array), block.sector);
		all_equal &= equal;
		cond_resched();
	}
	mempool_free(block.page, &array->block_pages);
	return all_equal;
}

bool mb_recovery_copy(struct mb_array *array, u64 from, u64 end)
{
	u64 sector, part_end;
	bool equal = true;

	if (copy_fast(array, from, end))
		return true;
	for (sector = from; sector < end; sector = part_end) {
		part_end = min(sector + PART_SECTORS, end);
		if (!copy_fast(array, sector, part_end))
			equal &= equalize(array, sector, part_end);
	}
	return equal;
}
