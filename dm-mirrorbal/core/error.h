/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One line of text that tells a person what was wrong: which argument, what
 * it was, what is allowed.
 */
#ifndef MB_ERROR_H
#define MB_ERROR_H

#include "port.h"

#define MB_ERROR_LEN 256

struct mb_error {
	char text[MB_ERROR_LEN];
};

/**
 * mb_error_set - write the line
 * @error: receives the text, cut to MB_ERROR_LEN - 1 characters
 * @fmt: as printf
 *
 * Context: any.
 * Return: always -1, so that a parser may say `return mb_error_set(...)`.
 */
int __printf(2, 3) mb_error_set(struct mb_error *error, const char *fmt, ...);

#endif /* MB_ERROR_H */
