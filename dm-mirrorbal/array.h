/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The array: what one table line becomes.
 *
 * Lifetime. A struct mb_array lives from the constructor to the destructor of
 * its table. Device-mapper destroys a table only when no I/O of it is left, and
 * the destructor drains the workqueue before anything is freed; so nothing
 * below counts references.
 *
 * Locks, outermost first:
 *   leg_register's mutex	which arrays exist; process context
 *   mb_array.config_mutex	policy, counter bases; process context
 *   policy registry's mutex	which policies exist; process context
 *   mb_metadata.mutex		superblocks; process context
 *   mb_intent.mutex		write-intent bitmap; process context
 *   mb_exclusions.drain_mutex	waiting for changes; process context
 *   mb_exclusions.lock		excluded ranges; process context, a leaf
 *   mb_intent.lock		changes that wait to be marked; process context, a leaf
 *   mb_array.state_lock	legs' states and write-mostly marks, `synced`, what waits for
 *			metadata; any context, a leaf
 *   mb_array.held_lock		held writes; process context, a leaf
 *   mb_array.choice_lock	policy state of rotational arrays; any context, a leaf
 * The read path takes none of them on non-rotational legs.
 */
#ifndef MB_ARRAY_H
#define MB_ARRAY_H

#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/build_bug.h>
#include <linux/device-mapper.h>
#include <linux/dm-ioctl.h>
#include <linux/mempool.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "copy_run.h"
#include "error_budget.h"
#include "health.h"
#include "latency.h"
#include "layout.h"
#include "pace.h"
#include "policy.h"
#include "status.h"
#include "table.h"

#define DM_MSG_PREFIX "mirrorbal"

/* Counters are plain 64-bit words that other CPUs read without a lock. */
static_assert(sizeof(long) == sizeof(u64), "mirrorbal needs a 64-bit kernel");

struct dm_kcopyd_client;
struct mb_intent;
struct mb_metadata;
struct mb_policy;

/*
 * What one CPU has counted of one leg. Written by that CPU alone, by the
 * mapping path, which runs in process context with preemption off; but for
 * writes_done and the latency, which come from completions. Others read it
 * torn-free but not as a whole.
 */
struct mb_leg_cpu {
	u64 reads;		/* submitted from here */
	u64 sectors_read;
	u64 sequential_reads;
	u64 writes;		/* submitted from here */
	u64 sectors_written;
	u64 writes_done;	/* completed here, wherever they were submitted */
	struct mb_latency latency;
};

/* When this CPU last summed what the others have in flight, by two clocks. */
struct mb_others {
	u64 summed_at_ns;	/* local_clock() */
	u64 summed_at_cycles;	/* get_cycles() */
	u64 fresh_cycles;	/* for so many cycles the sum is fresh */
	u32 sums;		/* counts up; see mb_sum_others() */
};

/*
 * What one CPU knows of the array, and its scratch space while it maps.
 * In views[].in_flight_here a completion takes off what a submission, maybe on
 * another CPU, has added: only the sum over all CPUs means something.
 */
struct mb_cpu {
	struct mb_others others;
	struct mb_leg_view views[MB_MAX_LEGS];
	struct mb_read read;
	struct mb_place places[MB_MAX_LEGS];
	struct mb_leg_cpu legs[MB_MAX_LEGS];
	u64 changes_begun[2];	/* by epoch, from here; see exclusion.h */
	u64 changes_done[2];	/* here, wherever they were begun */
	struct mb_latency_sum latencies[MB_MAX_LEGS];	/* scratch: sums over all CPUs */
};

struct mb_leg {
	struct dm_dev *dev;	/* NULL: missing */
	struct block_device *bdev;
	u64 data_offset;	/* sectors */
	bool rotational;

	/* Rotational arrays only: exact, shared by all CPUs. */
	atomic_t in_flight;
	atomic_t writes_in_flight;	/* among them */

	/* Never reset, inherited over a reload. */
	atomic64_t read_errors;
	atomic64_t write_errors;
	atomic64_t repaired_sectors;
	struct mb_error_budget read_error_budget;	/* under state_lock */

	atomic64_t redirected_reads;
	u64 base[MB_NR_COUNTERS];	/* at the last reset_counters; under config_mutex */
};

