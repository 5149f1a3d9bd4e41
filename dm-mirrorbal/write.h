/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes and flushes: one clone for each leg concerned, all from one mempool
 * element, so that a write has all its clones or none. The parent completes
 * with the last of them.
 */
#ifndef MB_WRITE_H
#define MB_WRITE_H

#include "array.h"

/* Writes of an array that are sure to find memory. */
#define MB_MIN_WRITES 64

/**
 * mb_write_size - bytes of an element of mb_array.writes
 * @legs: number of legs of the array
 */
size_t mb_write_size(u32 legs);

/**
 * mb_write_map - send a write or an empty flush to its legs
 * @array: the array
 * @bio: the write, or an empty flush; what is not contiguous on a leg comes
 *	again as another
 *
 * Context: process; never sleeps: without memory the bio is held and sent on
 * when another write completes, or ended with BLK_STS_AGAIN if it may not wait.
 * Return: DM_MAPIO_*.
 */
int mb_write_map(struct mb_array *array, struct bio *bio);

/**
 * mb_refuse_changes - from now on no write succeeds
 * @array: the array
 * @why: for the log
 *
 * Context: any.
 */
void mb_refuse_changes(struct mb_array *array, const char *why);

/**
 * mb_lose_flush - a flush has failed on a leg that has to stay
 * @array: the array
 *
 * From now on no write succeeds: device-mapper drops the error of the flush that
 * a write with data asks for before it, and sends the data on; a journal would
 * take for safe what is not. And a drive reports what its cache has lost once. To
 * the table that follows nothing is the same any more.
 *
 * Context: any.
 */
void mb_lose_flush(struct mb_array *array);

/**
 * mb_write_release - send on writes that waited for something else
 * @array: the array
 * @bios: the writes; what is left of the list means nothing
 *
 * Context: process.
 */
void mb_write_release(struct mb_array *array, struct bio_list *bios);

/**
 * mb_write_held - work function: send on the writes that were held
 * @work: mb_array.held_work
 *
 * Context: worker.
 */
void mb_write_held(struct work_struct *work);

#endif /* MB_WRITE_H */
