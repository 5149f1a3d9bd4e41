/* SPDX-License-Identifier: GPL-2.0-only */
/* What the command says to a person, on standard error, and what it asks. */
#ifndef MB_SAY_H
#define MB_SAY_H

#include <stdbool.h>

/* "mirrorbal: <text>"; returns -1, so that one may `return say_error(...)`. */
int say_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* "mirrorbal: warning: <text>" */
void say_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* "<text>", for what is going on. */
void say_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Is there a person to ask? */
bool can_ask(void);

/* Asks "<question> [y/N] "; only where can_ask(). */
bool ask(const char *question);

#endif /* MB_SAY_H */
