// SPDX-License-Identifier: GPL-2.0-only
/* mirrorbal VERB ...: finds the verb and runs it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "options.h"
#include "refusals.h"
#include "say.h"
#include "verb.h"

static const struct verb *const verbs[] = {
	&verb_create,
	&verb_assemble,
	&verb_stop,
	&verb_status,
	&verb_stats,
	&verb_policy,
	&verb_set,
	&verb_wait,
	&verb_fail,
	&verb_table,
	&verb_examine,
	&verb_erase,
	&verb_simulate,
	&verb_bench,
	&verb_udev_probe,
};

static void print_help(void)
{
	size_t i;

	puts("usage: mirrorbal VERB [ARGUMENT]...\n"
	     "\n"
	     "RAID10 mirrors that read every leg at once. The verbs:\n");
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (verbs[i]->summary)
			printf("  %-9s %s\n", verbs[i]->name, verbs[i]->summary);
	puts("\n"
	     "`mirrorbal VERB --help` explains one, mirrorbal(8) all of them.");
}

static const struct verb *find_verb(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(name, verbs[i]->name))
			return verbs[i];
	return NULL;
}

static int refuse(const char *word)
{
	const char *answer = refusal_of(word);

	if (answer)
		say_error("'%s' %s", word, answer);
	else
		say_error("there is no verb '%s'; `mirrorbal --help` lists them", word);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	const struct verb *verb;
	int status;

	if (argc < 2) {
		print_help();
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_help();
		return EXIT_HEALTHY;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("mirrorbal " MB_VERSION);
		return EXIT_HEALTHY;
	}
	verb = find_verb(argv[1]);
	if (!verb)
		return refuse(argv[1]);
	if (argc == 3 && !strcmp(argv[2], "--help")) {
		options_print_help(verb);
		return EXIT_HEALTHY;
	}
	if (verb->needs_root && geteuid()) {
		say_error("%s: needs root", verb->name);
		return EXIT_FAILED;
	}
	array_library_init();
	status = verb->run(verb, argc - 1, argv + 1);
	/* A report that did not arrive was not made. */
	if (fflush(stdout) || ferror(stdout)) {
		say_error("cannot write to standard output: %m");
		return EXIT_FAILED;
	}
	return status;
}
