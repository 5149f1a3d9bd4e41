// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/timekeeping.h>
#include <linux/uuid.h>

#include "assembly.h"
#include "choice.h"
#include "intent.h"
#include "leg.h"
#include "leg_io.h"
#include "leg_register.h"
#include "metadata.h"
#include "metadata_io.h"
#include "policy_registry.h"
#include "recovery.h"
#include "write.h"

#define PAGES_ORDER get_order(MB_SUPERBLOCK_BLOCKS * MB_SUPERBLOCK_BYTES)

static int read_leg(struct mb_array *array, u32 leg, struct mb_error *error)
{
	struct mb_metadata *metadata = array->metadata;
	struct mb_superblock *found = &metadata->found[leg];
	struct mb_error why;

	if (bdev_logical_block_size(array->legs[leg].bdev) > MB_SUPERBLOCK_BYTES)
		return mb_error_set(error, "leg %u (%pg) has logical blocks of %u bytes; with metadata allowed are at most %u",
				    leg, array->legs[leg].bdev,
				    bdev_logical_block_size(array->legs[leg].bdev),
				    MB_SUPERBLOCK_BYTES);
	if (mb_superblock_read_leg(array, leg, metadata->pages, found, &why) ||
	    mb_superblock_fits(found, &array->layout, leg, array->legs[leg].data_offset, &why))
		return mb_error_set(error, "leg %u (%pg): %.200s", leg, array->legs[leg].bdev,
				    why.text);
	metadata->next_block[leg] = (found->number + 1) % MB_SUPERBLOCK_BLOCKS;
	return 0;
}

static int read_legs(struct mb_array *array, struct mb_error *error)
{
	unsigned long present = array->present;
	u32 leg;

	for_each_set_bit(leg, &present, MB_MAX_LEGS)
		if (read_leg(array, leg, error))
			return -1;
	return 0;
}

/* Of legs that the table names, none may have been in sync, and not be. */
static int judge(struct mb_array *array, struct mb_assembly *assembly, struct mb_error *error)
{
	const struct mb_superblock *legs[MB_MAX_LEGS] = { NULL };
	u32 nr_legs = array->layout.shape.legs, leg;

	for (leg = 0; leg < nr_legs; leg++)
		if (array->present & BIT(leg))
			legs[leg] = &array->metadata->found[leg];
	if (mb_assembly_judge(legs, nr_legs, assembly, error))
		return -1;
	for (leg = 0; leg < nr_legs; leg++)
		if (assembly->lost & array->present & BIT(leg))
			return mb_error_set(error,
					    "leg %u (%pg) was in sync and has missed writes since; give '-' to start without it",
					    leg, array->legs[leg].bdev);
	return 0;
}

static int check_legs(struct mb_array *array, struct mb_error *error)
{
	struct mb_assembly assembly;

	if (mb_array_runs(array))
		return 0;
	return read_legs(array, error) || judge(array, &assembly, error) ? -1 : 0;
}

int mb_metadata_create(struct mb_array *array, struct mb_error *error)
{
	struct mb_metadata *metadata;

	metadata = kvzalloc(struct_size(metadata, found, array->layout.shape.legs), GFP_KERNEL);
	if (!metadata) {
		mb_error_set(error, "no memory for the superblocks of %u legs",
			     array->layout.shape.legs);
		return -ENOMEM;
	}
	metadata->array = array;
	mutex_init(&metadata->mutex);
	bio_list_init(&metadata->held);
	INIT_WORK(&metadata->work, mb_metadata_work);
	array->metadata = metadata;
	metadata->pages = alloc_pages(GFP_KERNEL, PAGES_ORDER);
	if (!metadata->pages || mb_intent_create(array)) {
		mb_error_set(error, "no memory for superblocks and bitmaps");
		return -ENOMEM;
	}
	return check_legs(array, error) ? -EINVAL : 0;
}

void mb_metadata_destroy(struct mb_array *array)
{
	if (!array->metadata)
		return;
	if (array->metadata->pages)
		__free_pages(array->metadata->pages, PAGES_ORDER);
	kvfree(array->metadata);
}

static void refuse(struct mb_array *array)
{
	DMERR("%s: does no I/O: %s", mb_array_name(array), array->metadata->refusal.text);
	WRITE_ONCE(array->changes_refused, true);
	spin_lock_irq(&array->state_lock);
	WRITE_ONCE(array->in_sync, 0);
	smp_store_release(&array->synced, array->layout.length);
	mb_choice_changed(array);
	spin_unlock_irq(&array->state_lock);
}

static void say_who_is_behind(const struct mb_array *array, u32 behind)
{
	u32 leg;

	for (leg = 0; leg < array->layout.shape.legs; leg++)
		if (behind & BIT(leg))
			DMWARN("%s: leg %u (%pg) is stale and not used", mb_array_name(array), leg,
			       array->legs[leg].bdev);
}

/* The power may have gone when some had got it. */
static u32 who_lacks(const struct mb_array *array, const struct mb_superblock *newest)
{
	u32 lacks = 0, leg;

	for (leg = 0; leg < array->layout.shape.legs; leg++)
		if (array->present & BIT(leg) &&
		    array->metadata->found[leg].generation < newest->generation)
			lacks |= BIT(leg);
	return lacks;
}

