// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "say.h"

static void say(const char *before, const char *fmt, va_list args)
{
	/* Results on standard output come before what is said of them. */
	fflush(stdout);
	fputs(before, stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

int say_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("mirrorbal: ", fmt, args);
	va_end(args);
	return -1;
}

void say_warning(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("mirrorbal: warning: ", fmt, args);
	va_end(args);
}

void say_note(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("", fmt, args);
	va_end(args);
}

bool can_ask(void)
{
	return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

bool ask(const char *question)
{
	char *line = NULL;
	size_t size = 0;
	bool yes;

	fflush(stdout);
	fprintf(stderr, "%s [y/N] ", question);
	yes = getline(&line, &size, stdin) > 0 && (line[0] == 'y' || line[0] == 'Y');
	free(line);
	return yes;
}
