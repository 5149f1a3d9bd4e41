// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <time.h>
#include <uuid.h>

#include "alloc.h"
#include "health.h"
#include "json.h"
#include "report.h"
#include "size.h"
#include "stamp_text.h"
#include "table_line.h"

char *stamp_winners(const struct mb_superblock *superblock)
{
	u32 legs = superblock->shape.legs, count = 0, leg;
	char *text = NULL;

	for (leg = 0; leg < legs; leg++) {
		if (superblock->legs[leg].state != MB_LEG_IN_SYNC)
			continue;
		xappend(&text, " ", "--copy-from leg%u", leg);
		count++;
	}
	if (count == legs) {
		free(text);
		text = xstrdup("--assume-clean");
	}
	return text;
}

char *stamp_claim(const struct mb_superblock *superblock)
{
	char *text = xprintf("is leg %u of array '%s'", superblock->leg, superblock->name);
	char *winners;

	if (!(superblock->incompat & MB_INCOMPAT_CREATING))
		return text;
	xappend(&text, ", ", "whose creation was not finished");
	winners = stamp_winners(superblock);
	if (winners)
		xappend(&text, " ", "(it was begun with %s, and so it must be when it is begun again)",
			winners);
	free(winners);
	return text;
}

static void time_text(char *text, size_t size, u64 seconds)
{
	time_t when = seconds;
	struct tm parts;

	if (!gmtime_r(&when, &parts) || !strftime(text, size, "%Y-%m-%d %H:%M:%S UTC", &parts))
		snprintf(text, size, "%llu s after 1970", (unsigned long long)seconds);
}

/* As this leg knows it; another one may know better. */
static const char *state_word(const struct mb_superblock *superblock, u32 leg)
{
	if (superblock->incompat & MB_INCOMPAT_CREATING)
		return "";
	switch (superblock->legs[leg].state) {
	case MB_LEG_IN_SYNC:
		return "in sync";
	case MB_LEG_NOT_IN_SYNC:
		return "not in sync";
	case MB_LEG_FAILED:
		return "failed";
	default:
		return "missing";
	}
}

static const char *use_word(const struct mb_state *state)
{
	return state->dirty ? "in use, or not stopped in order" : "stopped, all legs in sync hold the same";
}

static void print_state(const struct mb_superblock *superblock)
{
	const struct mb_state *state = &superblock->state;
	char updated[32], history[40];

	time_text(updated, sizeof(updated), state->updated);
	uuid_unparse_lower(state->history.uuid, history);
	printf("  state         %s\n"
	       "  updated       %s\n"
	       "  history       %s\n"
	       "  policy        %s%s%s\n", use_word(state), updated, history, state->policy,
	       *state->policy_args ? " " : "", state->policy_args);
	if (state->resync_limit)
		printf("  resync-limit  %u KiB/s\n", state->resync_limit);
}

static void print_legs(const struct mb_superblock *superblock)
{
	static const char *const columns[] = { ">LEG", "UUID", "MODEL", "SERIAL", NULL };
	struct report *report = report_new(4, columns);
	char uuid[40];
	u32 leg;

	for (leg = 0; leg < superblock->shape.legs; leg++) {
		uuid_unparse_lower(superblock->legs[leg].uuid, uuid);
		report_cell(report, "%u", leg);
		report_cell(report, "%s", state_word(superblock, leg));
		report_cell(report, "%s", uuid);
		report_cell(report, "%s", superblock->legs[leg].model);
		report_cell(report, "%s", superblock->legs[leg].serial);
	}
	report_print(report, stdout);
}