/* A range that one of us has for himself. Owned by whoever excludes it. */
struct mb_exclusion {
	u64 from, end;			/* sectors of the array */
	u32 in_sync;			/* legs, when it was had; 0 before; under mb_exclusions.lock */
	struct list_head entry;		/* likewise */
};

/* See exclusion.h. */
struct mb_exclusions {
	int epoch;			/* 0 or 1; changed under drain_mutex */
	u32 nr;				/* on the list; changed under lock */
	spinlock_t lock;
	struct list_head list;
	struct bio_list held;		/* writes that wait for an end; under lock */
	wait_queue_head_t ended;	/* an exclusion has */
	struct mutex drain_mutex;
};

/* What writes unreadable sectors again; see repair.h. */
struct mb_repair {
	struct page *good, *found;	/* a block each, of the repair at work */
	atomic_t waiting;		/* repairs, the one at work among them */
	bool stopped;			/* from suspend to resume */
};

/* What makes the copies the same; see recovery.h. Plain words: each is one decision. */
struct mb_recovery {
	struct work_struct work;
	wait_queue_head_t wake;		/* the worker, from its rest */
	bool stopped;			/* until the first resume, and from suspend to resume */
	bool frozen;			/* by an operator; inherited over a reload */
	bool stuck;			/* until somebody asks again; set under state_lock */
	u32 limit;			/* KiB a second; 0: none */
	u32 orders;			/* that somebody has given; counts up, under state_lock */
	u32 restarts;			/* likewise, to begin anew */

	/* Of the worker. */
	struct dm_kcopyd_client *copier;
	struct mb_copy_run *runs;	/* scratch, one a leg */
	struct mb_pace pace;
	u64 traffic;			/* mb_legs_traffic() when it last looked */
};

struct mb_array {
	struct dm_target *ti;
	char name[DM_NAME_LEN + 16];
	struct mb_layout layout;

	/*
	 * Bit masks of legs. in_sync only ever loses bits. Both are changed
	 * under state_lock, and mb_choice_changed() called.
	 */
	u32 in_sync;
	u32 write_mostly;
	bool plain_choice;	/* all legs can be asked, none is rotational */

	/*
	 * So many sectors from the first on are the same on all legs in sync; of
	 * those behind, only the first copy is read. Under state_lock, likewise.
	 */
	u64 synced;

	struct mb_exclusions exclusions;
	struct mb_repair repair;
	struct mb_recovery recovery;

	bool writable;		/* by the table's mode */
	bool changes_refused;	/* see mb_refuse_changes() in write.h; set once, never cleared */
	bool flush_lost;	/* likewise; see mb_lose_flush() */

	struct mb_metadata *metadata;	/* see metadata.h; NULL without the feature */
	bool unrecorded;		/* likewise; changed under state_lock */
	struct mb_intent *intent;	/* see intent.h; NULL without the feature */

	u32 present;		/* had a device when the table was made */
	u32 all_legs;
	u32 discards;		/* legs that can discard */

	bool rotational;	/* at least one leg is */
	struct mb_policy __rcu *policy;
	unsigned long read_ahead_pages;	/* that the device was given; see read_ahead.c */
	struct mb_cpu __percpu *cpus;

	/* Rotational arrays only: the views of all CPUs, under choice_lock. */
	struct mb_leg_view views[MB_MAX_LEGS];
	raw_spinlock_t choice_lock;	/* with interrupts off */
	spinlock_t state_lock;
	struct mutex config_mutex;

	mempool_t writes;	/* of struct mb_write, each with its clones */
	struct bio_set bios;	/* clones of retried reads, discards and zeroes */
	spinlock_t held_lock;
	struct bio_list held;	/* writes that wait for an element of `writes` */
	struct work_struct held_work;

	u32 largest_block;	/* bytes; no leg may be asked for less */
	mempool_t bounce_pages;	/* for copies that are written again */
	u32 bounce_bytes;	/* of one of them */
	u32 block_bytes;	/* a physical block of whichever leg: what a medium can lose */
	mempool_t block_pages;	/* as large; for copies that are made the same */

