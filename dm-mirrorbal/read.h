/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads: placed by the policy, remapped, counted when done. A read that failed
 * goes to a worker (read_retry.c); nothing else waits for it.
 */
#ifndef MB_READ_H
#define MB_READ_H

#include "array.h"

/**
 * mb_read_map - send a read to a leg
 * @array: the array
 * @bio: a read, contiguous on every copy's leg
 *
 * Context: process; never sleeps.
 * Return: DM_MAPIO_*.
 */
int mb_read_map(struct mb_array *array, struct bio *bio);

/**
 * mb_read_end - a read has come back
 * @array: the array
 * @bio: the read
 * @status: its outcome
 *
 * Context: any.
 * Return: DM_ENDIO_*.
 */
int mb_read_end(struct mb_array *array, struct bio *bio, blk_status_t status);

/**
 * mb_read_retry - work function: ask the other copies for a read that failed
 * @work: in a struct mb_io
 *
 * First the whole read from each other copy; then, if each has a fault
 * somewhere, block by block: the read fails only where every copy has failed.
 *
 * Context: worker; may sleep, waits for legs.
 */
void mb_read_retry(struct work_struct *work);

#endif /* MB_READ_H */
