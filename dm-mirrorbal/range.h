/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations on ranges without data: discard and write-zeroes. A range may
 * span many chunks; each leg gets it in as few and as large pieces as the
 * layout allows, from a worker, so that nothing else waits.
 */
#ifndef MB_RANGE_H
#define MB_RANGE_H

#include "array.h"

/**
 * mb_range_map - hand a discard or write-zeroes to a worker
 * @array: the array
 * @bio: the operation
 *
 * Context: process; never sleeps.
 * Return: DM_MAPIO_SUBMITTED.
 */
int mb_range_map(struct mb_array *array, struct bio *bio);

#endif /* MB_RANGE_H */
