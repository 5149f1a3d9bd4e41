/* SPDX-License-Identifier: GPL-2.0-only */
/* What a block device is: its names, size, kind, model and serial number. */
#ifndef MB_DEVICE_H
#define MB_DEVICE_H

#include <sys/types.h>

#include "port.h"

struct device {
	dev_t number;
	dev_t disk;		/* the whole disk, for a partition */
	char *node;		/* "/dev/sda" */
	char *link;		/* the name that survives a reboot; NULL if there is none */
	char *model;		/* "" if unknown */
	char *serial;		/* "" if unknown */
	u64 bytes;
	u32 logical_block;	/* bytes */
	u32 physical_block;	/* bytes */
	bool rotational;
	bool zoned;
	bool read_only;
};

/* The device of a number; NULL if there is none. */
struct device *device_by_number(dev_t number);

/* The device behind a path; NULL, having said why, if it is no block device. */
struct device *device_by_path(const char *path);

void device_free(struct device *device);

/* Are these paths of one device? Two equal words are the same, whatever they name. */
bool device_same(const char *a, const char *b);

/* The most lasting name there is. */
const char *device_lasting_name(const struct device *device);

/* The same, but never one that goes when the stamp does. */
const char *device_own_name(const struct device *device);

/**
 * device_each - visit every block device
 * @visit: called with each device's number and what udev knows it to be, its
 *         ID_FS_TYPE or ID_PART_TABLE_TYPE; NULL if nothing
 * @context: handed through
 */
void device_each(void (*visit)(dev_t number, const char *known_as, void *context), void *context);

/* "/dev/sda (ata-X_1), WDC X, serial 1, 3.6 TiB" */
char *device_describe(const struct device *device);

#endif /* MB_DEVICE_H */
