// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device-mapper target "spindle": delays I/O as a drive would, by the
 * kernel's clock.
 *
 *   <start> <len> spindle spinning|solid <device>|- <offset> [<#words> {<key> <number>}...]
 *
 * With "-" for the device nothing is kept: reads give zeros. The same is true
 * beyond the end of a device that is smaller (and not of dm-zero, which refuses
 * to read ahead). Keys are the names
 * in struct spindle_shape and struct spindle_solid_shape, and `seed`. Messages:
 * `slow <factor>`, `stall <ms>`, for solid drives.
 *
 * A thread for each drive lets time go by: it completes what is done and starts
 * what is next. A drive's time is exact: the next command starts when the last
 * one ended, however late the thread wakes.
 */
#include <linux/device-mapper.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "drive.h"
#include "solid.h"

#define DM_MSG_PREFIX "spindle"

#define NEVER U64_MAX
/* A drive with nothing to do waits so long before it writes what its cache holds. */
#define IDLE_NS (50 * NSEC_PER_MSEC)
#define MAX_QUEUE 256

struct request {
	struct list_head entry;
	u64 arrived;
	u64 end;
};

struct spindle {
	struct dm_target *ti;
	struct dm_dev *dev;		/* NULL: nothing is kept */
	sector_t offset;
	sector_t kept;			/* sectors that the device has from there on */
	bool is_solid;
	struct spindle_drive drive;
	struct spindle_solid solid;

	struct task_struct *thread;
	spinlock_t lock;		/* what map and the thread share: */
	struct list_head arriving;
	u32 new_slow;			/* 0: no message since */
	u64 new_stall_ns;

	/* The thread's own. */
	struct list_head waiting;	/* the oldest first */
	struct list_head serving;	/* the one that ends first is the first */
	u64 busy_until;			/* spinning */
	struct spindle_command commands[MAX_QUEUE];
	struct request *requests[MAX_QUEUE];
};

static struct bio *bio_of(struct request *request)
{
	return dm_bio_from_per_bio_data(request, sizeof(*request));
}

static struct spindle_command command_of(const struct spindle *spindle, struct request *request)
{
	struct bio *bio = bio_of(request);

	return (struct spindle_command){
		.sector = dm_target_offset(spindle->ti, bio->bi_iter.bi_sector),
		.sectors = bio_sectors(bio),
		.write = op_is_write(bio_op(bio)),
		.through = bio->bi_opf & REQ_FUA,
		.arrived = request->arrived,
	};
}

static bool is_flush(struct request *request)
{
	struct bio *bio = bio_of(request);

	return bio_op(bio) == REQ_OP_WRITE && !bio_has_data(bio);
}

/* Into the serving, by when it ends. */
static void serve_until(struct spindle *spindle, struct request *request, u64 end)
{
	struct request *other;

	request->end = end;
	list_for_each_entry_reverse(other, &spindle->serving, entry)
		if (other->end <= end)
			break;
	list_move(&request->entry, &other->entry);
}

/* The device behind it takes no time of the drive's. */
static void finish(struct spindle *spindle, struct request *request)
{
	struct bio *bio = bio_of(request);

	sector_t sector = dm_target_offset(spindle->ti, bio->bi_iter.bi_sector);

	if (sector < spindle->kept) {
		bio_set_dev(bio, spindle->dev->bdev);
		bio->bi_iter.bi_sector = spindle->offset + sector;
		dm_submit_bio_remap(bio, NULL);
		return;
	}
	if (bio_op(bio) == REQ_OP_READ)
		zero_fill_bio(bio);
	bio_endio(bio);
}

static void start_solid(struct spindle *spindle)
{
	struct request *request, *next;

	list_for_each_entry_safe(request, next, &spindle->waiting, entry) {
		struct spindle_command command = command_of(spindle, request);

		serve_until(spindle, request,
			    spindle_solid_start(&spindle->solid, &command, request->arrived));
	}
}

/* The commands that had arrived by then; a flush stands apart. */
static u32 gather(struct spindle *spindle, u64 now, struct request **flush)
{
	struct request *request;
	u32 nr = 0;

	*flush = NULL;
	list_for_each_entry(request, &spindle->waiting, entry) {
		if (request->arrived > now || nr == spindle->drive.shape.queue_depth)
			break;
		if (is_flush(request)) {
			*flush = *flush ?: request;
			continue;
		}
		spindle->requests[nr] = request;
		spindle->commands[nr++] = command_of(spindle, request);
	}
	return nr;
}

static void destage(struct spindle *spindle, u64 now)
{
	spindle->busy_until = spindle_destage(&spindle->drive, now);
}

/* The drive is idle: what does it do next? Returns false if nothing. */
static bool start_spinning(struct spindle *spindle, u64 now)
{
	struct request *first = list_first_entry_or_null(&spindle->waiting, struct request, entry);
	struct request *flush;
	u64 at = spindle->busy_until;
	u32 nr, pick;

	if (!first) {
		if (!spindle_is_dirty(&spindle->drive) || now < at + IDLE_NS)
			return false;
		destage(spindle, at + IDLE_NS);
		return true;
	}
	at = max(at, first->arrived);
	nr = gather(spindle, at, &flush);
	if (flush && spindle_is_dirty(&spindle->drive)) {
		destage(spindle, at);
		return true;
	}
	if (flush) {
		serve_until(spindle, flush, at);
		return true;
	}
	pick = spindle_pick(&spindle->drive, spindle->commands, nr, at);
	if (pick == nr) {
		destage(spindle, at);
		return true;
	}
	spindle->busy_until = spindle_start(&spindle->drive, &spindle->commands[pick], at);
	serve_until(spindle, spindle->requests[pick], spindle->busy_until);
	return true;
}

/* Let time go by up to now; returns when something happens next. */
static u64 advance(struct spindle *spindle, u64 now)
{
	struct request *first;

	if (spindle->is_solid)
		start_solid(spindle);
	else
		while (spindle->busy_until <= now && start_spinning(spindle, now))
			;
	first = list_first_entry_or_null(&spindle->serving, struct request, entry);
	if (first)
		return first->end;
	if (spindle->is_solid)
		return NEVER;
	if (spindle->busy_until > now)
		return spindle->busy_until;
	return spindle_is_dirty(&spindle->drive) ? spindle->busy_until + IDLE_NS : NEVER;
}

static void take_new(struct spindle *spindle, u64 now)
{
	spin_lock_irq(&spindle->lock);
	list_splice_tail_init(&spindle->arriving, &spindle->waiting);
	if (spindle->new_slow)
		spindle->solid.slow = spindle->new_slow;
	if (spindle->new_stall_ns)
		spindle->solid.stalled_until = now + spindle->new_stall_ns;
	spindle->new_slow = 0;
	spindle->new_stall_ns = 0;
	spin_unlock_irq(&spindle->lock);
}

static void finish_what_is_done(struct spindle *spindle, u64 now)
{
	struct request *request, *next;

	list_for_each_entry_safe(request, next, &spindle->serving, entry) {
		if (request->end > now)
			break;
		list_del(&request->entry);
		finish(spindle, request);
	}
}

static int spindle_thread(void *data)
{
	struct spindle *spindle = data;

	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		u64 now = ktime_get_ns(), next;
		ktime_t until;

		take_new(spindle, now);
		next = advance(spindle, now);
		if (next <= now) {
			__set_current_state(TASK_RUNNING);
			finish_what_is_done(spindle, now);
			set_current_state(TASK_INTERRUPTIBLE);
			continue;
		}
		if (next == NEVER) {
			schedule();
		} else {
			until = ns_to_ktime(next);
			schedule_hrtimeout(&until, HRTIMER_MODE_ABS);
		}
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int spindle_map(struct dm_target *ti, struct bio *bio)
{
	struct spindle *spindle = ti->private;
	struct request *request = dm_per_bio_data(bio, sizeof(*request));
	sector_t sector = dm_target_offset(ti, bio->bi_iter.bi_sector);
	unsigned long flags;

	if (sector < spindle->kept && bio_sectors(bio) > spindle->kept - sector)
		dm_accept_partial_bio(bio, spindle->kept - sector);
	request->arrived = ktime_get_ns();
	spin_lock_irqsave(&spindle->lock, flags);
	list_add_tail(&request->entry, &spindle->arriving);
	spin_unlock_irqrestore(&spindle->lock, flags);
	wake_up_process(spindle->thread);
	return DM_MAPIO_SUBMITTED;
}

#define SPINNING_KEY(name) { #name, offsetof(struct spindle, drive.shape.name) }
#define SOLID_KEY(name) { #name, offsetof(struct spindle, solid.shape.name) }

struct spindle_key {
	const char *name;
	size_t offset;		/* of a u32 in struct spindle */
};

static const struct spindle_key spinning_keys[] = {
	SPINNING_KEY(rotation_ns), SPINNING_KEY(outer_track), SPINNING_KEY(inner_track),
	SPINNING_KEY(switch_ns), SPINNING_KEY(seek_ns), SPINNING_KEY(stroke_ns),
	SPINNING_KEY(short_ppm), SPINNING_KEY(short_seek_ns), SPINNING_KEY(short_root_ns),
	SPINNING_KEY(overhead_ns), SPINNING_KEY(sector_ns), SPINNING_KEY(segments),
	SPINNING_KEY(segment_sectors), SPINNING_KEY(write_cache), SPINNING_KEY(queue_depth),
	SPINNING_KEY(age_limit_ms), { }
};

static const struct spindle_key solid_keys[] = {
	SOLID_KEY(read_ns), SOLID_KEY(write_ns), SOLID_KEY(jitter_ns), SOLID_KEY(units),
	SOLID_KEY(sector_ns), { }
};

static int parse_pair(struct spindle *spindle, const char *name, const char *number, u64 *seed)
{
	const struct spindle_key *key = spindle->is_solid ? solid_keys : spinning_keys;
	u32 value;

	if (kstrtou32(number, 10, &value))
		return -EINVAL;
	if (!strcmp(name, "seed")) {
		*seed = value;
		return 0;
	}
	for (; key->name; key++)
		if (!strcmp(name, key->name)) {
			*(u32 *)((char *)spindle + key->offset) = value;
			return 0;
		}
	return -EINVAL;
}

static bool shape_is_possible(const struct spindle *spindle)
{
	const struct spindle_shape *drive = &spindle->drive.shape;
	const struct spindle_solid_shape *solid = &spindle->solid.shape;

	if (spindle->is_solid)
		return solid->units >= 1 && solid->units <= SPINDLE_MAX_UNITS;
	return drive->rotation_ns && drive->inner_track &&
	       drive->outer_track >= drive->inner_track &&
	       drive->segments <= SPINDLE_MAX_SEGMENTS &&
	       drive->queue_depth >= 1 && drive->queue_depth <= MAX_QUEUE;
}

static int parse_words(struct spindle *spindle, unsigned int argc, char **argv, u64 *seed)
{
	struct dm_target *ti = spindle->ti;
	unsigned int i, words = 0;

	if (argc && (kstrtouint(argv[0], 10, &words) || words != argc - 1 || words % 2)) {
		ti->error = "the number of words behind the offset is wrong";
		return -EINVAL;
	}
	for (i = 1; i < argc; i += 2)
		if (parse_pair(spindle, argv[i], argv[i + 1], seed)) {
			ti->error = "a key is not known, or its number is none";
			return -EINVAL;
		}
	if (!shape_is_possible(spindle)) {
		ti->error = "no drive can be like that";
		return -EINVAL;
	}
	return 0;
}

static int parse(struct spindle *spindle, unsigned int argc, char **argv, u64 *seed)
{
	struct dm_target *ti = spindle->ti;
	unsigned long long offset;

	if (argc < 3) {
		ti->error = "spinning|solid, device and offset are wanted";
		return -EINVAL;
	}
	spindle->is_solid = !strcmp(argv[0], "solid");
	if (!spindle->is_solid && strcmp(argv[0], "spinning")) {
		ti->error = "a drive is spinning or solid";
		return -EINVAL;
	}
	if (kstrtoull(argv[2], 10, &offset)) {
		ti->error = "the offset is no number";
		return -EINVAL;
	}
	spindle->offset = offset;
	if (strcmp(argv[1], "-") &&
	    dm_get_device(ti, argv[1], dm_table_get_mode(ti->table), &spindle->dev)) {
		ti->error = "the device cannot be opened";
		return -ENODEV;
	}
	if (spindle->dev && bdev_nr_sectors(spindle->dev->bdev) > offset)
		spindle->kept = bdev_nr_sectors(spindle->dev->bdev) - offset;
	spindle->drive.shape = spindle_defaults(ti->len);
	spindle->solid.shape = spindle_solid_defaults();
	return parse_words(spindle, argc - 3, argv + 3, seed);
}

static void spindle_free(struct spindle *spindle)
{
	if (spindle->thread)
		kthread_stop(spindle->thread);
	if (spindle->dev)
		dm_put_device(spindle->ti, spindle->dev);
	vfree(spindle);
}

static int set_up(struct spindle *spindle, unsigned int argc, char **argv)
{
	struct spindle_solid_shape solid;
	struct spindle_shape drive;
	u64 seed = 0;
	int r;

	r = parse(spindle, argc, argv, &seed);
	if (r)
		return r;
	drive = spindle->drive.shape;
	solid = spindle->solid.shape;
	spindle_init(&spindle->drive, &drive, seed);
	spindle_solid_init(&spindle->solid, &solid, seed);
	spindle->thread = kthread_run(spindle_thread, spindle, "spindle/%s",
				      dm_table_device_name(spindle->ti->table));
	if (IS_ERR(spindle->thread)) {
		r = PTR_ERR(spindle->thread);
		spindle->thread = NULL;
		spindle->ti->error = "no thread";
	}
	return r;
}

static int spindle_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct spindle *spindle = vzalloc(sizeof(*spindle));
	int r;

	if (!spindle) {
		ti->error = "no memory";
		return -ENOMEM;
	}
	spindle->ti = ti;
	spin_lock_init(&spindle->lock);
	INIT_LIST_HEAD(&spindle->arriving);
	INIT_LIST_HEAD(&spindle->waiting);
	INIT_LIST_HEAD(&spindle->serving);
	r = set_up(spindle, argc, argv);
	if (r) {
		spindle_free(spindle);
		return r;
	}
	/* A cache that can be flushed, even where what is behind the drive has none. */
	ti->num_flush_bios = 1;
	ti->flush_supported = !spindle->is_solid;
	ti->per_io_data_size = sizeof(struct request);
	ti->accounts_remapped_io = true;
	ti->private = spindle;
	return 0;
}

static void spindle_dtr(struct dm_target *ti)
{
	spindle_free(ti->private);
}

static int spindle_message(struct dm_target *ti, unsigned int argc, char **argv, char *result,
			   unsigned int maxlen)
{
	struct spindle *spindle = ti->private;
	u32 value;

	if (argc != 2 || kstrtou32(argv[1], 10, &value) || !value || !spindle->is_solid)
		return -EINVAL;
	spin_lock_irq(&spindle->lock);
	if (!strcmp(argv[0], "slow"))
		spindle->new_slow = value;
	else if (!strcmp(argv[0], "stall"))
		spindle->new_stall_ns = (u64)value * NSEC_PER_MSEC;
	else
		value = 0;
	spin_unlock_irq(&spindle->lock);
	wake_up_process(spindle->thread);
	return value ? 0 : -EINVAL;
}

static void spindle_io_hints(struct dm_target *ti, struct queue_limits *limits)
{
#ifdef BLK_FEAT_ROTATIONAL
	const struct spindle *spindle = ti->private;

	if (!spindle->is_solid)
		limits->features |= BLK_FEAT_ROTATIONAL;
#endif
}

/* On older kernels a flag of the queue that is set anew whenever a table is bound. */
static void spindle_resume(struct dm_target *ti)
{
#ifndef BLK_FEAT_ROTATIONAL
	const struct spindle *spindle = ti->private;
	struct request_queue *queue = dm_disk(dm_table_get_md(ti->table))->queue;

	if (!spindle->is_solid)
		blk_queue_flag_clear(QUEUE_FLAG_NONROT, queue);
#endif
}

static int spindle_iterate_devices(struct dm_target *ti, iterate_devices_callout_fn fn, void *data)
{
	struct spindle *spindle = ti->private;

	if (!spindle->kept)
		return 0;
	return fn(ti, spindle->dev, spindle->offset, min(ti->len, spindle->kept), data);
}

static struct target_type spindle_target = {
	.name = "spindle",
	.version = { 1, 0, 0 },
	.features = DM_TARGET_SINGLETON,
	.module = THIS_MODULE,
	.ctr = spindle_ctr,
	.dtr = spindle_dtr,
	.map = spindle_map,
	.resume = spindle_resume,
	.message = spindle_message,
	.iterate_devices = spindle_iterate_devices,
	.io_hints = spindle_io_hints,
};

static int __init spindle_start_module(void)
{
	return dm_register_target(&spindle_target);
}

static void __exit spindle_stop_module(void)
{
	dm_unregister_target(&spindle_target);
}

module_init(spindle_start_module);
module_exit(spindle_stop_module);

MODULE_DESCRIPTION("device-mapper target that takes the time of a simulated drive");
MODULE_AUTHOR("the dm-mirrorbal developers");
MODULE_LICENSE("GPL");
