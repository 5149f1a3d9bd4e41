/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that say what an array is to be: the same words wherever one is described. */
#ifndef MB_SHAPE_OPTIONS_H
#define MB_SHAPE_OPTIONS_H

#include "table.h"
#include "verb.h"

/* "n2", "f3"; all return 0, or EXIT_USAGE after saying what is wrong. */
int shape_option_layout(const struct verb *verb, const char *word, struct mb_shape *shape);

/* "512K" */
int shape_option_chunk(const struct verb *verb, const char *word, struct mb_shape *shape);

/* "round-robin,65536"; @argv has room for MB_MAX_POLICY_ARGS. The words live as long as the command. */
int shape_option_policy(const struct verb *verb, const char *word, const char **policy, u32 *argc,
			char **argv);

/* The same, put together again: a new text. */
char *shape_policy_text(const char *policy, u32 argc, char *const *argv);

#endif /* MB_SHAPE_OPTIONS_H */
