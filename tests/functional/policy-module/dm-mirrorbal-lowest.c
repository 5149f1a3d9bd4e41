// SPDX-License-Identifier: GPL-2.0-only
/*
 * lowest [<lie>]: the candidate with the lowest leg number; with a lie, an
 * index that much too high, which no sane policy would return.
 */
#include <linux/module.h>

#include "mirrorbal_policy.h"
#include "number.h"

struct lowest_config {
	u32 lie;
};

static int parse_lie(struct lowest_config *config, const char *word, struct mb_error *error)
{
	u64 lie;

	if (!mb_number_parse(word, U32_MAX, &lie))
		return mb_error_set(error, "lowest: lie is '%s'; allowed are 0 to %u", word,
				    U32_MAX);
	config->lie = lie;
	return 0;
}

static int lowest_configure(void *config, const struct mb_layout *layout, u32 argc, char **argv,
			    struct mb_error *error)
{
	if (argc > 1)
		return mb_error_set(error, "lowest takes at most 1 argument (lie), not %u", argc);
	return argc ? parse_lie(config, argv[0], error) : 0;
}

static int lowest_set(void *config, const char *key, const char *value, struct mb_error *error)
{
	if (strcmp(key, "lie"))
		return mb_error_set(error, "policy_set: lowest has no setting '%s', only lie", key);
	return parse_lie(config, value, error);
}

static u32 lowest_print_args(const void *config, char *text, size_t size)
{
	const struct lowest_config *settings = config;

	if (!settings->lie)
		return 0;
	snprintf(text, size, "%u", settings->lie);
	return 1;
}

static u32 lowest_select(const void *config, void *state, const struct mb_read *read)
{
	const struct lowest_config *settings = config;
	u32 best = 0, i;

	for (i = 1; i < read->nr_candidates; i++)
		if (read->candidates[i].leg < read->candidates[best].leg)
			best = i;
	return best + settings->lie;
}

static const struct mb_policy_ops lowest_ops = {
	.name = "lowest",
	.config_size = sizeof(struct lowest_config),
	.configure = lowest_configure,
	.set = lowest_set,
	.print_args = lowest_print_args,
	.select = lowest_select,
};

static int __init lowest_init(void)
{
	return mb_register_policy(&lowest_ops, THIS_MODULE);
}

static void __exit lowest_exit(void)
{
	mb_unregister_policy(&lowest_ops);
}

module_init(lowest_init);
module_exit(lowest_exit);

MODULE_DESCRIPTION("dm-mirrorbal: a read policy to test the registration of policies with");
MODULE_AUTHOR("the dm-mirrorbal developers");
MODULE_LICENSE("GPL");
