/* SPDX-License-Identifier: GPL-2.0-only */
/* Who uses a block device. */
#ifndef MB_USERS_H
#define MB_USERS_H

#include <sys/types.h>

/**
 * users_of - who uses a device or one of its partitions
 * @number: of the device
 *
 * Return: a new text such as "mounted on /srv, held by device-mapper device
 * 'vm'"; NULL if nobody was found.
 */
char *users_of(dev_t number);

/*
 * Processes that have a device or one of its partitions open, udev's aside; a
 * new text, NULL for none. These may write without claiming it: a virtual
 * machine does.
 */
char *openers_of(dev_t number);

#endif /* MB_USERS_H */
