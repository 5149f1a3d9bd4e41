/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For modules that bring a read policy of their own. The module is to be named
 * dm-mirrorbal-<policy>, so that a table that names the policy loads it.
 */
#ifndef MIRRORBAL_POLICY_H
#define MIRRORBAL_POLICY_H

#include "core/policy.h"

struct module;

/**
 * mb_register_policy - offer a policy to tables and messages
 * @ops: the policy; must stay valid until it is unregistered
 * @owner: the module that holds it, THIS_MODULE
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL if @ops lacks something mandatory or its name is not one
 * word of less than MB_POLICY_NAME_LEN characters, -EEXIST if the name is
 * taken, -ENOMEM.
 */
int mb_register_policy(const struct mb_policy_ops *ops, struct module *owner);

/**
 * mb_unregister_policy - take a policy back
 * @ops: as registered
 *
 * Arrays that use the policy hold a reference to its module, so a module that
 * is being unloaded has no user.
 *
 * Context: process, may sleep.
 */
void mb_unregister_policy(const struct mb_policy_ops *ops);

#endif /* MIRRORBAL_POLICY_H */
