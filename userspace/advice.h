/* SPDX-License-Identifier: GPL-2.0-only */
/* What an array's state means, and what to do next. */
#ifndef MB_ADVICE_H
#define MB_ADVICE_H

#include "view.h"

/* A growing list of lines. */
struct lines {
	char **list;
	size_t count;
};

void lines_free(struct lines *lines);

/* What happened: failed and missing legs, only copies left, errors. */
struct lines advice_events(const struct view *view);

/* What to type next; empty if nothing is wrong. */
struct lines advice_next(const struct view *view);

#endif /* MB_ADVICE_H */
