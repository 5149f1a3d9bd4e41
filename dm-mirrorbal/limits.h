/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the array tells the layers above about its geometry.
 */
#ifndef MB_LIMITS_H
#define MB_LIMITS_H

#include "array.h"

/**
 * mb_set_io_hints - io_min, io_opt, discard size, stable pages
 * @ti: the target
 * @limits: the legs' limits, stacked
 *
 * Context: process.
 */
void mb_set_io_hints(struct dm_target *ti, struct queue_limits *limits);

#endif /* MB_LIMITS_H */
