/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel module: is it there, and if not, why. */
#ifndef MB_MODULE_H
#define MB_MODULE_H

#include <stdbool.h>

/* Is the kernel's device-mapper there at all? Loads it if it can be loaded. */
bool module_device_mapper(void);

/* Have the target, loading the module if need be; 0, or -1 having said how to get it. */
int module_need_target(void);

/* Load dm-mirrorbal-<policy>; 0, or -1 having said why not. */
int module_load_policy(const char *policy);

#endif /* MB_MODULE_H */
