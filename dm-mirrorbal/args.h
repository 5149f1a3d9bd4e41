/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a parsed table to open legs: everything about a table line that cannot
 * be judged without looking at the devices.
 */
#ifndef MB_ARGS_H
#define MB_ARGS_H

#include "array.h"

/**
 * mb_open_legs - open and check the legs of a table
 * @array: its layout is known; receives the legs
 * @table: the parsed table
 * @error: receives what is wrong
 *
 * Context: constructor, may sleep.
 * Return: 0 or a negative errno with @error set; the caller closes in both
 * cases.
 */
int mb_open_legs(struct mb_array *array, const struct mb_table *table, struct mb_error *error);

/**
 * mb_close_legs - close what mb_open_legs() opened
 * @array: the array
 *
 * Context: process, may sleep.
 */
void mb_close_legs(struct mb_array *array);

#endif /* MB_ARGS_H */
