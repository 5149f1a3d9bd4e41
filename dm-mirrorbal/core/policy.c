// SPDX-License-Identifier: GPL-2.0-only
#include "policy.h"

static const struct mb_policy_ops *const builtins[] = {
	&mb_nearest_head_ops,
	&mb_round_robin_ops,
	&mb_sequential_affinity_ops,
	&mb_queue_length_ops,
	&mb_split_ops,
	&mb_adaptive_ops,
};

const struct mb_policy_ops *const *mb_policy_builtins(u32 *nr)
{
	*nr = ARRAY_SIZE(builtins);
	return builtins;
}

int mb_policy_configure(const struct mb_policy_ops *ops, void *config,
			const struct mb_layout *layout, u32 argc, char **argv,
			struct mb_error *error)
{
	if (ops->configure)
		return ops->configure(config, layout, argc, argv, error);
	if (argc)
		return mb_error_set(error,
				    "%s takes no arguments, but '%s' was given; did you mean `%s 0 %u %s`?",
				    ops->name, argv[0], ops->name, argc, argv[0]);
	return 0;
}

int mb_policy_set(const struct mb_policy_ops *ops, void *config, const char *key,
		  const char *value, struct mb_error *error)
{
	if (!ops->set)
		return mb_error_set(error, "policy_set: policy %s has no settings, so no '%s'",
				    ops->name, key);
	return ops->set(config, key, value, error);
}
