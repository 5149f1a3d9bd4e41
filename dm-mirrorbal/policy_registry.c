// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kmod.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "number.h"
#include "policy_registry.h"
#include "read_ahead.h"

struct registered {
	struct list_head entry;
	const struct mb_policy_ops *ops;
	struct module *owner;
};

/* Both under registry_mutex. */
static LIST_HEAD(registry);
static DEFINE_MUTEX(registry_mutex);

static struct registered *find(const char *name)
{
	struct registered *policy;

	lockdep_assert_held(&registry_mutex);
	list_for_each_entry(policy, &registry, entry)
		if (!strcmp(policy->ops->name, name))
			return policy;
	return NULL;
}

static bool valid(const struct mb_policy_ops *ops)
{
	if (!ops->name || !ops->name[0] || strlen(ops->name) >= MB_POLICY_NAME_LEN)
		return false;
	if (strpbrk(ops->name, " \t\n"))
		return false;
	return ops->select && !ops->configure == !ops->print_args;
}

int mb_register_policy(const struct mb_policy_ops *ops, struct module *owner)
{
	struct registered *policy;
	int r = -EEXIST;

	if (!valid(ops))
		return -EINVAL;
	policy = kmalloc(sizeof(*policy), GFP_KERNEL);
	if (!policy)
		return -ENOMEM;
	policy->ops = ops;
	policy->owner = owner;

	mutex_lock(&registry_mutex);
	if (!find(ops->name)) {
		list_add_tail(&policy->entry, &registry);
		policy = NULL;
		r = 0;
	}
	mutex_unlock(&registry_mutex);
	kfree(policy);
	return r;
}
EXPORT_SYMBOL_GPL(mb_register_policy);

void mb_unregister_policy(const struct mb_policy_ops *ops)
{
	struct registered *policy;

	mutex_lock(&registry_mutex);
	policy = find(ops->name);
	if (policy && policy->ops == ops)
		list_del(&policy->entry);
	else
		policy = NULL;
	mutex_unlock(&registry_mutex);
	kfree(policy);
}
EXPORT_SYMBOL_GPL(mb_unregister_policy);

/* What a policy's module needs to read its arguments as the built-in ones do. */
EXPORT_SYMBOL_GPL(mb_error_set);
EXPORT_SYMBOL_GPL(mb_number_parse);

/* The policy of that name with its module referenced, or NULL. */
static const struct mb_policy_ops *get_ops(const char *name, struct module **owner)
{
	const struct mb_policy_ops *ops = NULL;
	struct registered *policy;

	mutex_lock(&registry_mutex);
	policy = find(name);
	if (policy && try_module_get(policy->owner)) {
		ops = policy->ops;
		*owner = policy->owner;
	}
	mutex_unlock(&registry_mutex);
	return ops;
}

static void list_names(char *text, size_t size)
{
	struct registered *policy;
	size_t used = 0;

	text[0] = '\0';
	mutex_lock(&registry_mutex);
	list_for_each_entry(policy, &registry, entry)
		used += scnprintf(text + used, size - used, "%s%s", used ? ", " : "",
				  policy->ops->name);
	mutex_unlock(&registry_mutex);
}

static const struct mb_policy_ops *find_ops(const char *name, bool may_load, struct module **owner,
					    struct mb_error *error)
{
	const struct mb_policy_ops *ops = get_ops(name, owner);
	char names[128];

	if (ops)
		return ops;
	if (may_load && !request_module("dm-mirrorbal-%s", name)) {
		ops = get_ops(name, owner);
		if (ops)
			return ops;
	}
	list_names(names, sizeof(names));
	mb_error_set(error, "policy '%.31s' is not known; there are %s, and modules dm-mirrorbal-<policy>%s",
		     name, names, may_load ? "" : " that are loaded");
	return NULL;
}

void mb_policy_destroy(struct mb_policy *policy)
{
	if (!policy)
		return;
	free_percpu(policy->cpu_states);
	kfree(policy->shared_state);
	kfree(policy->config);
	module_put(policy->owner);
	kfree(policy);
}

/* A policy with zeroed settings; takes over the reference to @owner. */
static struct mb_policy *alloc_policy(const struct mb_policy_ops *ops, struct module *owner)
{
	struct mb_policy *policy = kzalloc(sizeof(*policy), GFP_KERNEL);

