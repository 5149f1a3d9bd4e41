/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which legs may be lost. A set is the legs that hold one chunk; an array
 * works while each set has a leg in sync, and the last such leg of a set is
 * never failed: its errors go up instead.
 */
#ifndef MB_HEALTH_H
#define MB_HEALTH_H

#include "layout.h"

/* Health letters, as dm-raid prints them. */
#define MB_LEG_IN_SYNC		'A'
#define MB_LEG_NOT_IN_SYNC	'a'
#define MB_LEG_FAILED		'D'
#define MB_LEG_MISSING		'-'

/**
 * mb_health_complete - is there a copy of everything?
 * @layout: the layout
 * @in_sync: bit mask of legs in sync
 * @lost_set: receives the legs of a set without a copy; may be NULL
 *
 * Context: any.
 * Return: true if each set has a leg in sync.
 */
bool mb_health_complete(const struct mb_layout *layout, u32 in_sync, u32 *lost_set);

/**
 * mb_health_may_fail - may this leg be failed?
 * @layout: the layout
 * @in_sync: bit mask of legs in sync
 * @leg: a leg in sync
 *
 * Context: any.
 * Return: true if each set that @leg belongs to has another leg in sync.
 */
bool mb_health_may_fail(const struct mb_layout *layout, u32 in_sync, u32 leg);

/**
 * mb_health_any_second - is anything there twice?
 * @layout: the layout
 * @in_sync: bit mask of legs in sync
 *
 * Context: any.
 * Return: true if a set has two legs in sync, so that they can differ.
 */
bool mb_health_any_second(const struct mb_layout *layout, u32 in_sync);

/**
 * mb_health_first_copy - which copy counts where copies may differ?
 * @places: of the copies, by number
 * @copies: how many
 * @in_sync: bit mask of legs in sync
 *
 * Of sectors not known to be the same on all legs everybody reads this one, and
 * the others are made like it. Write-mostly marks do not matter here: who reads
 * twice must see the same.
 *
 * Context: any.
 * Return: its number; @copies if no leg is in sync.
 */
u32 mb_health_first_copy(const struct mb_place *places, u32 copies, u32 in_sync);

#endif /* MB_HEALTH_H */
