/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All arrays of this kernel. Device-mapper lets several mapped devices share
 * one device; for legs that would be the end of their data, so the module
 * keeps count itself. And a reload finds here the array it is to follow.
 */
#ifndef MB_LEG_REGISTER_H
#define MB_LEG_REGISTER_H

#include "array.h"

/**
 * mb_register_array - enter an array, unless it may not be
 * @array: complete, with its legs open
 * @error: receives what is wrong
 *
 * Refused are a leg in use by another mapped device, and a reload that changes
 * the shape of the live array of the same device or leaves out its last good
 * copy of something.
 *
 * Context: constructor, may sleep.
 * Return: 0, or -1 with @error set.
 */
int mb_register_array(struct mb_array *array, struct mb_error *error);

/**
 * mb_unregister_array - strike an array off
 * @array: entered or not
 *
 * Context: process, may sleep.
 */
void mb_unregister_array(struct mb_array *array);

/**
 * mb_array_runs - has its device a table in use?
 * @array: entered or not; that table may be its own
 *
 * Context: process, may sleep.
 */
bool mb_array_runs(const struct mb_array *array);

/**
 * mb_array_go_live - the array's table is about to be the one in use
 * @array: a suspended array
 *
 * If it follows a live array of the same device, which is suspended by now, it
 * inherits what that one had learned of its legs: which are failed or missing,
 * how far they are the same, their error counts, and what is stored of them.
 * Always: device-mapper destroys the old table even if the new one does not
 * resume, and with it would go what is known of stale legs. What has no good copy
 * left then ends in errors.
 *
 * Context: before resume, may sleep.
 */
void mb_array_go_live(struct mb_array *array);

#endif /* MB_LEG_REGISTER_H */
