// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device-mapper target: entry points only, each handing on to the file
 * that knows.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "array.h"
#include "compat.h"
#include "leg_register.h"
#include "limits.h"
#include "message.h"
#include "metadata.h"
#include "policy_registry.h"
#include "read.h"
#include "read_ahead.h"
#include "recovery.h"
#include "repair.h"
#include "status_report.h"

/*
 * Device-mapper prints ti->error after the constructor has returned and frees
 * nothing. The texts therefore lie in a ring, long enough that constructors
 * running at once do not meet; if ever they did, a text would be garbled, but
 * end within its slot.
 */
#define NR_ERRORS 32
static struct mb_error errors[NR_ERRORS];
static atomic_t next_error = ATOMIC_INIT(0);

static struct mb_error *error_slot(void)
{
	return &errors[(unsigned int)atomic_inc_return(&next_error) % NR_ERRORS];
}

static void advertise(struct dm_target *ti, struct mb_array *array)
{
	ti->num_flush_bios = 1;
	ti->num_discard_bios = 1;
	ti->num_write_zeroes_bios = 1;
	/* Copies are submitted by dm_submit_bio_remap(). */
	ti->accounts_remapped_io = true;
	/* One leg that can is enough: the others keep what they have. */
	ti->discards_supported = array->discards != 0;
	ti->per_io_data_size = sizeof(struct mb_io);
}

static int create_array(struct dm_target *ti, struct mb_table *table, unsigned int argc,
			char **argv, struct mb_error *error)
{
	struct mb_array *array;
	int r;

	if (mb_table_parse(table, ti->len, argc, argv, error))
		return -EINVAL;
	r = mb_array_create(ti, table, &array, error);
	if (r)
		return r;

	advertise(ti, array);
	ti->private = array;
	return 0;
}

static int mirrorbal_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct mb_error *error = error_slot();
	struct mb_table *table;
	int r;

	table = kmalloc(sizeof(*table), GFP_KERNEL);
	if (!table) {
		ti->error = "no memory to read the table";
		return -ENOMEM;
	}
	r = create_array(ti, table, argc, argv, error);
	if (r)
		ti->error = error->text;
	kfree(table);
	return r;
}

static void mirrorbal_dtr(struct dm_target *ti)
{
	mb_array_destroy(ti->private);
}

static void mirrorbal_presuspend(struct dm_target *ti)
{
	mb_repair_stop(ti->private);
	mb_recovery_stop(ti->private);
}

static void mirrorbal_presuspend_undo(struct dm_target *ti)
{
	mb_repair_go_on(ti->private);
	mb_recovery_go_on(ti->private);
}

static void mirrorbal_postsuspend(struct dm_target *ti)
{
	mb_array_quiesce(ti->private);
	mb_metadata_end(ti->private);
}

static int mirrorbal_preresume(struct dm_target *ti)
{
	struct mb_array *array = ti->private;

	mb_array_learn_name(array);
	/* That it stays so until another table is loaded is what its status says. */
	if (mb_metadata_refusal(array))
		return 0;
	/* Not an error of ours: the device would stay suspended, and hang whoever uses it. */
	if (array->metadata && !mb_array_runs(array) && !mb_metadata_find(array))
		return 0;
	mb_array_go_live(array);
	mb_metadata_begin(array);
	return 0;
}

static void mirrorbal_resume(struct dm_target *ti)
{
	struct mb_array *array = ti->private;

	mb_repair_go_on(array);
	mb_recovery_go_on(array);
	mb_table_bound_want_stable_writes(ti);
	mutex_lock(&array->config_mutex);
	mb_read_ahead_give(array);
	mutex_unlock(&array->config_mutex);
}

static void mirrorbal_status(struct dm_target *ti, status_type_t type, unsigned int status_flags,
			     char *result, unsigned int maxlen)
{
	mb_report_status(ti->private, type, result, maxlen);
}

static int mirrorbal_message(struct dm_target *ti, unsigned int argc, char **argv, char *result,
			     unsigned int maxlen)
{
	return mb_message(ti->private, argc, argv, result, maxlen);
}

static int mirrorbal_iterate_devices(struct dm_target *ti, iterate_devices_callout_fn fn,
				     void *data)
{
	struct mb_array *array = ti->private;
	u32 leg;
	int r = 0;

	for (leg = 0; leg < array->layout.shape.legs && !r; leg++)
		if (array->legs[leg].dev)
			r = fn(ti, array->legs[leg].dev, array->legs[leg].data_offset,
			       mb_layout_leg_sectors(&array->layout, leg), data);
	return r;
}

static struct target_type mirrorbal_target = {
	.name = MB_TARGET_NAME,
	.version = { 1, 6, 0 },
	/* Alone in its table: an array is known by its mapped device. */
	.features = DM_TARGET_NOWAIT | DM_TARGET_SINGLETON,
	.module = THIS_MODULE,
	.ctr = mirrorbal_ctr,
	.dtr = mirrorbal_dtr,
	.map = mb_map,
	.end_io = mb_end_io,
	.presuspend = mirrorbal_presuspend,
	.presuspend_undo = mirrorbal_presuspend_undo,
	.postsuspend = mirrorbal_postsuspend,
	.preresume = mirrorbal_preresume,
	.resume = mirrorbal_resume,
	.status = mirrorbal_status,
	.message = mirrorbal_message,
	.iterate_devices = mirrorbal_iterate_devices,
	.io_hints = mb_set_io_hints,
};

static int __init mirrorbal_init(void)
{
	int r;

	r = mb_policy_registry_init();
	if (r)
		return r;
	r = dm_register_target(&mirrorbal_target);
	if (r)
		mb_policy_registry_exit();
	return r;
}

static void __exit mirrorbal_exit(void)
{
	dm_unregister_target(&mirrorbal_target);
	mb_policy_registry_exit();
}

module_init(mirrorbal_init);
module_exit(mirrorbal_exit);

MODULE_DESCRIPTION("device-mapper target for RAID10 mirror reads");
MODULE_AUTHOR("the dm-mirrorbal developers");
MODULE_VERSION(MB_VERSION);
MODULE_LICENSE("GPL");
