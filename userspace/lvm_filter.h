/* SPDX-License-Identifier: GPL-2.0-only */
/* Would LVM see the array? */
#ifndef MB_LVM_FILTER_H
#define MB_LVM_FILTER_H

#include <stdbool.h>

/**
 * lvm_filter_hides - does LVM's configuration hide a device-mapper device?
 * @name: of the device
 *
 * Asks lvmconfig; without LVM nothing is hidden.
 */
bool lvm_filter_hides(const char *name);

#endif /* MB_LVM_FILTER_H */
