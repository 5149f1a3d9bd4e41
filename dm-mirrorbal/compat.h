/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only file that knows that kernels differ. MB_HAVE_* come from the
 * compile probes in probes/.
 */
#ifndef MB_COMPAT_H
#define MB_COMPAT_H

#include <linux/blkdev.h>
#include <linux/device-mapper.h>

static inline bool mb_bdev_rotational(struct block_device *bdev)
{
#ifdef MB_HAVE_BDEV_ROT
	return bdev_rot(bdev);
#else
	return !bdev_nonrot(bdev);
#endif
}

/* Is the table to be written through? */
static inline bool mb_table_writable(struct dm_target *ti)
{
#ifdef BLK_OPEN_WRITE
	return dm_table_get_mode(ti->table) & BLK_OPEN_WRITE;
#else
	return dm_table_get_mode(ti->table) & FMODE_WRITE;
#endif
}

/*
 * Pages under writeback must not change while the copies are written, or they
 * would differ. Newer kernels take the wish with the limits; older ones clear
 * the queue's flag whenever a table is bound, after which it is set again.
 */
static inline void mb_limits_want_stable_writes(struct queue_limits *limits)
{
#ifdef MB_HAVE_LIMITS_FEATURES
	limits->features |= BLK_FEAT_STABLE_WRITES;
#endif
}

static inline void mb_table_bound_want_stable_writes(struct dm_target *ti)
{
#ifndef MB_HAVE_LIMITS_FEATURES
	blk_queue_flag_set(QUEUE_FLAG_STABLE_WRITES,
			   dm_disk(dm_table_get_md(ti->table))->queue);
#endif
}

/*
 * The bio was refused before it reached the device, since the device cannot
 * take it as it is cut. Newer kernels find that out as late as at a leg; older
 * ones do not have the status (it is a macro, so no probe is needed).
 */
static inline bool mb_status_is_invalid(blk_status_t status)
{
#ifdef BLK_STS_INVAL
	return status == BLK_STS_INVAL;
#else
	return false;
#endif
}

#endif /* MB_COMPAT_H */
