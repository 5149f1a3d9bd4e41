// SPDX-License-Identifier: GPL-2.0-only
#include <linux/list.h>

#include "choice.h"
#include "leg_register.h"
#include "metadata.h"
#include "recovery.h"

/* Both under register_mutex. */
static LIST_HEAD(arrays);
static DEFINE_MUTEX(register_mutex);

static bool same_device(const struct mb_array *a, const struct mb_array *b)
{
	return dm_table_get_md(a->ti->table) == dm_table_get_md(b->ti->table);
}

static bool leg_of(const struct mb_array *array, dev_t dev, u32 *number)
{
	u32 leg;

	for (leg = 0; leg < array->layout.shape.legs; leg++) {
		if (array->legs[leg].dev && array->legs[leg].bdev->bd_dev == dev) {
			*number = leg;
			return true;
		}
	}
	return false;
}

static int check_sharing(const struct mb_array *array, const struct mb_array *other,
			 struct mb_error *error)
{
	u32 leg, theirs;

	for (leg = 0; leg < array->layout.shape.legs; leg++)
		if (array->legs[leg].dev && leg_of(other, array->legs[leg].bdev->bd_dev, &theirs))
			return mb_error_set(error,
					    "leg %u (%pg) is in use: it is leg %u of %s; a leg can serve one array only",
					    leg, array->legs[leg].bdev, theirs,
					    mb_array_name(other));
	return 0;
}

static int check_reload_legs(const struct mb_array *array, const struct mb_array *live,
			     struct mb_error *error)
{
	u32 leg;

	for (leg = 0; leg < array->layout.shape.legs; leg++) {
		const struct mb_leg *new = &array->legs[leg], *old = &live->legs[leg];

		if (new->data_offset != old->data_offset)
			return mb_error_set(error,
					    "reload: leg %u has data offset %llu; the running array has %llu, which cannot change",
					    leg, new->data_offset, old->data_offset);
		if (new->dev && old->dev && new->bdev->bd_dev != old->bdev->bd_dev)
			return mb_error_set(error,
					    "reload: leg %u is %pg; in the running array it is %pg, and legs cannot change places",
					    leg, new->bdev, old->bdev);
		if (new->dev && !old->dev)
			return mb_error_set(error,
					    "reload: leg %u is %pg; it is missing in the running array and has to be rebuilt, which this version cannot do; give '-'",
					    leg, new->bdev);
	}
	return 0;
}

static int check_reload(const struct mb_array *array, const struct mb_array *live,
			struct mb_error *error)
{
	const struct mb_shape *new = &array->layout.shape, *old = &live->layout.shape;
	u32 lost;

	if (new->kind != old->kind || new->copies != old->copies)
		return mb_error_set(error,
				    "reload: layout is %c%u; the running array has %c%u, which cannot change",
				    mb_layout_letter(new->kind), new->copies,
				    mb_layout_letter(old->kind), old->copies);
	if (new->chunk_sectors != old->chunk_sectors)
		return mb_error_set(error,
				    "reload: chunk is %u sectors; the running array has %u, which cannot change",
				    new->chunk_sectors, old->chunk_sectors);
	if (new->legs != old->legs)
		return mb_error_set(error,
				    "reload: there are %u legs; the running array has %u, which cannot change",
				    new->legs, old->legs);
	if (array->layout.length != live->layout.length)
		return mb_error_set(error,
				    "reload: length is %llu sectors; the running array has %llu, which cannot change",
				    array->layout.length, live->layout.length);
	if (!array->metadata != !live->metadata)
		return mb_error_set(error,
				    "reload: feature metadata is %s; in the running array it is %s, which cannot change",
				    array->metadata ? "given" : "not given",
				    live->metadata ? "used" : "not used");
	if (check_reload_legs(array, live, error))
		return -1;
	if (!mb_health_complete(&array->layout, array->present & READ_ONCE(live->in_sync), &lost))
		return mb_error_set(error,
				    "reload: the last good copy of some data is left out; give the device of a leg in sync of the set with leg mask 0x%x",
				    lost);
	return 0;
}

int mb_register_array(struct mb_array *array, struct mb_error *error)
{
	struct mb_array *other;
	int r = 0;

	mutex_lock(&register_mutex);
	list_for_each_entry(other, &arrays, register_entry) {
		if (!same_device(array, other))
			r = check_sharing(array, other, error);
		else if (other->live)
			r = check_reload(array, other, error);
		if (r)
			break;
	}
	if (!r)
		list_add_tail(&array->register_entry, &arrays);
	mutex_unlock(&register_mutex);
	return r;
}

void mb_unregister_array(struct mb_array *array)
{
	mutex_lock(&register_mutex);
	list_del_init(&array->register_entry);
	mutex_unlock(&register_mutex);
}

static void inherit(struct mb_array *array, const struct mb_array *old)
{
	u32 leg;

	if (array->metadata)
		mb_metadata_inherit(array, old);

	/* No I/O, but messages reach the new table already; none the old one. */
	spin_lock_irq(&array->state_lock);
	WRITE_ONCE(array->in_sync, array->in_sync & old->in_sync);
	if (!array->recovery.restarts)
		WRITE_ONCE(array->synced, old->synced);
	mb_choice_changed(array);
	spin_unlock_irq(&array->state_lock);
	if (old->recovery.frozen)
		WRITE_ONCE(array->recovery.frozen, true);
	/* One leg may have lost what the others have. */
	if (old->flush_lost)
		mb_recovery_distrust(array);

	for (leg = 0; leg < array->layout.shape.legs; leg++) {
		struct mb_leg *to = &array->legs[leg];
		const struct mb_leg *from = &old->legs[leg];

		atomic64_set(&to->read_errors, atomic64_read(&from->read_errors));
		atomic64_set(&to->write_errors, atomic64_read(&from->write_errors));
		atomic64_set(&to->repaired_sectors, atomic64_read(&from->repaired_sectors));
		to->read_error_budget = from->read_error_budget;
	}
}

static struct mb_array *find_predecessor(const struct mb_array *array)
{
	struct mb_array *other;

	list_for_each_entry(other, &arrays, register_entry)
		if (other != array && other->live && same_device(array, other))
			return other;
	return NULL;
}

bool mb_array_runs(const struct mb_array *array)
{
	bool runs;

	mutex_lock(&register_mutex);
	runs = array->live || find_predecessor(array);
	mutex_unlock(&register_mutex);
	return runs;
}

void mb_array_go_live(struct mb_array *array)
{
	struct mb_array *old;

	mutex_lock(&register_mutex);
	old = find_predecessor(array);
	if (old) {
		inherit(array, old);
		old->live = false;
	}
	array->live = true;
	mutex_unlock(&register_mutex);

	if (!mb_health_complete(&array->layout, READ_ONCE(array->in_sync), NULL))
		DMERR("%s: the table leaves out the last good copy of some data, which cannot be read or written now",
		      mb_array_name(array));
}
