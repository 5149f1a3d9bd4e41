// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "alloc.h"
#include "options.h"
#include "say.h"
#include "size.h"
#include "view.h"

static int send(const struct view *view, char *message)
{
	char *trouble;
	int result = array_message(view->name, message, &trouble);

	if (result)
		say_error("'%s' did not take it: %s", view->name, trouble);
	free(trouble);
	free(message);
	return result ? EXIT_FAILED : EXIT_HEALTHY;
}

static int set_write_mostly(const struct verb *verb, const struct view *view, char **words)
{
	int leg = view_leg_named(view, words[0]);
	char *text;

	if (leg < 0)
		return EXIT_FAILED;
	if (strcmp(words[1], "on") && strcmp(words[1], "off"))
		return options_wrong(verb, "write-mostly is '%s'; allowed are on and off", words[1]);
	text = view_leg_describe(view, leg);
	say_note("write-mostly %s: %s", words[1], text);
	free(text);
	return send(view, xprintf("write_mostly %d %s", leg, words[1]));
}

/* A word that would fall apart in a message. */
static bool is_broken(const char *word)
{
	return !*word || strpbrk(word, " \t\n\\");
}

static int set_resync(const struct verb *verb, const struct view *view, const char *word)
{
	if (!strcmp(word, "on"))
		return send(view, xstrdup("idle"));
	if (!strcmp(word, "off"))
		return send(view, xstrdup("frozen"));
	return options_wrong(verb, "resync is '%s'; allowed are on and off", word);
}

static int set_resync_limit(const struct verb *verb, const struct view *view, const char *word)
{
	u64 bytes = 0;
	const char *wrong = strcmp(word, "none") ? size_parse(word, &bytes) : NULL;

	if (wrong)
		return options_wrong(verb, "resync-limit is '%s': %s; allowed are bytes a second, as in 100M, and none",
				     word, wrong);
	/* Rounded up: 0 stands for none. */
	return send(view, xprintf("resync_limit %llu", (unsigned long long)(bytes + 1023) >> 10));
}

static int set_key(const struct verb *verb, const struct view *view, int count, char **words)
{
	if (!strcmp(words[0], "write-mostly") || !strcmp(words[0], "write_mostly")) {
		if (count != 3)
			return options_wrong(verb, "write-mostly takes a leg and on or off");
		return set_write_mostly(verb, view, words + 1);
	}
	if (count != 2)
		return options_wrong(verb, "%s takes one value", words[0]);
	if (!strcmp(words[0], "counters")) {
		if (strcmp(words[1], "reset"))
			return options_wrong(verb, "counters is '%s'; allowed is reset", words[1]);
		return send(view, xstrdup("reset_counters"));
	}
	if (!strcmp(words[0], "resync"))
		return set_resync(verb, view, words[1]);
	if (!strcmp(words[0], "resync-limit") || !strcmp(words[0], "resync_limit"))
		return set_resync_limit(verb, view, words[1]);
	if (is_broken(words[0]) || is_broken(words[1]))
		return options_wrong(verb, "keys and values are single words");
	return send(view, xprintf("policy_set %s %s", words[0], words[1]));
}

static int run(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = { OPTIONS_HELP, OPTIONS_END };
	struct view *view;
	int result;

	while (options_next(verb, argc, argv, options) >= 0)
		;
	if (argc - optind < 3)
		return options_wrong(verb, "give the name of an array, a key and a value");
	view = view_running(argv[optind]);
	if (!view)
		return EXIT_FAILED;
	result = set_key(verb, view, argc - optind - 1, argv + optind + 1);
	view_free(view);
	return result;
}

const struct verb verb_set = {
	.name = "set",
	.summary = "change a setting of a running array",
	.help = "set NAME write-mostly LEG on|off\n"
		"       mirrorbal set NAME resync on|off\n"
		"       mirrorbal set NAME resync-limit BYTES|none\n"
		"       mirrorbal set NAME counters reset\n"
		"       mirrorbal set NAME KEY VALUE\n"
		"\n"
		"  write-mostly    a leg that is read only where no other copy can serve\n"
		"  resync          off: what makes copies the same stops where it is; on: it goes on\n"
		"  resync-limit    its bytes a second, as in 100M, or none; beside the array's users\n"
		"                  it gives way anyhow\n"
		"  counters reset  traffic counters begin at 0 again, error counts stay\n"
		"  KEY             a setting of the policy in use: bytes of round-robin, window of\n"
		"                  sequential-affinity and adaptive\n"
		"\n"
		"With metadata, what is set is stored, but for resync off.\n",
	.needs_root = true,
	.run = run,
};
