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

/**
 * mb_table_check_sync - can an array start with legs in this state?
 * @table: a parsed table
 * @error: receives what is wrong
 *
 * Apart from mb_table_parse() because a wrong policy argument is the commoner
 * reason for a `nosync` that was not seen, and is to be told first.
 *
 * Context: any.
 * Return: 0, or -1 with @error set.
 */
int mb_table_check_sync(const struct mb_table *table, struct mb_error *error);

#endif /* MB_TABLE_H */
