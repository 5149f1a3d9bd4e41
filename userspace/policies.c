// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdlib.h>

#include "alloc.h"
#include "module.h"
#include "policies.h"
#include "say.h"
#include "table.h"

static const struct mb_policy_ops *find_builtin(const char *name)
{
	const struct mb_policy_ops *const *policies;
	u32 nr, i;

	policies = mb_policy_builtins(&nr);
	for (i = 0; i < nr; i++)
		if (!strcmp(policies[i]->name, name))
			return policies[i];
	return NULL;
}

char *policies_builtin(void)
{
	const struct mb_policy_ops *const *policies;
	char *text = NULL;
	u32 nr, i;

	policies = mb_policy_builtins(&nr);
	for (i = 0; i < nr; i++)
		xappend(&text, ", ", "%s", policies[i]->name);
	return text;
}

static int say_builtin(const char *name, const char *what)
{
	char *builtin = policies_builtin();

	say_error("policy '%s' %s; allowed are %s", name, what, builtin);
	free(builtin);
	return -1;
}

/* The name becomes part of a module's. */
static bool is_name(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_')
			return false;
	return *name && c - name < MB_POLICY_NAME_LEN;
}

static int check_builtin(const struct mb_policy_ops *ops, const struct mb_layout *layout, u32 argc,
			 char **argv)
{
	void *config = xcalloc(1, ops->config_size);
	struct mb_error error;
	int result = mb_policy_configure(ops, config, layout, argc, argv, &error);

	free(config);
	if (result)
		say_error("%s", error.text);
	return result;
}

int policies_check(const struct mb_layout *layout, const char *name, u32 argc, char **argv)
{
	const struct mb_policy_ops *ops = find_builtin(name);
	u32 i;

	if (argc > MB_MAX_POLICY_ARGS)
		return say_error("policy '%s' has %u arguments; allowed are at most %u", name, argc,
				 MB_MAX_POLICY_ARGS);
	for (i = 0; i < argc; i++)
		if (!*argv[i] || strpbrk(argv[i], " \t\n\\'"))
			return say_error("policy '%s': argument '%s' is not a single word", name,
					 argv[i]);
	if (ops)
		return check_builtin(ops, layout, argc, argv);
	if (!is_name(name))
		return say_builtin(name, "cannot be the name of a policy");
	return module_load_policy(name);
}
