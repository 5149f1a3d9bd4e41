// SPDX-License-Identifier: GPL-2.0-only
#include "number.h"
#include "policy.h"
#include "table.h"

/* The words of a table line not read yet. */
struct words {
	u32 left;
	char **at;
};

/* The next word, or NULL after an error that says which one is missing. */
static char *next_word(struct words *words, const char *what, struct mb_error *error)
{
	if (!words->left) {
		mb_error_set(error, "the table line ends where %s should stand", what);
		return NULL;
	}
	words->left--;
	return *words->at++;
}

static int next_number(struct words *words, const char *what, u64 min, u64 max, u64 *number,
		       struct mb_error *error)
{
	char *word = next_word(words, what, error);

	if (!word)
		return -1;
	if (!mb_number_parse(word, max, number) || *number < min)
		return mb_error_set(error, "%s is '%s'; allowed are whole numbers from %llu to %llu",
				    what, word, (unsigned long long)min, (unsigned long long)max);
	return 0;
}

static int parse_layout(struct words *words, struct mb_shape *shape, struct mb_error *error)
{
	char *word = next_word(words, "the layout", error);
	u64 copies;

	if (!word)
		return -1;
	if (!mb_layout_kind(word[0], &shape->kind) ||
	    !mb_number_parse(word + 1, MB_MAX_LEGS, &copies) || copies < 2)
		return mb_error_set(error,
				    "layout is '%s'; allowed are n<copies> (near), f<copies> (far) and o<copies> (offset) with 2 to %u copies, as in n2",
				    word, MB_MAX_LEGS);
	shape->copies = copies;
	return 0;
}

static int parse_shape(struct words *words, struct mb_shape *shape, struct mb_error *error)
{
	u64 chunk, legs;

	if (parse_layout(words, shape, error) ||
	    next_number(words, "chunk_sectors", MB_MIN_CHUNK_SECTORS, MB_MAX_CHUNK_SECTORS, &chunk,
			error) ||
	    next_number(words, "the number of legs", MB_MIN_LEGS, MB_MAX_LEGS, &legs, error))
		return -1;
	shape->chunk_sectors = chunk;
	shape->legs = legs;
	return mb_shape_check(shape, error);
}

static int parse_leg(struct words *words, struct mb_table *table, u32 leg, struct mb_error *error)
{
	char what[40];
	char *word;

	snprintf(what, sizeof(what), "the device of leg %u", leg);
	word = next_word(words, what, error);
	if (!word)
		return -1;
	table->legs[leg].device = strcmp(word, "-") ? word : NULL;

	snprintf(what, sizeof(what), "the data offset of leg %u", leg);
	return next_number(words, what, 0, MB_MAX_LENGTH, &table->legs[leg].data_offset, error);
}

static int parse_legs(struct words *words, struct mb_table *table, u32 legs,
		      struct mb_error *error)
{
	u32 leg, other;

	for (leg = 0; leg < legs; leg++) {
		if (parse_leg(words, table, leg, error))
			return -1;
		if (!table->legs[leg].device)
			continue;
		for (other = 0; other < leg; other++)
			if (table->legs[other].device &&
			    !strcmp(table->legs[other].device, table->legs[leg].device))
				return mb_error_set(error,
						    "leg %u is %s, which is leg %u already; each leg must be a device of its own",
						    leg, table->legs[leg].device, other);
	}
	return 0;
}

static int parse_policy(struct words *words, struct mb_table *table, struct mb_error *error)
{
	char what[MB_POLICY_NAME_LEN + 40];
	u64 argc;

	table->policy = MB_DEFAULT_POLICY;
	if (!words->left)
		return 0;

	table->policy = next_word(words, "the policy", error);
	if (strlen(table->policy) >= MB_POLICY_NAME_LEN)
		return mb_error_set(error, "policy is '%.40s...'; names have at most %u characters",
				    table->policy, MB_POLICY_NAME_LEN - 1);
	snprintf(what, sizeof(what), "the number of arguments of policy %s", table->policy);
	if (next_number(words, what, 0, MB_MAX_POLICY_ARGS, &argc, error))
		return -1;
	if (argc > words->left)
		return mb_error_set(error, "policy %s is to have %llu arguments, but %u words follow",
				    table->policy, (unsigned long long)argc, words->left);
	table->policy_argc = argc;
	table->policy_argv = words->at;
	words->at += argc;
	words->left -= argc;
	return 0;
}