void stamp_print(const struct mb_superblock *superblock)
{
	char uuid[40], leg_uuid[40], created[32], word[8], size[4][SIZE_TEXT_LEN];

	uuid_unparse_lower(superblock->array_uuid, uuid);
	uuid_unparse_lower(superblock->legs[superblock->leg].uuid, leg_uuid);
	time_text(created, sizeof(created), superblock->created);
	printf("  array         %s, UUID %s\n"
	       "  leg           %u of %u, UUID %s\n"
	       "  layout        %s, chunk %s, %s\n"
	       "  data          %s at %s\n"
	       "  blocks        %u bytes\n"
	       "  created       %s%s\n"
	       "  generation    %llu\n"
	       "  features      compatible 0x%x, incompatible 0x%x\n",
	       superblock->name, uuid, superblock->leg, superblock->shape.legs, leg_uuid,
	       layout_word(word, &superblock->shape),
	       size_text(size[0], (u64)superblock->shape.chunk_sectors << 9),
	       size_text(size[1], superblock->length << 9),
	       size_text(size[2], superblock->leg_sectors << 9),
	       size_text(size[3], superblock->data_offset << 9), superblock->logical_block_bytes,
	       created, superblock->incompat & MB_INCOMPAT_CREATING ?
	       "; the creation was not finished" : "",
	       (unsigned long long)superblock->generation, superblock->compat,
	       superblock->incompat);
	if (superblock->incompat & MB_INCOMPAT_CREATING) {
		char *winners = stamp_winners(superblock);

		printf("  begun with    %s\n", winners ? winners : "the first copies winning");
		free(winners);
	} else {
		print_state(superblock);
	}
	printf("  the array's legs, as last seen:\n");
	print_legs(superblock);
}

static struct json_object *legs_json(const struct mb_superblock *superblock)
{
	struct json_object *legs = json_object_new_array();
	char uuid[40];
	u32 leg;

	for (leg = 0; leg < superblock->shape.legs; leg++) {
		struct json_object *object = json_object_new_object();

		uuid_unparse_lower(superblock->legs[leg].uuid, uuid);
		json_put_number(object, "leg", leg);
		json_put_text(object, "uuid", uuid);
		json_put_text(object, "state", state_word(superblock, leg));
		json_put_text(object, "model", superblock->legs[leg].model);
		json_put_text(object, "serial", superblock->legs[leg].serial);
		json_object_array_add(legs, object);
	}
	return legs;
}

static void put_state(struct json_object *object, const struct mb_state *state)
{
	char uuid[40];

	uuid_unparse_lower(state->history.uuid, uuid);
	json_put_text(object, "history", uuid);
	json_put_bool(object, "dirty", state->dirty);
	json_put_number(object, "updated", state->updated);
	json_put_text(object, "policy", state->policy);
	json_put_text(object, "policy_arguments", state->policy_args);
	json_put_number(object, "resync_limit_kib", state->resync_limit);
}

struct json_object *stamp_json(const struct mb_superblock *superblock)
{
	struct json_object *object = json_object_new_object();
	char uuid[40], word[8];

	json_put_text(object, "array", superblock->name);
	uuid_unparse_lower(superblock->array_uuid, uuid);
	json_put_text(object, "array_uuid", uuid);
	json_put_number(object, "leg", superblock->leg);
	uuid_unparse_lower(superblock->legs[superblock->leg].uuid, uuid);
	json_put_text(object, "leg_uuid", uuid);
	json_put_text(object, "layout", layout_word(word, &superblock->shape));
	json_put_number(object, "chunk_bytes", (u64)superblock->shape.chunk_sectors << 9);
	json_put_number(object, "array_bytes", superblock->length << 9);
	json_put_number(object, "data_offset_bytes", superblock->data_offset << 9);
	json_put_number(object, "data_bytes", superblock->leg_sectors << 9);
	json_put_number(object, "logical_block_bytes", superblock->logical_block_bytes);
	json_put_number(object, "created", superblock->created);
	json_put_bool(object, "creation_unfinished", superblock->incompat & MB_INCOMPAT_CREATING);
	if (superblock->incompat & MB_INCOMPAT_CREATING) {
		char *winners = stamp_winners(superblock);

		json_put_text(object, "creation_options", winners);
		free(winners);
	} else {
		put_state(object, &superblock->state);
	}
	json_put_number(object, "generation", superblock->generation);
	json_put_number(object, "compatible_features", superblock->compat);
	json_put_number(object, "incompatible_features", superblock->incompat);
	json_object_object_add(object, "legs", legs_json(superblock));
	return object;
}
