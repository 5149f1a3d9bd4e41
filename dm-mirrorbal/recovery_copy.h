/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making the copies of a range the same: from the first copy in sync to all
 * others, by dm-kcopyd, and block by block where that fails.
 */
#ifndef MB_RECOVERY_COPY_H
#define MB_RECOVERY_COPY_H

#include "array.h"

/**
 * mb_recovery_copy - make the copies of a range the same, as far as others let it
 * @array: the array
 * @range: an exclusion of whole blocks; never empty
 * @trouble: receives why it cannot go on where it has ended, or is left alone
 *
 * Ends early, but never before something was done, when somebody waits for the
 * range or recovery is to stop. A block that no medium has is logged and
 * left. A leg that cannot be written is failed.
 *
 * Context: worker, sleeps. One at a time.
 * Return: the sector up to which all copies are the same now.
 */
u64 mb_recovery_copy(struct mb_array *array, const struct mb_exclusion *range,
		     const char **trouble);

#endif /* MB_RECOVERY_COPY_H */