static void take_over(struct mb_array *array, const struct mb_assembly *assembly)
{
	struct mb_metadata *metadata = array->metadata;
	u64 end;

	metadata->stored = metadata->found[assembly->newest];
	metadata->owed = who_lacks(array, &metadata->stored) & assembly->in_sync;
	metadata->left_out = assembly->lost;
	say_who_is_behind(array, assembly->behind);
	spin_lock_irq(&array->state_lock);
	WRITE_ONCE(array->in_sync, array->in_sync & assembly->in_sync);
	mb_choice_changed(array);
	spin_unlock_irq(&array->state_lock);

	/* Of the legs in sync. */
	mb_intent_load(array, &metadata->stored.state);
	spin_lock_irq(&array->state_lock);
	if (!array->recovery.restarts)
		smp_store_release(&array->synced, mb_intent_next_unsynced(array, 0, &end));
	mb_choice_changed(array);
	spin_unlock_irq(&array->state_lock);
}

bool mb_metadata_find(struct mb_array *array)
{
	struct mb_metadata *metadata = array->metadata;
	struct mb_assembly assembly;

	metadata->refusal.text[0] = '\0';
	if (read_legs(array, &metadata->refusal) ||
	    judge(array, &assembly, &metadata->refusal)) {
		refuse(array);
		return false;
	}
	take_over(array, &assembly);
	return true;
}

void mb_metadata_inherit(struct mb_array *array, const struct mb_array *old)
{
	struct mb_metadata *to = array->metadata;
	const struct mb_metadata *from = old->metadata;

	to->stored = from->stored;
	to->owed = from->owed;
	to->left_out = from->left_out;
	memcpy(to->next_block, from->next_block, sizeof(to->next_block));
	mb_intent_inherit(array, old);
}

static blk_status_t write_leg(struct mb_array *array, u32 leg)
{
	struct mb_metadata *metadata = array->metadata;
	struct mb_superblock *stored = &metadata->stored;
	blk_status_t status;

	stored->leg = leg;
	stored->data_offset = array->legs[leg].data_offset;
	stored->leg_sectors = mb_layout_leg_sectors(&array->layout, leg);
	status = mb_superblock_write_leg(array, leg, metadata->pages, stored,
					 metadata->next_block[leg]);
	/* The other block is whole, and older. */
	if (!status)
		metadata->next_block[leg] = (metadata->next_block[leg] + 1) % MB_SUPERBLOCK_BLOCKS;
	return status;
}

static void note_state(struct mb_array *array, u32 in_sync)
{
	struct mb_metadata *metadata = array->metadata;
	struct mb_superblock *stored = &metadata->stored;
	struct mb_error ignored;
	u32 write_mostly = READ_ONCE(array->write_mostly), leg;

	spin_lock_irq(&array->state_lock);
	/* What cannot be kept is a preference. */
	mb_state_set_policy(&stored->state, metadata->policy, metadata->policy_args, &ignored);
	spin_unlock_irq(&array->state_lock);
	stored->generation++;
	stored->state.updated = ktime_get_real_seconds();
	stored->state.resync_limit = READ_ONCE(array->recovery.limit);
	mb_assembly_note_states(stored, array->present, in_sync);
	for (leg = 0; leg < array->layout.shape.legs; leg++)
		stored->legs[leg].write_mostly = write_mostly & BIT(leg);
}

/* Context: state_lock held. */
static struct bio_list take_held(struct mb_metadata *metadata)
{
	struct bio_list held = metadata->held;

	bio_list_init(&metadata->held);
	return held;
}

static void end_held(struct bio_list *held, blk_status_t status)
{
	struct bio *bio;

	while ((bio = bio_list_pop(held))) {
		/* A read has what it asked for. */
		if (status && op_is_write(bio_op(bio)))
			bio->bi_status = status;
		bio_endio(bio);
	}
}

/* Stored is that the others are not in sync; who waited for that need wait no longer. */
static void release_held(struct mb_array *array, u32 in_sync)
{
	struct bio_list held = BIO_EMPTY_LIST;

	spin_lock_irq(&array->state_lock);
	/* Another may have failed since: its superblock is still to come. */
	if (array->in_sync == in_sync) {
		WRITE_ONCE(array->unrecorded, false);
		held = take_held(array->metadata);
	}
	spin_unlock_irq(&array->state_lock);
	end_held(&held, BLK_STS_OK);
}

static void give_up(struct mb_array *array)
{
	struct bio_list held;

	mb_refuse_changes(array, "the superblock cannot be written to a leg that holds the last copy of some data");
	spin_lock_irq(&array->state_lock);
	array->metadata->lost = true;
	WRITE_ONCE(array->unrecorded, true);
	held = take_held(array->metadata);
	spin_unlock_irq(&array->state_lock);
	end_held(&held, BLK_STS_IOERR);
}

