/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON of what the command reports. */
#ifndef MB_JSON_H
#define MB_JSON_H

#include <json-c/json.h>

#include "view.h"

/* A string, cleaned. */
struct json_object *json_text(const char *value);

/* Put a member; a NULL or empty text becomes null. */
void json_put_text(struct json_object *object, const char *key, const char *value);
void json_put_number(struct json_object *object, const char *key, u64 value);
void json_put_bool(struct json_object *object, const char *key, bool value);

/* Prints and frees. */
void json_print(struct json_object *object);

/* Prints on one line and frees, for samples that follow one another. */
void json_print_line(struct json_object *object);

/* Device, link, model, serial number, size. */
void json_put_device(struct json_object *object, const struct device *device);

/* All of an array but what to do next. */
struct json_object *json_view(const struct view *view);

#endif /* MB_JSON_H */
