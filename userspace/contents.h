/* SPDX-License-Identifier: GPL-2.0-only */
/* What lies on a device: filesystems, RAID members, partition tables, by libblkid. */
#ifndef MB_CONTENTS_H
#define MB_CONTENTS_H

#include "port.h"

/**
 * contents_find - look for signatures
 * @fd: the device, open for reading, not for direct I/O
 * @found: receives a new text such as "ext4 filesystem 'home', gpt partition
 *         table"; NULL if the device carries nothing that is known
 *
 * Return: 0, or -1 if the device cannot be probed.
 */
int contents_find(int fd, char **found);

/* The same for what begins at @at bytes: the data of an array that is no more, say. */
int contents_find_at(int fd, u64 at, char **found);

/**
 * contents_wipe - remove every signature at both ends
 * @fd: the device, open for writing and exclusive
 *
 * Makes the kernel forget partitions too.
 *
 * Return: 0, or -1 with errno set.
 */
int contents_wipe(int fd);

/* The same for what begins at @at bytes. */
int contents_wipe_at(int fd, u64 at);

#endif /* MB_CONTENTS_H */