static int parse_nosync(struct mb_table *table, struct words *words, struct mb_error *error)
{
	table->nosync = true;
	return 0;
}

static int parse_write_mostly(struct mb_table *table, struct words *words, struct mb_error *error)
{
	u64 leg;

	if (next_number(words, "the leg of write_mostly", 0, table->layout.shape.legs - 1, &leg,
			error))
		return -1;
	table->write_mostly |= 1u << leg;
	return 0;
}

static int parse_resync_limit(struct mb_table *table, struct words *words, struct mb_error *error)
{
	u64 limit;

	if (next_number(words, "resync_limit", 0, MB_MAX_RESYNC_LIMIT, &limit, error))
		return -1;
	table->resync_limit = limit;
	return 0;
}

static int parse_metadata(struct mb_table *table, struct words *words, struct mb_error *error)
{
	table->metadata = true;
	return 0;
}

static int refuse_region_size(struct mb_table *table, struct words *words,
			      struct mb_error *error)
{
	return mb_error_set(error,
			    "feature region_size is not in this version");
}

static int refuse_copy_writes(struct mb_table *table, struct words *words,
			      struct mb_error *error)
{
	return mb_error_set(error, "feature copy_writes is not in this version");
}

/* Each reads the words that follow its own. */
static const struct feature {
	const char *word;
	int (*parse)(struct mb_table *table, struct words *words, struct mb_error *error);
} features[] = {
	{ "nosync", parse_nosync },
	{ "write_mostly", parse_write_mostly },
	{ "resync_limit", parse_resync_limit },
	{ "metadata", parse_metadata },
	{ "region_size", refuse_region_size },
	{ "copy_writes", refuse_copy_writes },
};

static int parse_feature(struct words *words, struct mb_table *table, struct mb_error *error)
{
	char *word = next_word(words, "a feature", error);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(features); i++)
		if (!strcmp(word, features[i].word))
			return features[i].parse(table, words, error);
	return mb_error_set(error, "feature '%s' is not known; allowed are metadata, nosync, write_mostly <leg> and resync_limit <KiB/s>",
			    word);
}

static int parse_features(struct words *words, struct mb_table *table, struct mb_error *error)
{
	struct words feature_words;
	u64 count;

	if (!words->left)
		return 0;
	if (next_number(words, "the number of feature words", 0, 2 * MB_MAX_LEGS + 16, &count,
			error))
		return -1;
	if (count != words->left)
		return mb_error_set(error, "%llu feature words are announced, but %u follow",
				    (unsigned long long)count, words->left);

	feature_words = *words;
	while (feature_words.left)
		if (parse_feature(&feature_words, table, error))
			return -1;
	return 0;
}

int mb_table_parse(struct mb_table *table, u64 length, u32 argc, char **argv,
		   struct mb_error *error)
{
	struct words words = { .left = argc, .at = argv };
	struct mb_shape shape = { 0 };

	memset(table, 0, sizeof(*table));
	if (parse_shape(&words, &shape, error) || parse_legs(&words, table, shape.legs, error) ||
	    mb_layout_init(&table->layout, &shape, length, error) ||
	    parse_policy(&words, table, error))
		return -1;
	if (parse_features(&words, table, error))
		return -1;
	if (table->metadata && table->nosync)
		return mb_error_set(error,
				    "features metadata and nosync are both given; with metadata it is stored whether the legs are identical");
	return 0;
}
