// SPDX-License-Identifier: GPL-2.0-only
#include "alloc.h"
#include "number.h"
#include "options.h"
#include "shape_options.h"
#include "size.h"

int shape_option_layout(const struct verb *verb, const char *word, struct mb_shape *shape)
{
	u64 copies;

	if (!mb_layout_kind(word[0], &shape->kind) ||
	    !mb_number_parse(word + 1, MB_MAX_LEGS, &copies) || copies < 2)
		return options_wrong(verb, "layout is '%s'; allowed are n<copies> (near), f<copies> (far) and o<copies> (offset), as in n2",
				     word);
	shape->copies = copies;
	return 0;
}

int shape_option_chunk(const struct verb *verb, const char *word, struct mb_shape *shape)
{
	const char *trouble;
	u64 bytes;

	trouble = size_parse(word, &bytes);
	if (trouble)
		return options_wrong(verb, "chunk '%s' %s", word, trouble);
	if (bytes & 511 || bytes >> 9 > MB_MAX_CHUNK_SECTORS)
		return options_wrong(verb, "chunk is '%s'; allowed are powers of two from 4K to 1G",
				     word);
	shape->chunk_sectors = bytes >> 9;
	return 0;
}

int shape_option_policy(const struct verb *verb, const char *word, const char **policy, u32 *argc,
			char **argv)
{
	char *rest = xstrdup(word), *part;

	*policy = strsep(&rest, ",");
	*argc = 0;
	while ((part = strsep(&rest, ","))) {
		if (*argc == MB_MAX_POLICY_ARGS)
			return options_wrong(verb, "policy has more than %u arguments",
					     MB_MAX_POLICY_ARGS);
		argv[(*argc)++] = part;
	}
	return 0;
}

char *shape_policy_text(const char *policy, u32 argc, char *const *argv)
{
	char *text = xstrdup(policy);
	u32 i;

	for (i = 0; i < argc; i++)
		xappend(&text, ",", "%s", argv[i]);
	return text;
}
