/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MB_STARTABLE_H
#define MB_STARTABLE_H

#include "view.h"

/*
 * May an array that does not run be started with the legs that were found, without
 * one that was in sync only if @degraded? 0, or -1 having said why not, and else
 * which legs it does without.
 */
int startable_check(const struct view *view, bool degraded);

#endif /* MB_STARTABLE_H */
