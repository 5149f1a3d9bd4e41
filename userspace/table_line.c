// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "alloc.h"
#include "shell.h"
#include "table_line.h"

const char *layout_word(char *word, const struct mb_shape *shape)
{
	snprintf(word, 8, "%c%u", mb_layout_letter(shape->kind), shape->copies);
	return word;
}

/* A leg that is not in sync is left out: the rest are known to be identical. */
static const char *leg_word(const struct view *view, u32 leg)
{
	if (!view_leg_in_sync(view, leg) || !view->legs[leg].device)
		return "-";
	return device_lasting_name(view->legs[leg].device);
}

static void append_policy(char **line, const struct mb_table *table)
{
	u32 i;

	xappend(line, " ", "%s %u", table->policy, table->policy_argc);
	for (i = 0; i < table->policy_argc; i++)
		xappend(line, " ", "%s", table->policy_argv[i]);
}

static void append_features(char **line, const struct mb_table *table, u32 legs)
{
	char *features = NULL;
	u32 words = 0, leg;

	if (table->nosync) {
		xappend(&features, " ", "nosync");
		words++;
	}
	if (table->resync_limit) {
		xappend(&features, " ", "resync_limit %u", table->resync_limit);
		words += 2;
	}
	for (leg = 0; leg < legs; leg++) {
		if (!(table->write_mostly & (1u << leg)))
			continue;
		xappend(&features, " ", "write_mostly %u", leg);
		words += 2;
	}
	if (words)
		xappend(line, " ", "%u %s", words, features);
	free(features);
}

char *table_line(const struct view *view)
{
	const struct mb_shape *shape = &view->layout.shape;
	/* An array that does not run has no policy yet but the default. */
	const struct mb_table fresh = { .policy = MB_DEFAULT_POLICY, .nosync = true };
	const struct mb_table *table = view->array ? &view->table : &fresh;
	char word[8];
	char *line;
	u32 leg;

	line = xprintf("0 %llu %s %s %u %u", (unsigned long long)view->layout.length,
		       MB_TARGET_NAME, layout_word(word, shape), shape->chunk_sectors, shape->legs);
	for (leg = 0; leg < shape->legs; leg++)
		xappend(&line, " ", "%s %llu", leg_word(view, leg),
			(unsigned long long)view->legs[leg].data_offset);
	append_policy(&line, table);
	append_features(&line, table, shape->legs);
	return line;
}

char *table_command(const struct view *view)
{
	char *line = table_line(view), *uuid, *command = xstrdup("dmsetup create");

	uuid = xprintf("%s%s", view->array ? "" : ARRAY_UUID_PREFIX,
		       view->array ? view->array->uuid : view->uuid);
	shell_append(&command, view->name);
	if (view->array ? *view->array->uuid : *view->uuid) {
		xappend(&command, " ", "--uuid");
		shell_append(&command, uuid);
	}
	if (view->array && view->array->read_only)
		xappend(&command, " ", "--readonly");
	xappend(&command, " ", "--table");
	shell_append(&command, line);
	free(uuid);
	free(line);
	return command;
}