	if (!policy) {
		module_put(owner);
		return NULL;
	}
	policy->select = ops->select;
	policy->wants_in_flight = ops->wants & MB_POLICY_WANTS_IN_FLIGHT;
	policy->wants_latency = ops->wants & MB_POLICY_WANTS_LATENCY;
	policy->ops = ops;
	policy->owner = owner;
	policy->config = kzalloc(max_t(size_t, ops->config_size, 1), GFP_KERNEL);
	if (!policy->config) {
		mb_policy_destroy(policy);
		return NULL;
	}
	return policy;
}

/* Its settings are final: what depends on them. */
static int set_up(struct mb_array *array, struct mb_policy *policy)
{
	struct mb_policy_array about = { .layout = &array->layout };
	const struct mb_policy_ops *ops = policy->ops;
	size_t size = max_t(size_t, ops->state_size, 1);
	u32 leg;
	int cpu;

	for (leg = 0; leg < array->layout.shape.legs; leg++)
		about.rotational_legs |= (u32)array->legs[leg].rotational << leg;
	if (array->rotational) {
		policy->window = mb_policy_window(ops, policy->config);
		policy->shared_state = kzalloc(size, GFP_KERNEL);
		if (!policy->shared_state)
			return -ENOMEM;
		if (ops->init_state)
			ops->init_state(policy->config, &about, policy->shared_state);
		return 0;
	}

	policy->cpu_states = __alloc_percpu(size, __alignof__(u64));
	if (!policy->cpu_states)
		return -ENOMEM;
	if (!ops->init_state)
		return 0;
	for_each_possible_cpu(cpu)
		ops->init_state(policy->config, &about,
				per_cpu_ptr(policy->cpu_states, cpu));
	return 0;
}

static struct mb_policy *no_memory(const char *name, struct mb_error *error)
{
	mb_error_set(error, "no memory for policy %s", name);
	return ERR_PTR(-ENOMEM);
}

struct mb_policy *mb_policy_create(struct mb_array *array, const char *name, u32 argc, char **argv,
				   bool may_load, struct mb_error *error)
{
	const struct mb_policy_ops *ops;
	struct mb_policy *policy;
	struct module *owner;

	ops = find_ops(name, may_load, &owner, error);
	if (!ops)
		return ERR_PTR(-EINVAL);
	policy = alloc_policy(ops, owner);
	if (!policy)
		return no_memory(name, error);
	if (mb_policy_configure(ops, policy->config, &array->layout, argc, argv, error)) {
		mb_policy_destroy(policy);
		return ERR_PTR(-EINVAL);
	}
	if (set_up(array, policy)) {
		mb_policy_destroy(policy);
		return no_memory(name, error);
	}
	return policy;
}

static struct mb_policy *current_policy(struct mb_array *array)
{
	return rcu_dereference_protected(array->policy, lockdep_is_held(&array->config_mutex));
}

struct mb_policy *mb_policy_create_changed(struct mb_array *array, const char *key,
					   const char *value, struct mb_error *error)
{
	struct mb_policy *now = current_policy(array);
	struct mb_policy *policy;

	__module_get(now->owner);
	policy = alloc_policy(now->ops, now->owner);
	if (!policy)
		return no_memory(now->ops->name, error);
	memcpy(policy->config, now->config, now->ops->config_size);
	if (mb_policy_set(policy->ops, policy->config, key, value, error)) {
		mb_policy_destroy(policy);
		return ERR_PTR(-EINVAL);
	}
	if (set_up(array, policy)) {
		mb_policy_destroy(policy);
		return no_memory(now->ops->name, error);
	}
	return policy;
}

u32 mb_policy_args(const struct mb_policy *policy, char *text, size_t size)
{
	text[0] = '\0';
	return policy->ops->print_args ? policy->ops->print_args(policy->config, text, size) : 0;
}

void mb_policy_switch(struct mb_array *array, struct mb_policy *policy)
{
	struct mb_policy *old = current_policy(array);

	rcu_assign_pointer(array->policy, policy);
	synchronize_rcu();
	mb_policy_destroy(old);
	mb_read_ahead_give(array);
}

int mb_policy_registry_init(void)
{
	const struct mb_policy_ops *const *builtins;
	u32 nr, i;
	int r;

	builtins = mb_policy_builtins(&nr);
	for (i = 0; i < nr; i++) {
		r = mb_register_policy(builtins[i], THIS_MODULE);
		if (r) {
			mb_policy_registry_exit();
			return r;
		}
	}
	return 0;
}

void mb_policy_registry_exit(void)
{
	const struct mb_policy_ops *const *builtins;
	u32 nr, i;

	builtins = mb_policy_builtins(&nr);
	for (i = 0; i < nr; i++)
		mb_unregister_policy(builtins[i]);
}
