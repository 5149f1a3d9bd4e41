// SPDX-License-Identifier: GPL-2.0-only
/*
 * round-robin [<bytes>]: the copies of a set take turns; a turn is one read,
 * or with <bytes> as many reads as it takes to reach that size. Turns are kept
 * for each set of copies, so that a reader that alternates between sets cannot
 * fall into step with them.
 *
 * In far and offset layouts each leg holds all copies, apart from one another:
 * heads would go to and fro between sections, or back for a row that they have
 * passed over. There turns are long, and one long turn is kept for all sets, so
 * that all legs read the same copy.
 */
#include "number.h"
#include "policy.h"

#define MAX_RUN_BYTES (1ull << 40)
#define LONG_RUN_BYTES (64ull << 20)

struct round_robin_config {
	u64 run_bytes;	/* 0: every read is a turn */
	u64 default_run_bytes;
	bool long_turns;	/* legs hold all copies, apart from one another */
};

struct round_robin_state {
	struct {
		u64 left;	/* bytes left of this turn */
		u32 turn;
	} set[MB_MAX_LEGS];	/* by first_leg */
};

static int parse_run(struct round_robin_config *config, const char *word, struct mb_error *error)
{
	if (!mb_number_parse(word, MAX_RUN_BYTES, &config->run_bytes))
		return mb_error_set(error,
				    "round-robin: run of '%s' bytes; allowed are 0 (every read) to %llu",
				    word, MAX_RUN_BYTES);
	return 0;
}

static int round_robin_configure(void *config, const struct mb_layout *layout, u32 argc,
				 char **argv, struct mb_error *error)
{
	struct round_robin_config *settings = config;

	if (argc > 1)
		return mb_error_set(error, "round-robin takes at most 1 argument (bytes), not %u",
				    argc);
	settings->long_turns = layout->shape.kind != MB_LAYOUT_NEAR;
	settings->default_run_bytes = settings->long_turns ? LONG_RUN_BYTES : 0;
	settings->run_bytes = settings->default_run_bytes;
	return argc ? parse_run(settings, argv[0], error) : 0;
}

static int round_robin_set(void *config, const char *key, const char *value,
			   struct mb_error *error)
{
	if (strcmp(key, "bytes"))
		return mb_error_set(error, "policy_set: round-robin has no setting '%s', only bytes",
				    key);
	return parse_run(config, value, error);
}

static u32 round_robin_print_args(const void *config, char *text, size_t size)
{
	const struct round_robin_config *settings = config;

	text[0] = '\0';
	if (settings->run_bytes == settings->default_run_bytes)
		return 0;
	snprintf(text, size, "%llu", (unsigned long long)settings->run_bytes);
	return 1;
}

static u32 round_robin_select(const void *config, void *state, const struct mb_read *read)
{
	const struct round_robin_config *settings = config;
	struct round_robin_state *memory = state;
	u32 set = settings->long_turns && settings->run_bytes >= LONG_RUN_BYTES ? 0 :
		  read->first_leg;
	u64 bytes = (u64)read->sectors << 9;
	u64 *left = &memory->set[set].left;
	u32 *turn = &memory->set[set].turn;

	if (!*left) {
		*turn += 1;
		*left = settings->run_bytes;
	}
	if (*turn >= read->nr_candidates)
		*turn = 0;
	*left = *left > bytes ? *left - bytes : 0;
	return *turn;
}

const struct mb_policy_ops mb_round_robin_ops = {
	.name = "round-robin",
	.config_size = sizeof(struct round_robin_config),
	.state_size = sizeof(struct round_robin_state),
	.configure = round_robin_configure,
	.set = round_robin_set,
	.print_args = round_robin_print_args,
	.select = round_robin_select,
};
