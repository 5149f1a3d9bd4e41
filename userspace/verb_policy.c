// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "alloc.h"
#include "json.h"
#include "options.h"
#include "policies.h"
#include "say.h"
#include "view.h"

static int show(const struct view *view, bool json)
{
	struct json_object *object = json_object_new_object();
	struct json_object *args = json_object_new_array();
	char *builtin = policies_builtin();
	u32 i;

	for (i = 0; i < view->table.policy_argc; i++)
		json_object_array_add(args, json_text(view->table.policy_argv[i]));
	json_put_text(object, "name", view->name);
	json_put_text(object, "policy", view->table.policy);
	json_object_object_add(object, "arguments", args);
	if (json) {
		json_print(object);
		free(builtin);
		return EXIT_HEALTHY;
	}
	printf("%s", view->table.policy);
	for (i = 0; i < view->table.policy_argc; i++)
		printf(" %s", view->table.policy_argv[i]);
	printf("\n");
	say_note("built in are %s", builtin);
	json_object_put(object);
	free(builtin);
	return EXIT_HEALTHY;
}

static int switch_to(const struct view *view, const char *policy, u32 argc, char **argv)
{
	char *message, *trouble;
	int result;
	u32 i;

	if (policies_check(&view->layout, policy, argc, argv))
		return EXIT_FAILED;
	message = xprintf("policy %s", policy);
	for (i = 0; i < argc; i++)
		xappend(&message, " ", "%s", argv[i]);
	result = array_message(view->name, message, &trouble);
	if (result)
		say_error("cannot switch '%s' to policy %s: %s", view->name, policy, trouble);
	free(trouble);
	free(message);
	return result ? EXIT_FAILED : EXIT_HEALTHY;
}

static int run(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = { OPTIONS_HELP, OPTIONS_JSON, OPTIONS_END };
	struct view *view;
	bool json = false;
	int result;

	while (options_next(verb, argc, argv, options) >= 0)
		json = true;
	if (argc == optind)
		return options_wrong(verb, "give the name of an array");
	view = view_running(argv[optind]);
	if (!view)
		return EXIT_FAILED;
	if (argc - optind == 1)
		result = show(view, json);
	else
		result = switch_to(view, argv[optind + 1], argc - optind - 2, argv + optind + 2);
	view_free(view);
	return result;
}

const struct verb verb_policy = {
	.name = "policy",
	.summary = "show or switch the read policy",
	.help = "policy NAME [POLICY [ARGUMENT]...] [--json]\n"
		"\n"
		"Shows the read policy, or switches to another one at once; no I/O is held up.\n"
		"\n"
		"  nearest-head                     the leg whose head is nearest, idle legs first\n"
		"  round-robin [BYTES]              one leg after the other, moving on after BYTES\n"
		"  sequential-affinity [SECTORS]    a stream stays on its leg; a lone one is handed\n"
		"                                   from leg to leg in windows of SECTORS\n"
		"  queue-length                     the leg with the fewest I/Os in flight\n"
		"  split                            each copy serves its share of the addresses\n"
		"  adaptive [SECTORS]               the leg that would be done first, by what was\n"
		"                                   learned of each; streams as above\n"
		"\n"
		"Any other name stands for a module dm-mirrorbal-POLICY, which is loaded first.\n",
	.needs_root = true,
	.run = run,
};
