/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The grammar of a table line's arguments:
 *
 *   <layout> <chunk_sectors> <#legs> {<device>|- <data_offset>}...
 *   [<policy> <#policy_args> <policy_arg>... [<#features> <feature word>...]]
 *
 * Everything that can be judged without opening a device is judged here.
 */
#ifndef MB_TABLE_H
#define MB_TABLE_H

#include "error.h"
#include "layout.h"
#include "port.h"

#define MB_TARGET_NAME "mirrorbal"
#define MB_MAX_POLICY_ARGS 16
#define MB_MAX_RESYNC_LIMIT (1u << 30)	/* KiB a second */

struct mb_table_leg {
	const char *device;	/* NULL: missing */
	u64 data_offset;	/* sectors */
};

struct mb_table {
	struct mb_layout layout;
	struct mb_table_leg legs[MB_MAX_LEGS];
	const char *policy;
	u32 policy_argc;
	char **policy_argv;
	u32 write_mostly;	/* bit mask of legs */
	bool nosync;
	bool metadata;
	u32 resync_limit;	/* KiB a second; 0: none */
};

/**
 * mb_table_parse - read a table line's arguments
 * @table: receives the result; its strings point into @argv
 * @length: sectors of the target
 * @argc: number of words
 * @argv: the words
 * @error: receives what is wrong
 *
 * Context: any.
 * Return: 0, or -1 with @error set.
 */
int mb_table_parse(struct mb_table *table, u64 length, u32 argc, char **argv,
		   struct mb_error *error);

#endif /* MB_TABLE_H */
