/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MB_STARTABLE_H
#define MB_STARTABLE_H

#include "view.h"

/* May an array that does not run be started with the legs that were found? 0, or -1 having said why not. */
int startable_check(const struct view *view);

/* Which legs it would do without, and why. */
void startable_warn(const struct view *view);

#endif /* MB_STARTABLE_H */
