// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "alloc.h"
#include "json.h"
#include "text.h"

struct json_object *json_text(const char *value)
{
	char *clean = text_cleaned(value);
	struct json_object *text = json_object_new_string(clean);

	free(clean);
	return text;
}

void json_put_text(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, value && *value ? json_text(value) : NULL);
}

void json_put_number(struct json_object *object, const char *key, u64 value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

void json_put_bool(struct json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

void json_print(struct json_object *object)
{
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
					    JSON_C_TO_STRING_SPACED |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

void json_print_line(struct json_object *object)
{
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_NOSLASHESCAPE));
	fflush(stdout);
	json_object_put(object);
}

void json_put_device(struct json_object *object, const struct device *device)
{
	json_put_text(object, "device", device ? device->node : NULL);
	json_put_text(object, "link", device ? device->link : NULL);
	json_put_text(object, "model", device ? device->model : NULL);
	json_put_text(object, "serial", device ? device->serial : NULL);
	if (device)
		json_put_number(object, "size_bytes", device->bytes);
}

static struct json_object *json_counters(const u64 *counters)
{
	struct json_object *object = json_object_new_object();
	u32 i;

	for (i = 0; i < MB_NR_COUNTERS; i++)
		json_put_number(object, mb_counter_name(i), counters[i]);
	return object;
}

static struct json_object *json_leg(const struct view *view, u32 leg)
{
	const struct view_leg *of = &view->legs[leg];
	struct json_object *object = json_object_new_object();

	json_put_number(object, "leg", leg);
	json_put_device(object, of->device);
	if (!of->device) {
		json_put_text(object, "model", of->model);
		json_put_text(object, "serial", of->serial);
	}
	json_put_text(object, "state", view_leg_state(view, leg));
	json_put_bool(object, "write_mostly", of->mark == MB_MARK_WRITE_MOSTLY ||
		      of->mark == MB_MARK_BOTH);
	json_put_bool(object, "slow", of->mark == MB_MARK_SLOW || of->mark == MB_MARK_BOTH);
	json_put_number(object, "data_offset_bytes", of->data_offset << 9);
	if (of->counters)
		json_object_object_add(object, "counters", json_counters(of->counters));
	return object;
}

static void put_running(struct json_object *object, const struct view *view)
{
	char *path = xprintf("/dev/mapper/%s", view->name);

	json_put_text(object, "device", path);
	json_put_text(object, "policy", view->status.policy);
	json_put_text(object, "action", view->status.action);
	json_put_number(object, "in_sync_bytes", view->status.in_sync << 9);
	json_put_number(object, "mismatches", view->status.mismatches);
	json_put_number(object, "open_count", view->array->open_count);
	json_put_bool(object, "suspended", view->array->suspended);
	json_put_bool(object, "read_only", view->array->read_only);
	free(path);
}

struct json_object *json_view(const struct view *view)
{
	const struct mb_shape *shape = &view->layout.shape;
	struct json_object *object = json_object_new_object();
	struct json_object *legs = json_object_new_array();
	char layout[8];
	u32 leg;

	snprintf(layout, sizeof(layout), "%c%u", mb_layout_letter(shape->kind), shape->copies);
	json_put_text(object, "name", view->name);
	json_put_text(object, "uuid", view->uuid);
	json_put_bool(object, "started", view->array != NULL);
	json_put_bool(object, "creation_unfinished", view->creating != NULL);
	json_put_text(object, "health", view_health_word(view));
	json_put_text(object, "conflict", view->conflict);
	json_put_text(object, "refusal", view->refusal);
	json_put_text(object, "layout", layout);
	json_put_number(object, "chunk_bytes", (u64)shape->chunk_sectors << 9);
	json_put_number(object, "size_bytes", view->layout.length << 9);
	if (view->array)
		put_running(object, view);
	for (leg = 0; leg < shape->legs; leg++)
		json_object_array_add(legs, json_leg(view, leg));
	json_object_object_add(object, "legs", legs);
	return object;
}
