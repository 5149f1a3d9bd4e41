/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making the copies of a range the same: from the first copy in sync to all
 * others, by dm-kcopyd, and block by block where that fails.
 */
#ifndef MB_RECOVERY_COPY_H
#define MB_RECOVERY_COPY_H

#include "array.h"

/**
 * mb_recovery_copy - make the copies of a range the same
 * @array: the array
 * @from: its first sector, a whole number of blocks
 * @end: behind its last, likewise
 *
 * A block that no copy has is logged and left. A leg that cannot be written is
 * failed.
 *
 * Context: worker, sleeps; the range is excluded. One at a time.
 * Return: false if some copy could neither be written nor its leg be failed.
 */
bool mb_recovery_copy(struct mb_array *array, u64 from, u64 end);

#endif /* MB_RECOVERY_COPY_H */
