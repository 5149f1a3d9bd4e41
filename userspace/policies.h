/* SPDX-License-Identifier: GPL-2.0-only */
/* Read policies as a person names them, checked before the kernel sees them. */
#ifndef MB_POLICIES_H
#define MB_POLICIES_H

#include "policy.h"

/**
 * policies_check - can this policy be used with these arguments?
 * @layout: of the array
 * @name: of the policy
 * @argc: number of arguments
 * @argv: the arguments
 *
 * What a policy that is not built in thinks of its arguments only the kernel
 * can tell; its module is loaded here, since a message cannot do that.
 *
 * Return: 0, or -1 having said why not.
 */
int policies_check(const struct mb_layout *layout, const char *name, u32 argc, char **argv);

/* "nearest-head, round-robin, ..." */
char *policies_builtin(void);

#endif /* MB_POLICIES_H */
