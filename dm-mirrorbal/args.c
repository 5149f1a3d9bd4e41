// SPDX-License-Identifier: GPL-2.0-only
#include "args.h"
#include "compat.h"

static int open_leg(struct mb_array *array, u32 number, const struct mb_table_leg *from,
		    struct mb_error *error)
{
	struct mb_leg *leg = &array->legs[number];
	struct dm_target *ti = array->ti;
	int r;

	leg->data_offset = from->data_offset;
	if (!from->device)
		return 0;
	r = dm_get_device(ti, from->device, dm_table_get_mode(ti->table), &leg->dev);
	if (r) {
		leg->dev = NULL;
		mb_error_set(error, "leg %u: cannot open '%.64s' (error %d%s); give a block device or '-'",
			     number, from->device, -r,
			     r == -EBUSY ? ": it is in use" : r == -EROFS || r == -EACCES ?
			     ": it is read-only" : "");
		return r;
	}
	leg->bdev = leg->dev->bdev;
	leg->rotational = mb_bdev_rotational(leg->bdev);
	array->present |= BIT(number);
	array->rotational |= leg->rotational;
	if (bdev_max_discard_sectors(leg->bdev))
		array->discards |= BIT(number);
	return 0;
}

static int check_unique(const struct mb_array *array, u32 number, struct mb_error *error)
{
	const struct mb_leg *leg = &array->legs[number];
	u32 other;

	for (other = 0; other < number; other++)
		if (array->legs[other].dev &&
		    array->legs[other].bdev->bd_dev == leg->bdev->bd_dev)
			return mb_error_set(error,
					    "leg %u (%pg) is the same device as leg %u; each leg must be a device of its own",
					    number, leg->bdev, other);
	return 0;
}

static int check_blocks(const struct mb_array *array, u32 number, struct mb_error *error)
{
	const struct mb_leg *leg = &array->legs[number];
	u32 block = bdev_logical_block_size(leg->bdev) >> SECTOR_SHIFT;

	if (leg->data_offset & (block - 1))
		return mb_error_set(error,
				    "leg %u (%pg): data offset %llu is not a multiple of its logical block, %u sectors",
				    number, leg->bdev, leg->data_offset, block);
	if (array->layout.shape.chunk_sectors & (block - 1))
		return mb_error_set(error,
				    "leg %u (%pg): chunk %u is not a multiple of its logical block, %u sectors",
				    number, leg->bdev, array->layout.shape.chunk_sectors,
				    block);
	return 0;
}

static int check_room(const struct mb_array *array, u32 number, struct mb_error *error)
{
	const struct mb_leg *leg = &array->legs[number];
	u64 needed = mb_layout_leg_sectors(&array->layout, number);
	u64 size = bdev_nr_sectors(leg->bdev);

	if (leg->data_offset > size || size - leg->data_offset < needed)
		return mb_error_set(error,
				    "leg %u (%pg) is too small: %llu sectors; the array needs %llu from data offset %llu on",
				    number, leg->bdev, size, needed, leg->data_offset);
	return 0;
}

static int check_leg(const struct mb_array *array, u32 number, struct mb_error *error)
{
	const struct mb_leg *leg = &array->legs[number];

	if (bdev_is_zoned(leg->bdev))
		return mb_error_set(error, "leg %u (%pg) is a zoned device; only conventional ones can be legs",
				    number, leg->bdev);
	if (mb_table_writable(array->ti) && bdev_read_only(leg->bdev))
		return mb_error_set(error,
				    "leg %u (%pg) is read-only; make it writable, or the array read-only too (dmsetup create -r)",
				    number, leg->bdev);
	if (check_unique(array, number, error) || check_blocks(array, number, error))
		return -1;
	return check_room(array, number, error);
}

int mb_open_legs(struct mb_array *array, const struct mb_table *table, struct mb_error *error)
{
	u32 leg, lost;
	int r;

	for (leg = 0; leg < table->layout.shape.legs; leg++) {
		r = open_leg(array, leg, &table->legs[leg], error);
		if (r)
			return r;
		if (array->legs[leg].dev && check_leg(array, leg, error))
			return -EINVAL;
	}
	if (!mb_health_complete(&array->layout, array->present, &lost)) {
		mb_error_set(error, "too many legs are missing: none is left of the set with leg mask 0x%x, which holds some of the data",
			     lost);
		return -EINVAL;
	}
	array->in_sync = array->present;
	return 0;
}

void mb_close_legs(struct mb_array *array)
{
	u32 leg;

	for (leg = 0; leg < array->layout.shape.legs; leg++)
		if (array->legs[leg].dev)
			dm_put_device(array->ti, array->legs[leg].dev);
}
