/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decimal numbers as table lines and messages carry them: digits only, the
 * whole word, no sign, no junk behind ("12x" is no number).
 */
#ifndef MB_NUMBER_H
#define MB_NUMBER_H

#include "port.h"

/**
 * mb_number_parse - read one word as a decimal number
 * @word: NUL-terminated text
 * @max: the largest value allowed
 * @value: receives the number; untouched on failure
 *
 * Context: any.
 * Return: true if all of @word is a decimal number of at most @max.
 */
bool mb_number_parse(const char *word, u64 max, u64 *value);

#endif /* MB_NUMBER_H */
