// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "alloc.h"
#include "options.h"
#include "say.h"

void options_print_help(const struct verb *verb)
{
	printf("usage: mirrorbal %s", verb->help);
}

int options_wrong(const struct verb *verb, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = xstrdup(fmt);
	va_end(args);
	say_error("%s: %s\n`mirrorbal %s --help` shows what is allowed", verb->name, text,
		  verb->name);
	free(text);
	return EXIT_USAGE;
}

int options_next(const struct verb *verb, int argc, char **argv, const struct option *options)
{
	int option;

	opterr = 0;
	option = getopt_long(argc, argv, ":", options, NULL);
	switch (option) {
	case OPTION_HELP:
		options_print_help(verb);
		exit(EXIT_HEALTHY);
	case '?':
		exit(options_wrong(verb, "option '%s' is not known", argv[optind - 1]));
	case ':':
		exit(options_wrong(verb, "option '%s' needs a value", argv[optind - 1]));
	}
	return option;
}
