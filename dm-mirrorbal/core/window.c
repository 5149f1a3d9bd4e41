// SPDX-License-Identifier: GPL-2.0-only
#include "number.h"
#include "policy.h"
#include "window.h"

#define MAX_WINDOW_SECTORS (1u << 31)

static int parse(const char *policy, struct mb_window *window, const char *word, struct mb_error *error)
{
	u64 number;

	if (!mb_number_parse(word, MAX_WINDOW_SECTORS, &number))
		return mb_error_set(error,
				    "%s: window of '%s' sectors; allowed are 0 (never hand over) to %u",
				    policy, word, MAX_WINDOW_SECTORS);
	window->sectors = number;
	return 0;
}

/*
 * The largest power of two with which the default read-ahead has one for each
 * side. Where sides share their legs, one side alone has all of them already, and
 * heads would have to leave what they read in sequence.
 */
static u32 default_window(const struct mb_layout *layout)
{
	u32 window = MB_READ_AHEAD_SECTORS;

	if (!layout->sides_apart)
		return 0;
	while (window * layout->shape.copies > MB_READ_AHEAD_SECTORS)
		window /= 2;
	return window;
}

int mb_window_configure(const char *policy, struct mb_window *window,
			const struct mb_layout *layout, u32 argc, char **argv,
			struct mb_error *error)
{
	if (argc > 1)
		return mb_error_set(error,
				    "%s takes at most 1 argument (window in sectors), not %u",
				    policy, argc);
	window->default_sectors = default_window(layout);
	window->sectors = window->default_sectors;
	return argc ? parse(policy, window, argv[0], error) : 0;
}

int mb_window_set(const char *policy, struct mb_window *window, const char *key, const char *value,
		  struct mb_error *error)
{
	if (strcmp(key, "window"))
		return mb_error_set(error, "policy_set: %s has no setting '%s', only window", policy,
				    key);
	return parse(policy, window, value, error);
}

u32 mb_window_print(const struct mb_window *window, char *text, size_t size)
{
	text[0] = '\0';
	if (window->sectors == window->default_sectors)
		return 0;
	snprintf(text, size, "%u", window->sectors);
	return 1;
}
