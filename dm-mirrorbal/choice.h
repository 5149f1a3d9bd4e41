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
 * @choice: receives where it is to be read
 *
 * Write-mostly legs are taken only if no other copy can be read.
 *
 * Context: process.
 * Return: false if there is no leg left.
 */
bool mb_choose(struct mb_array *array, u64 sector, u32 sectors, u32 avoid,
	       struct mb_choice *choice);

#endif /* MB_CHOICE_H */
