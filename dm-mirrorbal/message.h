/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages to a live array.
 */
#ifndef MB_MESSAGE_H
#define MB_MESSAGE_H

#include "array.h"

/**
 * mb_message - carry out a message
 * @array: the array
 * @argc: number of words
 * @argv: the words
 * @result: receives text to return
 * @maxlen: room in @result
 *
 * Never loads a module: that would wait for user space, which may wait for
 * this very device.
 *
 * Context: process, may sleep.
 * Return: 0, 1 if there is text in @result, or a negative errno, the reason
 * logged.
 */
int mb_message(struct mb_array *array, unsigned int argc, char **argv, char *result,
	       unsigned int maxlen);

#endif /* MB_MESSAGE_H */
