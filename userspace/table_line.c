// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <sys/sysmacros.h>

#include "alloc.h"
#include "shell.h"
#include "table_line.h"

const char *layout_word(char *word, const struct mb_shape *shape)
{
	snprintf(word, 8, "%c%u", mb_layout_letter(shape->kind), shape->copies);
	return word;
}

/*
 * Which legs are in sync is stored, but for one that says less than the others think.
 * Without metadata a leg that is not is left out.
 */
static bool is_named(const struct view *view, u32 leg)
{
	if (!view->legs[leg].device || view->lost & (1u << leg))
		return false;
	return view->table.metadata || view_leg_in_sync(view, leg);
}

static void append_leg(char **line, const struct view *view, u32 leg, bool lasting)
{
	const struct device *device = view->legs[leg].device;

	if (!is_named(view, leg))
		xappend(line, " ", "-");
	else if (lasting)
		xappend(line, " ", "%s", device_lasting_name(device));
	else
		xappend(line, " ", "%u:%u", major(device->number), minor(device->number));
	xappend(line, " ", "%llu", (unsigned long long)view->legs[leg].data_offset);
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

	if (table->metadata) {
		xappend(&features, " ", "metadata");
		words++;
	}
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

char *table_params(const struct view *view, bool lasting)
{
	const struct mb_shape *shape = &view->layout.shape;
	char word[8], *params;
	u32 leg;

	params = xprintf("%s %u %u", layout_word(word, shape), shape->chunk_sectors, shape->legs);
	for (leg = 0; leg < shape->legs; leg++)
		append_leg(&params, view, leg, lasting);
	append_policy(&params, &view->table);
	append_features(&params, &view->table, shape->legs);
	return params;
}

char *table_line(const struct view *view)
{
	char *params = table_params(view, true);
	char *line = xprintf("0 %llu %s %s", (unsigned long long)view->layout.length,
			     MB_TARGET_NAME, params);

	free(params);
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
