/* SPDX-License-Identifier: GPL-2.0-only */
/* Small text files below /sys and /proc. */
#ifndef MB_SYSFS_H
#define MB_SYSFS_H

#include <sys/types.h>

#include "port.h"

/* First line of a file, without blanks around it; NULL if there is none. */
char *file_line(const char *path);

/* "/sys/dev/block/<major>:<minor>/<rest>" */
char *block_path(dev_t number, const char *rest);

/* First line of an attribute of a block device; NULL if there is none. */
char *block_attribute(dev_t number, const char *attribute);

/* The same as a number; @otherwise if there is none. */
u64 block_number(dev_t number, const char *attribute, u64 otherwise);

/* A device's number as the kernel writes it, "8:16"; false if it is none. */
bool parse_device_number(const char *text, dev_t *number);

/* The number of the block device that is called @name in a folder of /sys; false if it is none. */
bool block_in_folder(const char *folder, const char *name, dev_t *number);

/**
 * block_any_related - does a device that it is stacked with answer to this?
 * @number: the device
 * @relation: "holders" for those above it, "slaves" for those below, all the way
 * @answers: asked of each; not of the device itself
 * @context: handed through
 */
bool block_any_related(dev_t number, const char *relation,
		       bool (*answers)(dev_t number, const void *context), const void *context);

#endif /* MB_SYSFS_H */
