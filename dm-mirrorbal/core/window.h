/* SPDX-License-Identifier: GPL-2.0-only */
/* The one setting of policies that know streams: after how much one is handed over. */
#ifndef MB_WINDOW_H
#define MB_WINDOW_H

#include "layout.h"

struct mb_window {
	u32 sectors;		/* 0: never hand over */
	u32 default_sectors;
};

/**
 * mb_window_configure - the window from a policy's arguments
 * @policy: its name, for errors
 * @window: is filled
 * @layout: of the array: the more copies, the smaller the default; 0 where sides
 *	share their legs
 * @argc: number of arguments; none stands for the default
 * @argv: the arguments
 * @error: receives what is wrong
 *
 * Context: process.
 * Return: 0, or -1 with @error set.
 */
int mb_window_configure(const char *policy, struct mb_window *window,
			const struct mb_layout *layout, u32 argc, char **argv,
			struct mb_error *error);

/* The same for one setting by name, as struct mb_policy_ops has it. */
int mb_window_set(const char *policy, struct mb_window *window, const char *key, const char *value,
		  struct mb_error *error);

/* The arguments that give this window: as print_args of struct mb_policy_ops. */
u32 mb_window_print(const struct mb_window *window, char *text, size_t size);

#endif /* MB_WINDOW_H */
