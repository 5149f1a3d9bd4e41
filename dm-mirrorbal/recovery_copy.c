// SPDX-License-Identifier: GPL-2.0-only
#include <linux/completion.h>
#include <linux/dm-kcopyd.h>

#include "equalize.h"
#include "exclusion.h"
#include "leg.h"
#include "recovery.h"
#include "recovery_copy.h"

/*
 * After each piece it is seen whether somebody waits. Large enough that what is
 * lost between pieces does not count on spinning legs.
 */
#define PIECE_SECTORS (SZ_16M >> SECTOR_SHIFT)

/* What fails is tried again in such parts, before it is gone through by blocks. */
#define PART_SECTORS (SZ_64K >> SECTOR_SHIFT)

/* A range on its way through kcopyd. On the stack of who waits for its last job. */
struct copying {
	struct mb_array *array;
	u32 in_sync;		/* of the exclusion, when it began: says which copy is the first */
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

/* Sends a run on its way. A job takes so many targets. */
static void submit_run(void *context, const struct mb_copy_run *run)
{
	struct copying *copying = context;
	struct mb_array *array = copying->array;
	struct dm_io_region source = {}, targets[DM_KCOPYD_MAX_REGIONS];
	u32 copies = array->layout.shape.copies;
	u32 copy, nr = 0;

	copy = mb_health_first_copy(run->places, copies, copying->in_sync);
	if (copy < copies)
		source = region_of(array, &run->places[copy], run->sectors);
	while (++copy < copies) {
		/* Who has failed by now is not waited for. */
		if (!mb_leg_in_sync(array, run->places[copy].leg))
			continue;
		targets[nr++] = region_of(array, &run->places[copy], run->sectors);
		if (nr == ARRAY_SIZE(targets)) {
			submit_job(copying, &source, targets, nr);
			nr = 0;
		}
	}
	submit_job(copying, &source, targets, nr);
}

/* The fast way. False if something has gone wrong. */
static bool copy_fast(struct mb_array *array, const struct mb_exclusion *range, u64 from, u64 end)
{
	struct copying copying = {
		.array = array,
		.in_sync = READ_ONCE(range->in_sync),
		.pending = ATOMIC_INIT(1),
		.done = COMPLETION_INITIALIZER_ONSTACK(copying.done),
	};

	mb_copy_runs(&array->layout, from, end, array->recovery.runs, submit_run, &copying);
	drop(&copying);
	wait_for_completion_io(&copying.done);
	/* Else a leg has lost what may have been copied from it. */
	return !copying.failed && READ_ONCE(range->in_sync) == copying.in_sync;
}

/* Is the rest of the range to be left for later? Drives can take seconds for a bad block. */
static bool is_to_leave(struct mb_array *array)
{
	cond_resched();
	return !mb_recovery_may_go_on(array) || mb_exclusion_is_wanted(array);
}

/* Returns how far it came. */
static u64 equalize(struct mb_array *array, const struct mb_exclusion *range, u64 from, u64 end,
		    const char **trouble)
{
	struct mb_block block = {
		.array = array,
		.range = range,
		.sector = from,
		.page = mempool_alloc(&array->block_pages, GFP_NOIO),
	};

	do {
		blk_status_t status;
		bool settled;

		status = mb_block_equalize(&block, &settled);
		if (!settled) {
			*trouble = status ? "no copy can be read, though not for a bad sector" :
				"a copy cannot be written, and its leg holds the last copy of other data";
			break;
		}
		if (status)
			DMERR_LIMIT("%s: sector %llu cannot be read from any copy; it is left as it is",
				    mb_array_name(array), block.sector);
		block.sector += array->block_bytes >> SECTOR_SHIFT;
	} while (block.sector < end && !is_to_leave(array));
	mempool_free(block.page, &array->block_pages);
	return block.sector;
}

/* A piece of which a part was not copied. Returns how far it came. */
static u64 copy_by_parts(struct mb_array *array, const struct mb_exclusion *range, u64 from,
			 u64 end, const char **trouble)
{
	u64 sector = from, part_end;

	do {
		part_end = min(sector + PART_SECTORS, end);
		if (copy_fast(array, range, sector, part_end))
			sector = part_end;
		else
			sector = equalize(array, range, sector, part_end, trouble);
	} while (sector == part_end && sector < end && !is_to_leave(array));
	return sector;
}

u64 mb_recovery_copy(struct mb_array *array, const struct mb_exclusion *range,
		     const char **trouble)
{
	u64 sector = range->from, piece_end;

	*trouble = NULL;
	do {
		piece_end = min(sector + PIECE_SECTORS, range->end);
		if (copy_fast(array, range, sector, piece_end))
			sector = piece_end;
		else
			sector = copy_by_parts(array, range, sector, piece_end, trouble);
	} while (sector == piece_end && sector < range->end && !is_to_leave(array));
	return sector;
}