	/* Apart, so that none waits behind another that waits for slow legs. */
	struct workqueue_struct *workqueue;		/* held writes, events */
	struct workqueue_struct *retry_workqueue;	/* reads that failed */
	struct workqueue_struct *repair_workqueue;	/* unreadable sectors, one read's at a time */
	struct workqueue_struct *recovery_workqueue;	/* one worker */
	struct workqueue_struct *settle_workqueue;	/* writes that failed */
	struct workqueue_struct *range_workqueue;	/* discards and zeroes */
	struct workqueue_struct *metadata_workqueue;	/* that a leg has failed */
	struct workqueue_struct *intent_workqueue;	/* regions to be marked, and cleared */
	struct work_struct event_work;

	struct list_head register_entry;	/* under leg_register's mutex */
	bool live;				/* likewise: the table of its device */

	struct mb_leg legs[];
};

/* What the completion of a read has to do besides the usual. */
enum mb_read_special {
	MB_READ_PLAIN,
	MB_READ_SAMPLED,	/* take its latency; all reads of rotational arrays */
	MB_READ_RETRIED,	/* nothing: other copies were asked, and have been counted */
};

/* What is kept beside each bio that device-mapper hands us. */
struct mb_io {
	struct bvec_iter iter;		/* reads: as it came, sectors of the array */
	u32 leg;			/* reads: that serves it */
	enum mb_read_special special;	/* reads */
	u64 started_ns;			/* reads: if sampled */
	u64 distance;			/* reads of rotational arrays: sectors to the head */
	u32 in_flight;			/* likewise: on the leg before this one */

	/* Set only when the bio is handed to a worker. */
	struct mb_array *array;
	struct work_struct work;
};

/* A bio of mb_array.bios with what its completion needs to know. */
struct mb_piece {
	u32 leg;
	struct bio bio;		/* last: the bioset's front padding ends here */
};

/*
 * What a request of ours to a leg does not inherit: how its submitter waits and
 * what he would do about an error; where his bios are freed; and REQ_DRV, by
 * which device-mapper marks a polled bio that it has cut (REQ_DM_POLL_LIST), and
 * which means something else to each driver.
 */
#define MB_NOT_INHERITED \
	(REQ_NOWAIT | REQ_POLLED | REQ_RAHEAD | REQ_FAILFAST_MASK | REQ_ALLOC_CACHE | REQ_DRV)

static inline struct mb_io *mb_io(struct bio *bio)
{
	return dm_per_bio_data(bio, sizeof(struct mb_io));
}

/*
 * Leave what lies beyond so many sectors to a bio of its own; returns the
 * sectors that stay. Here, not by dm_set_target_max_io_len(), which costs every
 * I/O more.
 */
static __always_inline u32 mb_trim(struct bio *bio, u64 contiguous)
{
	u32 sectors = bio_sectors(bio);

	if (likely(sectors <= contiguous))
		return sectors;
	/* A part completes with the whole, which cannot be polled for it. */
	bio->bi_opf &= ~REQ_POLLED;
	dm_accept_partial_bio(bio, contiguous);
	return contiguous;
}

/* The same by what every leg holds contiguously. */
static __always_inline u32 mb_trim_to_contiguous(const struct mb_array *array, struct bio *bio,
						 sector_t sector)
{
	return mb_trim(bio, mb_layout_contiguous(&array->layout, sector));
}

/* Name and number of the mapped device, for the log: "vm (253:0)". */
static inline const char *mb_array_name(const struct mb_array *array)
{
	return array->name;
}

/**
 * mb_array_learn_name - look up what the mapped device is called by now
 * @array: an array that does no I/O, since the name changes under its readers
 *
 * Context: process, may sleep.
 */
void mb_array_learn_name(struct mb_array *array);

/**
 * mb_array_create - make an array from a parsed table
 * @ti: the target; its mode says how legs are opened
 * @table: the parsed table
 * @array: receives the array
 * @error: receives what is wrong
 *
 * Context: constructor; may sleep and load a policy's module.
 * Return: 0 or a negative errno with @error set.
 */
int mb_array_create(struct dm_target *ti, struct mb_table *table, struct mb_array **array,
		    struct mb_error *error);

/**
 * mb_array_destroy - undo mb_array_create()
 * @array: an array without I/O
 *
 * Context: process, may sleep.
 */
void mb_array_destroy(struct mb_array *array);

/**
 * mb_array_quiesce - let deferred work of the array finish
 * @array: an array whose I/O has ended
 *
 * Context: process, may sleep.
 */
void mb_array_quiesce(struct mb_array *array);

#endif /* MB_ARRAY_H */
