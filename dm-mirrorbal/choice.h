/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which leg serves a read: layout -> candidates -> policy -> leg.
 */
#ifndef MB_CHOICE_H
#define MB_CHOICE_H

#include "array.h"

/**
 * mb_choose - place a read and count it as started
 * @array: the array
 * @sector: of the array
 * @sectors: contiguous on every copy's leg
 * @avoid: bit mask of legs that must not be taken
 * @place: receives the leg and the sector on it, from the data offset
 * @sampled: receives whether the read's latency is to be taken
 *
 * Write-mostly legs are taken only if no other copy can be read.
 *
 * Context: process.
 * Return: false if there is no leg left.
 */
bool mb_choose(struct mb_array *array, u64 sector, u32 sectors, u32 avoid,
	       struct mb_place *place, bool *sampled);

#endif /* MB_CHOICE_H */
