/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which policies exist, and policies at work on an array.
 *
 * A struct mb_policy is immutable but for its states. It is published through
 * mb_array.policy and read with preemption off; a replaced one is freed after
 * a grace period.
 */
#ifndef MB_POLICY_REGISTRY_H
#define MB_POLICY_REGISTRY_H

#include "array.h"
#include "mirrorbal_policy.h"

struct mb_policy {
	/* What the read path needs of ops, without the detour. */
	u32 (*select)(const void *config, void *state, const struct mb_read *read);
	bool wants_in_flight;
	bool wants_latency;
	u32 window;			/* see struct mb_policy_ops; 0 if nothing rotates */

	const struct mb_policy_ops *ops;
	struct module *owner;		/* referenced */
	void *config;
	void __percpu *cpu_states;	/* non-rotational arrays */
	void *shared_state;		/* rotational arrays, under choice_lock */
};

/**
 * mb_policy_create - find a policy by name and set it up for an array
 * @array: the array, its layout and legs known
 * @name: of the policy
 * @argc: number of arguments
 * @argv: the arguments
 * @may_load: may load the module dm-mirrorbal-<name>; true in constructors
 *	only, since loading waits for user space, which may wait for the array
 * @error: receives what is wrong
 *
 * Context: process, may sleep; allocates without I/O if the caller said so by
 * memalloc_noio_save().
 * Return: the policy, or an ERR_PTR with @error set.
 */
struct mb_policy *mb_policy_create(struct mb_array *array, const char *name, u32 argc, char **argv,
				   bool may_load, struct mb_error *error);

/**
 * mb_policy_create_changed - a copy of an array's policy with one setting changed
 * @array: the array
 * @key: name of the setting
 * @value: as typed
 * @error: receives what is wrong
 *
 * Context: process, may sleep, config_mutex held.
 * Return: the policy, or an ERR_PTR with @error set.
 */
struct mb_policy *mb_policy_create_changed(struct mb_array *array, const char *key,
					   const char *value, struct mb_error *error);

/**
 * mb_policy_destroy - free a policy that no read can see
 * @policy: may be NULL
 *
 * Context: process, may sleep.
 */
void mb_policy_destroy(struct mb_policy *policy);

/**
 * mb_policy_switch - let reads use another policy from now on
 * @array: the array
 * @policy: the new one; the array owns it then
 *
 * Reads in flight are not touched, none waits.
 *
 * Context: process, waits for a grace period, config_mutex held.
 */
void mb_policy_switch(struct mb_array *array, struct mb_policy *policy);

/**
 * mb_policy_args - the arguments that would set up such a policy
 * @policy: the policy
 * @text: receives them, separated by blanks
 * @size: of @text
 *
 * Context: process.
 * Return: their number.
 */
u32 mb_policy_args(const struct mb_policy *policy, char *text, size_t size);

/* Register and unregister the policies that come with the module. */
int mb_policy_registry_init(void);
void mb_policy_registry_exit(void);

#endif /* MB_POLICY_REGISTRY_H */
