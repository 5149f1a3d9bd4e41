// SPDX-License-Identifier: GPL-2.0-only
/*
 * A drive with bad sectors, for the lab:
 *
 *   <start> <length> medium <device>
 *
 * Reads of a bad sector end with a medium error. Messages:
 *
 *   bad <sector> <sectors>		until it is written
 *   stubborn <sector> <sectors>	cannot be read even then
 *   broken <sector> <sectors>		cannot be written either
 *   good <sector> <sectors>		none of these any more
 *   hold				the next write to a bad sector waits
 *   let_go				it waits no longer
 *
 * Status: bad sectors, writes that wait.
 */
#include <linux/device-mapper.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#define DM_MSG_PREFIX "medium"

enum { GOOD, BAD, STUBBORN, BROKEN };

struct medium {
	struct dm_dev *dev;
	spinlock_t lock;	/* for what follows; any context */
	u8 *sectors;		/* what each is */
	bool hold;
	struct bio *held;
};

static u8 worst(const struct medium *medium, u64 sector, u32 sectors)
{
	u8 found = GOOD;

	while (sectors--)
		found = max(found, medium->sectors[sector++]);
	return found;
}

static void heal(struct medium *medium, u64 sector, u32 sectors)
{
	for (; sectors--; sector++)
		if (medium->sectors[sector] == BAD)
			medium->sectors[sector] = GOOD;
}

static int end_with_medium_error(struct bio *bio)
{
	bio->bi_status = BLK_STS_MEDIUM;
	bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}

static int map_write(struct medium *medium, struct bio *bio, u64 sector)
{
	u8 found = worst(medium, sector, bio_sectors(bio));

	if (found == BROKEN)
		return DM_MAPIO_KILL;
	heal(medium, sector, bio_sectors(bio));
	if (found != GOOD && medium->hold) {
		medium->hold = false;
		medium->held = bio;
		return DM_MAPIO_SUBMITTED;
	}
	return DM_MAPIO_REMAPPED;
}

static int medium_map(struct dm_target *ti, struct bio *bio)
{
	u64 sector = dm_target_offset(ti, bio->bi_iter.bi_sector);
	struct medium *medium = ti->private;
	int r = DM_MAPIO_REMAPPED;
	unsigned long flags;
	bool bad = false;

	bio_set_dev(bio, medium->dev->bdev);
	bio->bi_iter.bi_sector = sector;
	if (!bio_has_data(bio))
		return r;
	spin_lock_irqsave(&medium->lock, flags);
	if (op_is_write(bio_op(bio)))
		r = map_write(medium, bio, sector);
	else
		bad = worst(medium, sector, bio_sectors(bio)) != GOOD;
	spin_unlock_irqrestore(&medium->lock, flags);
	return bad ? end_with_medium_error(bio) : r;
}

static int mark(struct dm_target *ti, struct medium *medium, char **argv, u8 what)
{
	u64 sector, sectors;

	if (kstrtou64(argv[1], 10, &sector) || kstrtou64(argv[2], 10, &sectors) ||
	    sector > ti->len || sectors > ti->len - sector)
		return -EINVAL;
	spin_lock_irq(&medium->lock);
	memset(medium->sectors + sector, what, sectors);
	spin_unlock_irq(&medium->lock);
	return 0;
}

static void let_go(struct medium *medium)
{
	struct bio *bio;

	spin_lock_irq(&medium->lock);
	medium->hold = false;
	bio = medium->held;
	medium->held = NULL;
	spin_unlock_irq(&medium->lock);
	if (bio)
		submit_bio_noacct(bio);
}

static int medium_message(struct dm_target *ti, unsigned int argc, char **argv, char *result,
			  unsigned int maxlen)
{
	static const char *const kinds[] = {
		[GOOD] = "good", [BAD] = "bad", [STUBBORN] = "stubborn", [BROKEN] = "broken",
	};
	struct medium *medium = ti->private;
	u8 kind;

	if (argc == 1 && !strcmp(argv[0], "hold")) {
		WRITE_ONCE(medium->hold, true);
		return 0;
	}
	if (argc == 1 && !strcmp(argv[0], "let_go")) {
		let_go(medium);
		return 0;
	}
	for (kind = GOOD; kind <= BROKEN; kind++)
		if (argc == 3 && !strcmp(argv[0], kinds[kind]))
			return mark(ti, medium, argv, kind);
	return -EINVAL;
}

static void medium_status(struct dm_target *ti, status_type_t type, unsigned int status_flags,
			  char *result, unsigned int maxlen)
{
	struct medium *medium = ti->private;
	u64 sector, bad = 0;
	unsigned int sz = 0;

	if (type == STATUSTYPE_TABLE) {
		DMEMIT("%s", medium->dev->name);
		return;
	}
	for (sector = 0; sector < ti->len; sector++)
		bad += medium->sectors[sector] != GOOD;
	DMEMIT("%llu %u", bad, medium->held ? 1 : 0);
}

static void medium_dtr(struct dm_target *ti)
{
	struct medium *medium = ti->private;

	if (medium->dev)
		dm_put_device(ti, medium->dev);
	vfree(medium->sectors);
	kfree(medium);
}

static int medium_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct medium *medium;
	int r = -ENOMEM;

	if (argc != 1) {
		ti->error = "the form is: <device>";
		return -EINVAL;
	}
	medium = kzalloc(sizeof(*medium), GFP_KERNEL);
	if (!medium)
		return -ENOMEM;
	ti->private = medium;
	spin_lock_init(&medium->lock);
	medium->sectors = vzalloc(ti->len);
	if (medium->sectors)
		r = dm_get_device(ti, argv[0], dm_table_get_mode(ti->table), &medium->dev);
	if (r) {
		ti->error = "no memory, or no such device";
		medium_dtr(ti);
		return r;
	}
	ti->num_flush_bios = 1;
	return 0;
}

static int medium_iterate_devices(struct dm_target *ti, iterate_devices_callout_fn fn, void *data)
{
	struct medium *medium = ti->private;

	return fn(ti, medium->dev, 0, ti->len, data);
}

static struct target_type medium_target = {
	.name = "medium",
	.version = { 1, 0, 0 },
	.module = THIS_MODULE,
	.ctr = medium_ctr,
	.dtr = medium_dtr,
	.map = medium_map,
	.message = medium_message,
	.status = medium_status,
	.iterate_devices = medium_iterate_devices,
};

/* Older kernels have no module_dm(). */
static int __init medium_init(void)
{
	return dm_register_target(&medium_target);
}

static void __exit medium_exit(void)
{
	dm_unregister_target(&medium_target);
}

module_init(medium_init);
module_exit(medium_exit);

MODULE_DESCRIPTION("a drive with bad sectors, to test what is done about them");
MODULE_AUTHOR("the dm-mirrorbal developers");
MODULE_LICENSE("GPL");
