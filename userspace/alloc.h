/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory for a short-lived command: running out ends it. */
#ifndef MB_ALLOC_H
#define MB_ALLOC_H

#include <stddef.h>

void *xcalloc(size_t count, size_t size);
void *xrealloc(void *memory, size_t size);
char *xstrdup(const char *text);

/* A new string, as asprintf(). */
char *xprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* As xprintf(), put behind *@text with @between in between; frees the old one. */
void xappend(char **text, const char *between, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* MB_ALLOC_H */
