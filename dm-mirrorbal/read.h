/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads: placed by the policy, remapped, counted when done. A read that failed
 * goes to a worker (read_retry.c); nothing else waits for it.
 */
#ifndef MB_READ_H
#define MB_READ_H

#include "array.h"

/**
 * mb_map - the target's map: a read goes to a leg, all else is handed on
 * @ti: the target
 * @bio: what is not contiguous on a leg comes again as another
 *
 * Context: process; never sleeps.
 * Return: DM_MAPIO_*.
 */
int mb_map(struct dm_target *ti, struct bio *bio);

/**
 * mb_end_io - the target's end_io: what a completed read means
 * @ti: the target
 * @bio: anything that mb_map() has seen
 * @status: its outcome
 *
 * Context: any.
 * Return: DM_ENDIO_*.
 */
int mb_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *status);

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