/* Returns those that have not taken it. */
static unsigned long write_owed(struct mb_array *array)
{
	unsigned long owed = array->metadata->owed, failed = 0;
	u32 leg;

	for_each_set_bit(leg, &owed, MB_MAX_LEGS) {
		if (write_leg(array, leg))
			failed |= BIT(leg);
		else
			array->metadata->owed &= ~BIT(leg);
	}
	return failed;
}

/* Until all legs in sync have the last superblock; false if one that has to stay does not take it. */
static bool deliver(struct mb_array *array)
{
	struct mb_metadata *metadata = array->metadata;
	unsigned long failed;

	do {
		metadata->owed &= READ_ONCE(array->in_sync);
		failed = write_owed(array);
		if (failed &&
		    !mb_legs_fail_writing(array, failed, "its superblock cannot be written")) {
			give_up(array);
			return false;
		}
	} while (failed);
	return true;
}

/*
 * No leg gets a superblock before all have the one before, or have failed: who
 * lacks two is taken for stale. Each round has fewer legs.
 * Context: mutex held.
 */
static void store(struct mb_array *array)
{
	struct mb_metadata *metadata = array->metadata;
	u32 in_sync;

	if (metadata->lost || !deliver(array))
		return;
	do {
		in_sync = READ_ONCE(array->in_sync);
		note_state(array, in_sync);
		metadata->owed = in_sync;
		if (!deliver(array))
			return;
	} while (READ_ONCE(array->in_sync) != in_sync);
	release_held(array, in_sync);
}

/* What one has seen and the other not cannot be known from here on by counting alone. */
static void begin_history(struct mb_array *array)
{
	struct mb_metadata *metadata = array->metadata;
	u8 uuid[MB_UUID_BYTES];

	DMWARN("%s: starts without legs that were in sync (leg mask 0x%x)", mb_array_name(array),
	       metadata->left_out);
	metadata->left_out = 0;
	generate_random_uuid(uuid);
	mb_history_branch(&metadata->stored.state.history, uuid, metadata->stored.generation);
}

void mb_metadata_note_policy(struct mb_array *array)
{
	const struct mb_policy *policy = rcu_dereference_protected(array->policy,
								  lockdep_is_held(&array->config_mutex));
	struct mb_metadata *metadata = array->metadata;
	char args[sizeof(metadata->policy_args)];

	if (!metadata)
		return;
	mb_policy_args(policy, args, sizeof(args));
	spin_lock_irq(&array->state_lock);
	strscpy(metadata->policy, policy->ops->name, sizeof(metadata->policy));
	strscpy(metadata->policy_args, args, sizeof(metadata->policy_args));
	spin_unlock_irq(&array->state_lock);
}

void mb_metadata_begin(struct mb_array *array)
{
	struct mb_metadata *metadata = array->metadata;

	if (!metadata || !array->writable)
		return;
	/* Stored, that would be the end of it: the leg that is left out may hold all. */
	if (!mb_health_complete(&array->layout, READ_ONCE(array->in_sync), NULL)) {
		mb_refuse_changes(array, "the table leaves out the last good copy of some data");
		return;
	}
	mutex_lock(&array->config_mutex);
	mb_metadata_note_policy(array);
	mutex_unlock(&array->config_mutex);

	mutex_lock(&metadata->mutex);
	metadata->running = true;
	/* As it was found, before it is changed. */
	if (deliver(array)) {
		if (metadata->left_out)
			begin_history(array);
		metadata->stored.state.dirty = true;
		store(array);
	}
	mutex_unlock(&metadata->mutex);
	mb_intent_begin(array);
}

void mb_metadata_end(struct mb_array *array)
{
	struct mb_metadata *metadata = array->metadata;

	if (!metadata)
		return;
	mb_intent_end(array);
	mutex_lock(&metadata->mutex);
	if (metadata->running) {
		metadata->running = false;
		if (mb_flush_legs(array) && !READ_ONCE(array->changes_refused))
			metadata->stored.state.dirty = !mb_all_synced(array);
		store(array);
	}
	mutex_unlock(&metadata->mutex);
}

void mb_metadata_save(struct mb_array *array)
{
	struct mb_metadata *metadata = array->metadata;

	if (!metadata)
		return;
	mutex_lock(&metadata->mutex);
	if (metadata->running)
		store(array);
	mutex_unlock(&metadata->mutex);
}

void mb_metadata_work(struct work_struct *work)
{
	struct mb_metadata *metadata = container_of(work, struct mb_metadata, work);

	mb_metadata_save(metadata->array);
}

void mb_metadata_save_soon(struct mb_array *array)
{
	if (array->metadata)
		queue_work(array->metadata_workqueue, &array->metadata->work);
}

void mb_metadata_hold(struct mb_array *array, struct bio *bio)
{
	struct mb_metadata *metadata = array->metadata;
	unsigned long flags;
	bool lost, held;

	spin_lock_irqsave(&array->state_lock, flags);
	lost = metadata->lost;
	held = array->unrecorded && !lost;
	if (held)
		bio_list_add(&metadata->held, bio);
	spin_unlock_irqrestore(&array->state_lock, flags);
	if (held)
		return;
	if (lost && op_is_write(bio_op(bio)))
		bio->bi_status = BLK_STS_IOERR;
	bio_endio(bio);
}
