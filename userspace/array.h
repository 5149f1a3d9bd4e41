/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays as device-mapper has them. */
#ifndef MB_ARRAY_H
#define MB_ARRAY_H

#include <sys/types.h>

#include "port.h"

#define ARRAY_UUID_PREFIX "MIRRORBAL-"

struct array {
	char *name;
	char *uuid;		/* device-mapper's: "MIRRORBAL-..."; may be "" */
	dev_t number;
	int open_count;
	bool suspended;
	bool read_only;
	u64 length;		/* sectors */
	char *table;		/* what follows "<start> <length> mirrorbal " */
	char *status;		/* likewise */
	dev_t *depends;		/* devices that it holds */
	size_t nr_depends;
};

/* Starts using libdevmapper: its messages are kept for errors. */
void array_library_init(void);

/*
 * Names of all running arrays, NULL at the end; an empty list without
 * device-mapper. Where device-mapper does not give its list, nothing that could
 * be said of arrays would be sure: that ends the command.
 */
char **array_names(void);

/* Is there a device-mapper device of that name, of whatever kind? */
bool array_name_taken(const char *name);

/**
 * array_get - everything that device-mapper knows of an array
 * @name: its name
 *
 * Return: the array; NULL if no device of that name is a running mirrorbal array.
 */
struct array *array_get(const char *name);

void array_free(struct array *array);

/**
 * array_create - create and start
 * @name: of the device
 * @uuid: device-mapper's
 * @length: sectors
 * @params: the target's arguments
 * @trouble: receives a new text on failure
 *
 * Waits until udev is done with it.
 *
 * Return: 0, or -1; then no device is left.
 */
int array_create(const char *name, const char *uuid, u64 length, const char *params,
		 char **trouble);

/* Stop; 0, or -1 and a new text. */
int array_remove(const char *name, char **trouble);

/* Send a message; 0, or -1 and a new text. */
int array_message(const char *name, const char *message, char **trouble);

#endif /* MB_ARRAY_H */
