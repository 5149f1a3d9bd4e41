/* SPDX-License-Identifier: GPL-2.0-only */
/* What every unit test needs: cmocka and numbers that repeat from run to run. */
#ifndef UNIT_H
#define UNIT_H

/* cmocka.h wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "port.h"

/**
 * random_below - next number of a fixed sequence
 * @limit: at least 1
 *
 * Return: 0 to @limit - 1.
 */
u64 random_below(u64 limit);

/* Start the sequence again, so that one test does not depend on another. */
void random_restart(void);

/* Fail with both texts unless @text contains @part. */
#define assert_contains(text, part) assert_text(text, part, __FILE__, __LINE__)
void assert_text(const char *text, const char *part, const char *file, int line);

#endif /* UNIT_H */
