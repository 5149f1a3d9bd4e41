/* SPDX-License-Identifier: GPL-2.0-only */
/* What the verbs' command lines have in common. */
#ifndef MB_OPTIONS_H
#define MB_OPTIONS_H

#include <getopt.h>

#include "verb.h"

/* Values of long options without a letter; those of a verb begin at OPTION_OWN. */
enum { OPTION_HELP = 1000, OPTION_JSON, OPTION_YES, OPTION_DRY_RUN, OPTION_OWN };

#define OPTIONS_HELP	{ "help", no_argument, NULL, OPTION_HELP }
#define OPTIONS_JSON	{ "json", no_argument, NULL, OPTION_JSON }
#define OPTIONS_YES	{ "yes", no_argument, NULL, OPTION_YES }
#define OPTIONS_DRY_RUN	{ "dry-run", no_argument, NULL, OPTION_DRY_RUN }
#define OPTIONS_END	{ NULL, 0, NULL, 0 }

/**
 * options_next - take the next option
 * @verb: whose command line it is
 * @argc: number of words, the verb's name first
 * @argv: the words
 * @options: the options allowed; OPTIONS_HELP is answered here
 *
 * Ends the command after --help and after an option that makes no sense.
 *
 * Return: the option's value; -1 when only operands are left, from optind on.
 */
int options_next(const struct verb *verb, int argc, char **argv, const struct option *options);

/* Says what is wrong and where the help is; returns EXIT_USAGE. */
int options_wrong(const struct verb *verb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void options_print_help(const struct verb *verb);

#endif /* MB_OPTIONS_H */
