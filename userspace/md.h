/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own raid10, to be compared with. */
#ifndef MB_MD_H
#define MB_MD_H

#include "create.h"

/* Are mdadm and the kernel's raid10 there? 0, or -1 having said how to get them. */
int md_need(void);

/**
 * md_create - make an md raid10 of the same legs, shape and place of the data
 * @creation: checked; its legs must not be claimed
 *
 * As mdadm makes it, but for a bitmap and a resync.
 *
 * Return: the path of its device, a new text; NULL having said why not.
 */
char *md_create(const struct creation *creation);

/* The md device that holds a leg, a new text; NULL if none does. udev may start one again that was stopped. */
char *md_holding(const struct device *leg);

/* Stop it; its legs stay members until they are wiped. 0, or -1 having said why. */
int md_stop(const char *path);

#endif /* MB_MD_H */
