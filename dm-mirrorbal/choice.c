// SPDX-License-Identifier: GPL-2.0-only
#include "choice.h"
#include "exclusion.h"
#include "recovery.h"

/* Whom a read may ask. */
struct askable {
	u32 in_sync;	/* legs */
	u32 avoid;	/* legs that may not be asked all the same */
	bool same;	/* all copies on legs in sync are */
};

void mb_choice_changed(struct mb_array *array)
{
	bool plain = !array->rotational && !array->write_mostly &&
		     array->in_sync == array->all_legs && mb_all_synced(array);

	WRITE_ONCE(array->plain_choice, plain);
}

/*
 * Take out of a read's places those that may not be asked: legs out of sync,
 * legs to avoid, and write-mostly ones while another is left.
 */
static u32 filter_candidates(const struct mb_array *array, struct mb_place *places,
			     struct askable askable)
{
	u32 readable = askable.in_sync & ~askable.avoid;
	u32 write_mostly = READ_ONCE(array->write_mostly);
	u32 holding = 0, nr = 0, copy;

	for (copy = 0; copy < array->layout.shape.copies; copy++)
		holding |= BIT(places[copy].leg);
	if (holding & readable & ~write_mostly)
		readable &= ~write_mostly;
	for (copy = 0; copy < array->layout.shape.copies; copy++)
		if (readable & BIT(places[copy].leg))
			places[nr++] = places[copy];
	return nr;
}

/*
 * Where copies may differ everybody reads the same one. If it cannot be read it
 * takes more than asking another, but for a read-only array, where all that can
 * be done is to ask in the same order each time.
 */
static u32 only_first_copy(const struct mb_array *array, struct mb_place *places,
			   struct askable askable)
{
	u32 copies = array->layout.shape.copies;
	u32 legs = array->writable ? askable.in_sync : askable.in_sync & ~askable.avoid;
	u32 first = mb_health_first_copy(places, copies, legs);

	if (first == copies || askable.avoid & BIT(places[first].leg))
		return 0;
	places[0] = places[first];
	return 1;
}

/* @sectors receives for how much of the read the answer holds. */
static struct askable who_is_askable(struct mb_array *array, u64 sector, u32 *sectors, u32 avoid)
{
	if (likely(mb_is_synced(array, sector, *sectors)))
		return (struct askable){ READ_ONCE(array->in_sync), avoid, true };
	return (struct askable){ mb_exclusion_in_sync(array, sector, sectors), avoid, false };
}

/* Time in ms, as exact as a tick; never 0, which stands for no time. */
static u32 mb_ms(void)
{
	return jiffies_to_msecs(jiffies) | 1;
}

/* The state of the policy that this read is to see, with its views current. */
static void *prepare_state(struct mb_array *array, struct mb_cpu *cpu,
			   const struct mb_policy *policy)
{
	u32 i;

	if (!array->rotational) {
		if (policy->wants_in_flight && mb_others_may_be_stale(cpu))
			mb_sum_others(array, cpu, policy->wants_latency);
		return this_cpu_ptr(policy->cpu_states);
	}
	cpu->read.ms = mb_ms();
	for (i = 0; i < cpu->read.nr_candidates; i++) {
		u32 leg = cpu->places[i].leg;

		array->views[leg].in_flight_here = atomic_read(&array->legs[leg].in_flight);
		array->views[leg].writes_in_flight =
			max(atomic_read(&array->legs[leg].writes_in_flight), 0);
	}
	return policy->shared_state;
}

/*
 * What follows runs with preemption off, and under choice_lock if the array is
 * rotational.
 */

/* Who could serve a read; false if nobody. */
static bool gather(struct mb_array *array, struct mb_cpu *cpu, u64 sector, u32 sectors,
		   struct askable askable)
{
	mb_fill_read(array, cpu, sector, sectors);
	cpu->read.nr_candidates = likely(askable.same) ?
		filter_candidates(array, cpu->places, askable) :
		only_first_copy(array, cpu->places, askable);
	return cpu->read.nr_candidates;
}

/* The candidate at @pick serves the read. */
static void start_read(struct mb_array *array, struct mb_cpu *cpu, u32 pick,
		       struct mb_place *place, struct mb_read_start *start)
{
	struct mb_leg_view *views = array->rotational ? array->views : cpu->views;
	struct mb_leg_view *view;
	bool sampled;

	*place = cpu->places[pick];
	view = &views[place->leg];
	if (array->rotational)
		start->distance = mb_candidate_distance(&cpu->read, place);
	mb_leg_start(array, place->leg);
	sampled = mb_note_read(cpu, view, place->leg, place->sector, cpu->read.sectors);
	if (array->rotational)
		start->in_flight = max(atomic_read(&array->legs[place->leg].in_flight), 1);
	else
		start->in_flight = sampled ? mb_in_flight_with(view) : 0;
}

static bool choose(struct mb_array *array, struct mb_cpu *cpu, u64 sector, u32 sectors,
		   struct askable askable, struct mb_place *place, struct mb_read_start *start)
{
	const struct mb_policy *policy = rcu_dereference_sched(array->policy);
	u32 pick = 0;

