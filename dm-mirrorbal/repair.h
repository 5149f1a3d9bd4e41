/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Repair: what a leg's medium could not give is written to it again, from
 * another copy, in the background. Drives put another sector in its place when it is
 * written.
 */
#ifndef MB_REPAIR_H
#define MB_REPAIR_H

#include "array.h"

/*
 * Does writing help against this error? Not where the way to the drive has
 * failed, which a leg does not survive if it is written through.
 */
static inline bool mb_repair_is_for(blk_status_t status)
{
	return status == BLK_STS_MEDIUM;
}

/**
 * mb_repair_create - what repairs need beforehand
 * @array: an array under construction, its legs open
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno.
 */
int mb_repair_create(struct mb_array *array);

/**
 * mb_repair_destroy - undo mb_repair_create()
 * @array: an array whose repair_workqueue is gone
 */
void mb_repair_destroy(struct mb_array *array);

/**
 * mb_repair - have what could not be read written again
 * @array: the array
 * @legs: bit mask of legs that could not read all of it
 * @sector: of the array
 * @sectors: contiguous on every copy's leg
 *
 * Without memory, or with many repairs waiting, it is left to the next read.
 * Nothing is written through a read-only table.
 *
 * Context: process.
 */
void mb_repair(struct mb_array *array, u32 legs, u64 sector, u32 sectors);

/* No repair goes beyond its block any more. Context: process. */
void mb_repair_stop(struct mb_array *array);

/* Repairs may be made again. Context: process. */
void mb_repair_go_on(struct mb_array *array);

#endif /* MB_REPAIR_H */
