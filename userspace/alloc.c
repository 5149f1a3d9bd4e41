// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "verb.h"

static void *or_end(void *memory)
{
	if (!memory) {
		fputs("mirrorbal: out of memory\n", stderr);
		exit(EXIT_FAILED);
	}
	return memory;
}

void *xcalloc(size_t count, size_t size)
{
	return or_end(calloc(count ? count : 1, size));
}

void *xrealloc(void *memory, size_t size)
{
	return or_end(realloc(memory, size ? size : 1));
}

char *xstrdup(const char *text)
{
	return or_end(strdup(text));
}

static char *format(const char *fmt, va_list args)
{
	char *text;

	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	return or_end(text);
}

char *xprintf(const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = format(fmt, args);
	va_end(args);
	return text;
}

void xappend(char **text, const char *between, const char *fmt, ...)
{
	va_list args;
	char *more, *both;

	va_start(args, fmt);
	more = format(fmt, args);
	va_end(args);
	if (!*text) {
		*text = more;
		return;
	}
	both = xprintf("%s%s%s", *text, between, more);
	free(*text);
	free(more);
	*text = both;
}
