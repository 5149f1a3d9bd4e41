/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an array keeps on its legs (feature `metadata`), and when it is written:
 * before the first I/O, that the array is in use; when a leg fails, before any
 * change is acknowledged that the leg may have missed; when a setting changes;
 * and at suspend, last of all.
 *
 * A leg that failed is out of mb_array.in_sync at once, and not yet in what is
 * stored. In between mb_array.unrecorded is true, and changes that are done wait
 * in mb_metadata.held. A leg to which the superblock cannot be written fails in
 * turn; if it has to stay, nothing can be recorded any more, and no change
 * succeeds from then on.
 */
#ifndef MB_METADATA_H
#define MB_METADATA_H

#include "array.h"
#include "superblock.h"

struct mb_metadata {
	struct mb_array *array;
	struct mutex mutex;		/* one superblock at a time; see array.h */
	bool running;			/* from resume to suspend; under mutex */
	bool lost;			/* a leg that has to stay cannot be written; under state_lock */
	struct mb_error refusal;	/* why the table does no I/O; set by its first resume */
	char policy[MB_POLICY_BYTES + 1];	/* to be stored; under state_lock */
	char policy_args[MB_POLICY_ARGS_BYTES + 1];	/* likewise */
	struct bio_list held;		/* changes that are done; under state_lock */
	struct work_struct work;	/* a leg has failed */
	struct page *pages;		/* MB_SUPERBLOCK_BLOCKS blocks; under mutex */
	struct mb_superblock stored;	/* last one written, or being written; under mutex */
	u32 owed;			/* legs that have not got it yet; under mutex */
	u32 left_out;			/* legs that the table starts without; under mutex */
	u32 next_block[MB_MAX_LEGS];	/* of each leg, to be written; under mutex */
	struct mb_superblock found[];	/* one a leg, as read; under mutex */
};

/**
 * mb_metadata_create - read and check what legs say of themselves
 * @array: an array under construction, its legs open
 * @error: receives which leg is wrong, and how
 *
 * Not if the device runs already: its legs are known, and a failed one may not even
 * be readable.
 *
 * Context: constructor, may sleep.
 * Return: 0 or a negative errno with @error set.
 */
int mb_metadata_create(struct mb_array *array, struct mb_error *error);

/**
 * mb_metadata_destroy - undo mb_metadata_create(); writes nothing
 * @array: an array whose workqueues are gone
 */
void mb_metadata_destroy(struct mb_array *array);

/**
 * mb_metadata_find - learn from the legs which of them are in sync
 * @array: about to be resumed for the first time, and no table before it
 *
 * Context: process, sleeps; allocates nothing.
 * Return: true, or false if the table is to do no I/O; see mb_metadata_refusal().
 */
bool mb_metadata_find(struct mb_array *array);

/**
 * mb_metadata_inherit - know what the table before has stored
 * @array: about to be resumed for the first time
 * @old: its predecessor, which does no I/O any more
 *
 * Context: process, never sleeps.
 */
void mb_metadata_inherit(struct mb_array *array, const struct mb_array *old);

/**
 * mb_metadata_begin - store that the array is in use
 * @array: about to be resumed
 *
 * Context: process, sleeps; allocates nothing.
 */
void mb_metadata_begin(struct mb_array *array);

/**
 * mb_metadata_end - store that the array is not in use
 * @array: suspended, without I/O and deferred work
 *
 * Context: process, sleeps; allocates nothing.
 */
void mb_metadata_end(struct mb_array *array);

/**
 * mb_metadata_save - store what has changed, and wait until it is durable
 * @array: the array
 *
 * At a time when there is no I/O nothing is written: the next resume will.
 *
 * Context: process, sleeps; allocates nothing.
 */
void mb_metadata_save(struct mb_array *array);

/* The same, later: a leg has failed, and `unrecorded` is set. Context: any. */
void mb_metadata_save_soon(struct mb_array *array);

/* What is stored of the policy from now on. Context: process, never sleeps, config_mutex held. */
void mb_metadata_note_policy(struct mb_array *array);

/* Work function of mb_metadata.work. */
void mb_metadata_work(struct work_struct *work);

/* Let the owner of a change that is done wait, or fail. Context: any. */
void mb_metadata_hold(struct mb_array *array, struct bio *bio);

/* Why a table does no I/O; NULL if it does. Context: any. */
static inline const char *mb_metadata_refusal(const struct mb_array *array)
{
	const struct mb_metadata *metadata = array->metadata;

	return metadata && metadata->refusal.text[0] ? metadata->refusal.text : NULL;
}

/*
 * A change is done on all legs that had to take it: tell its owner, or let him
 * wait until the stored state calls no other leg in sync.
 *
 * mb_leg_fail() sets `unrecorded` before it takes the leg out of `in_sync`: who
 * saw that leg gone when the change was begun sees `unrecorded` here, until it
 * has been recorded. Context: any; since `in_sync` was read a full barrier.
 */
static inline void mb_acknowledge(struct mb_array *array, struct bio *bio)
{
	if (likely(!READ_ONCE(array->unrecorded)))
		bio_endio(bio);
	else
		mb_metadata_hold(array, bio);
}

#endif /* MB_METADATA_H */
