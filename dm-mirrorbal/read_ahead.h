/* SPDX-License-Identifier: GPL-2.0-only */
/* How far the kernel reads ahead of a reader of the array. */
#ifndef MB_READ_AHEAD_H
#define MB_READ_AHEAD_H

#include "array.h"

/**
 * mb_read_ahead_give - let the device read ahead as far as its policy wants
 * @array: the array that its device uses
 *
 * Only arrays with heads: all others are busy enough. Raises what the device
 * has, once for each wish, so that whoever sets less afterwards has his way.
 *
 * Context: process, config_mutex held.
 */
void mb_read_ahead_give(struct mb_array *array);

#endif /* MB_READ_AHEAD_H */
