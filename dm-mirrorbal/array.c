// SPDX-License-Identifier: GPL-2.0-only
#include <linux/log2.h>
#include <linux/slab.h>

#include "args.h"
#include "array.h"
#include "choice.h"
#include "compat.h"
#include "exclusion.h"
#include "leg.h"
#include "leg_register.h"
#include "metadata.h"
#include "policy_registry.h"
#include "recovery.h"
#include "repair.h"
#include "write.h"

/* Clones of retried reads and pieces of ranges that are sure to find memory. */
#define MIN_BIOS 16

/* Discards at work at a time; each keeps all legs busy. */
#define MAX_RANGES 8

static void send_event(struct work_struct *work)
{
	struct mb_array *array = container_of(work, struct mb_array, event_work);

	dm_table_event(array->ti->table);
}

void mb_array_learn_name(struct mb_array *array)
{
	struct mapped_device *md = dm_table_get_md(array->ti->table);
	char name[DM_NAME_LEN] = "";

	if (dm_copy_name_and_uuid(md, name, NULL))
		name[0] = '\0';
	scnprintf(array->name, sizeof(array->name), "%s%s(%s)", name, name[0] ? " " : "",
		  dm_table_device_name(array->ti->table));
}

static struct mb_array *alloc_array(struct dm_target *ti, const struct mb_layout *layout)
{
	struct mb_array *array;

	array = kzalloc(struct_size(array, legs, layout->shape.legs), GFP_KERNEL);
	if (!array)
		return NULL;
	array->ti = ti;
	array->layout = *layout;
	array->writable = mb_table_writable(ti);
	mb_array_learn_name(array);
	raw_spin_lock_init(&array->choice_lock);
	spin_lock_init(&array->state_lock);
	spin_lock_init(&array->held_lock);
	mutex_init(&array->config_mutex);
	array->all_legs = GENMASK(layout->shape.legs - 1, 0);
	mb_exclusions_init(array);
	bio_list_init(&array->held);
	INIT_LIST_HEAD(&array->register_entry);
	INIT_WORK(&array->held_work, mb_write_held);
	INIT_WORK(&array->event_work, send_event);
	return array;
}

/* What never changes of what policies are shown. */
static void prepare_views(struct mb_array *array)
{
	u32 leg;
	int nr;

	for (leg = 0; leg < array->layout.shape.legs; leg++)
		array->views[leg].rotational = array->legs[leg].rotational;
	for_each_possible_cpu(nr) {
		struct mb_cpu *cpu = per_cpu_ptr(array->cpus, nr);

		memcpy(cpu->views, array->views, sizeof(cpu->views));
		cpu->read.views = array->rotational ? array->views : cpu->views;
		cpu->read.candidates = cpu->places;
	}
}

/* Some controllers call a whole stripe of theirs a physical block. */
#define MAX_BLOCK_BYTES SZ_64K

static void measure_blocks(struct mb_array *array)
{
	u32 chunk = array->layout.shape.chunk_sectors << SECTOR_SHIFT;
	/* Drives report what they like. */
	u32 physical = rounddown_pow_of_two(mb_largest_of_legs(array, bdev_physical_block_size));

	array->largest_block = mb_largest_of_legs(array, bdev_logical_block_size);
	/* A chunk is a power of two and no less than a logical block. */
	array->block_bytes = clamp(min(physical, chunk), array->largest_block,
				   (u32)MAX_BLOCK_BYTES);
}

/* A page must hold a logical block of any leg. */
static int alloc_bounce_pages(struct mb_array *array)
{
	u32 order = get_order(array->largest_block);

	array->bounce_bytes = PAGE_SIZE << order;
	return mempool_init_page_pool(&array->bounce_pages, 1, order);
}

static struct workqueue_struct *alloc_queue(const struct mb_array *array, const char *what,
					    int max_active)
{
	return alloc_workqueue("mirrorbal_%s_%s", WQ_MEM_RECLAIM | WQ_UNBOUND, max_active, what,
			       dm_table_device_name(array->ti->table));
}