	if (!gather(array, cpu, sector, sectors, askable))
		return false;
	if (cpu->read.nr_candidates > 1)
		pick = mb_ask_policy(policy, prepare_state(array, cpu, policy), &cpu->read);
	start_read(array, cpu, pick, place, start);
	return true;
}

/* So much of a read as the policy would have one leg serve. */
static u32 cut(const struct mb_array *array, const struct mb_policy *policy, void *state,
	       const struct mb_read *read)
{
	u32 sectors;

	if (!policy->ops->cut)
		return read->sectors;
	sectors = policy->ops->cut(policy->config, state, read);
	/* Windows need not be whole blocks, but what a leg is asked for must. */
	sectors = round_down(sectors, array->largest_block >> SECTOR_SHIFT);
	return sectors ? min(sectors, read->sectors) : read->sectors;
}

/* Rotational arrays only: choose() of as much as one leg is to serve. */
static bool choose_part(struct mb_array *array, struct mb_cpu *cpu, u64 sector, u32 *sectors,
			struct askable askable, struct mb_place *place,
			struct mb_read_start *start)
{
	const struct mb_policy *policy = rcu_dereference_sched(array->policy);
	u32 pick = 0;
	void *state;

	if (!gather(array, cpu, sector, *sectors, askable))
		return false;
	if (cpu->read.nr_candidates > 1) {
		state = prepare_state(array, cpu, policy);
		cpu->read.sectors = cut(array, policy, state, &cpu->read);
		pick = mb_ask_policy(policy, state, &cpu->read);
	}
	*sectors = cpu->read.sectors;
	start_read(array, cpu, pick, place, start);
	return true;
}

static bool choose_whole(struct mb_array *array, u64 sector, u32 sectors, struct askable askable,
			 struct mb_place *place, struct mb_read_start *start)
{
	unsigned long flags;
	struct mb_cpu *cpu;
	bool chosen;

	preempt_disable();
	cpu = this_cpu_ptr(array->cpus);
	if (array->rotational) {
		raw_spin_lock_irqsave(&array->choice_lock, flags);
		chosen = choose(array, cpu, sector, sectors, askable, place, start);
		raw_spin_unlock_irqrestore(&array->choice_lock, flags);
	} else {
		chosen = choose(array, cpu, sector, sectors, askable, place, start);
	}
	preempt_enable();
	return chosen;
}

bool mb_choose(struct mb_array *array, u64 sector, u32 sectors, u32 avoid,
	       struct mb_place *place, struct mb_read_start *start)
{
	u32 askable_sectors = sectors;
	/* Before the locks: who has excluded the range may have to be looked for. */
	struct askable askable = who_is_askable(array, sector, &askable_sectors, avoid);

	return askable_sectors == sectors &&
	       choose_whole(array, sector, sectors, askable, place, start);
}

bool mb_choose_part(struct mb_array *array, u64 sector, u32 *sectors, struct mb_place *place,
		    struct mb_read_start *start)
{
	struct askable askable = who_is_askable(array, sector, sectors, 0);
	unsigned long flags;
	bool chosen;

	if (!array->rotational)
		return choose_whole(array, sector, *sectors, askable, place, start);
	/* Interrupts off are preemption off, too. */
	raw_spin_lock_irqsave(&array->choice_lock, flags);
	chosen = choose_part(array, this_cpu_ptr(array->cpus), sector, sectors, askable,
			     place, start);
	raw_spin_unlock_irqrestore(&array->choice_lock, flags);
	return chosen;
}

void mb_choice_completed(struct mb_array *array, const struct mb_io *io, u64 ns)
{
	struct mb_completion done = {
		.leg = io->leg,
		.sectors = io->iter.bi_size >> SECTOR_SHIFT,
		.distance = io->distance,
		.in_flight = io->in_flight - 1,
		.ns = ns,
	};
	const struct mb_policy *policy;
	unsigned long flags;

	/* Interrupts off are a reader's section, too. */
	raw_spin_lock_irqsave(&array->choice_lock, flags);
	policy = rcu_dereference_sched(array->policy);
	if (policy->ops->completed)
		policy->ops->completed(policy->config, policy->shared_state, &done);
	raw_spin_unlock_irqrestore(&array->choice_lock, flags);
}

u32 mb_choice_slow_legs(struct mb_array *array)
{
	const struct mb_policy *policy = rcu_dereference_protected(array->policy,
							lockdep_is_held(&array->config_mutex));
	unsigned long flags;
	u32 slow = 0;

	if (!array->rotational)
		return policy->wants_latency ? mb_others_slow_legs(array) : 0;
	if (!policy->ops->slow)
		return 0;
	raw_spin_lock_irqsave(&array->choice_lock, flags);
	slow = policy->ops->slow(policy->config, policy->shared_state);
	raw_spin_unlock_irqrestore(&array->choice_lock, flags);
	return slow;
}
