// SPDX-License-Identifier: GPL-2.0-only
#include <linux/backing-dev.h>
#include <linux/mm.h>

#include "policy_registry.h"
#include "read_ahead.h"

/* Whatever window is asked for. */
#define MOST_SECTORS (64u << 11)
/* Of the machine's memory one reader may fill a 64th ahead. */
#define MEMORY_SHIFT 6

static unsigned long wanted_pages(struct mb_array *array)
{
	const struct mb_policy *policy = rcu_dereference_protected(array->policy,
							lockdep_is_held(&array->config_mutex));
	u64 sectors = mb_policy_read_ahead(policy->ops, policy->window, &array->layout);

	sectors = min_t(u64, sectors, MOST_SECTORS);
	return min_t(u64, sectors >> PAGE_SECTORS_SHIFT, totalram_pages() >> MEMORY_SHIFT);
}

void mb_read_ahead_give(struct mb_array *array)
{
	struct backing_dev_info *info = dm_disk(dm_table_get_md(array->ti->table))->bdi;
	unsigned long pages = wanted_pages(array);

	if (pages <= array->read_ahead_pages)
		return;
	array->read_ahead_pages = pages;
	if (info->ra_pages < pages)
		info->ra_pages = pages;
}