static int alloc_workqueues(struct mb_array *array)
{
	array->workqueue = alloc_queue(array, "io", 0);
	array->retry_workqueue = alloc_queue(array, "retry", WQ_MAX_ACTIVE);
	array->repair_workqueue = alloc_queue(array, "repair", 1);
	array->recovery_workqueue = alloc_queue(array, "recovery", 1);
	array->settle_workqueue = alloc_queue(array, "settle", 0);
	array->range_workqueue = alloc_queue(array, "range", MAX_RANGES);
	array->metadata_workqueue = alloc_queue(array, "metadata", 1);
	array->intent_workqueue = alloc_queue(array, "intent", 1);
	if (!array->workqueue || !array->retry_workqueue || !array->repair_workqueue ||
	    !array->recovery_workqueue || !array->settle_workqueue || !array->range_workqueue ||
	    !array->metadata_workqueue || !array->intent_workqueue)
		return -ENOMEM;
	return 0;
}

static void destroy_queue(struct workqueue_struct *queue)
{
	if (queue)
		destroy_workqueue(queue);
}

/* What the I/O paths need so that they never have to allocate anything else. */
static int alloc_resources(struct mb_array *array)
{
	u32 legs = array->layout.shape.legs;
	int r;

	array->cpus = alloc_percpu(struct mb_cpu);
	if (!array->cpus)
		return -ENOMEM;
	prepare_views(array);
	r = mempool_init_kmalloc_pool(&array->writes, MB_MIN_WRITES, mb_write_size(legs));
	if (r)
		return r;
	r = bioset_init(&array->bios, MIN_BIOS, offsetof(struct mb_piece, bio),
			BIOSET_NEED_BVECS);
	if (r)
		return r;
	measure_blocks(array);
	r = alloc_bounce_pages(array);
	if (r)
		return r;
	r = mempool_init_page_pool(&array->block_pages, 1, get_order(array->block_bytes));
	if (r)
		return r;
	r = mb_repair_create(array);
	if (r)
		return r;
	r = mb_recovery_create(array);
	if (r)
		return r;
	return alloc_workqueues(array);
}

static int set_up(struct mb_array *array, struct mb_table *table, struct mb_error *error)
{
	struct mb_policy *policy;
	int r;

	r = mb_open_legs(array, table, error);
	if (r)
		return r;
	r = alloc_resources(array);
	if (r) {
		mb_error_set(error, "no memory for an array of %u legs", table->layout.shape.legs);
		return r;
	}
	policy = mb_policy_create(array, table->policy, table->policy_argc, table->policy_argv,
				  true, error);
	if (IS_ERR(policy))
		return PTR_ERR(policy);
	RCU_INIT_POINTER(array->policy, policy);
	array->write_mostly = table->write_mostly;
	array->synced = table->nosync ? array->layout.length : 0;
	array->recovery.limit = table->resync_limit;
	mb_choice_changed(array);
	if (table->metadata) {
		r = mb_metadata_create(array, error);
		if (r)
			return r;
	}
	return mb_register_array(array, error) ? -EINVAL : 0;
}

int mb_array_create(struct dm_target *ti, struct mb_table *table, struct mb_array **array,
		    struct mb_error *error)
{
	int r;

	*array = alloc_array(ti, &table->layout);
	if (!*array) {
		mb_error_set(error, "no memory for an array of %u legs", table->layout.shape.legs);
		return -ENOMEM;
	}
	r = set_up(*array, table, error);
	if (r)
		mb_array_destroy(*array);
	return r;
}

void mb_array_quiesce(struct mb_array *array)
{
	/* Events go last, since the others raise them. */
	flush_workqueue(array->range_workqueue);
	flush_workqueue(array->retry_workqueue);
	flush_workqueue(array->repair_workqueue);
	flush_workqueue(array->recovery_workqueue);
	flush_workqueue(array->settle_workqueue);
	flush_workqueue(array->intent_workqueue);
	flush_workqueue(array->metadata_workqueue);
	flush_workqueue(array->workqueue);
}

void mb_array_destroy(struct mb_array *array)
{
	mb_unregister_array(array);
	destroy_queue(array->range_workqueue);
	destroy_queue(array->retry_workqueue);
	destroy_queue(array->repair_workqueue);
	destroy_queue(array->recovery_workqueue);
	destroy_queue(array->settle_workqueue);
	destroy_queue(array->intent_workqueue);
	destroy_queue(array->metadata_workqueue);
	destroy_queue(array->workqueue);
	mb_policy_destroy(rcu_dereference_protected(array->policy, true));
	mb_recovery_destroy(array);
	mb_intent_destroy(array);
	mb_metadata_destroy(array);
	mb_repair_destroy(array);
	mempool_exit(&array->block_pages);
	mempool_exit(&array->bounce_pages);
	bioset_exit(&array->bios);
	mempool_exit(&array->writes);
	free_percpu(array->cpus);
	mb_close_legs(array);
	kfree(array);
}
