// SPDX-License-Identifier: GPL-2.0-only
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>

#include "choice.h"
#include "leg.h"
#include "policy_registry.h"

/* A snapshot of the other CPUs' I/O is used for so long. */
#define OTHERS_MAX_AGE_NS NSEC_PER_MSEC

/*
 * Take out of a read's places those that may not be asked: legs out of sync,
 * legs to avoid, and write-mostly ones while another is left.
 */
static u32 filter_candidates(struct mb_array *array, struct mb_place *places, u32 readable,
			     u32 write_mostly)
{
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

static u32 pick_here(struct mb_array *array, struct mb_cpu *cpu, const struct mb_policy *policy,
		     struct mb_read *read)
{
	read->views = cpu->views;
	if (policy->ops->wants & MB_POLICY_WANTS_IN_FLIGHT) {
		u64 now = local_clock();

		if (unlikely(now - cpu->others_summed_at >= OTHERS_MAX_AGE_NS)) {
			cpu->others_summed_at = now;
			mb_leg_sum_others(array, cpu);
		}
	}
	return policy->ops->select(policy->config, this_cpu_ptr(policy->cpu_states), read);
}

static u32 pick_shared(struct mb_array *array, const struct mb_policy *policy,
		       struct mb_read *read)
{
	u32 i;

	read->views = array->views;
	for (i = 0; i < read->nr_candidates; i++) {
		u32 leg = read->candidates[i].leg;

		array->views[leg].in_flight_here = atomic_read(&array->legs[leg].in_flight);
	}
	return policy->ops->select(policy->config, policy->shared_state, read);
}

static void note_start(struct mb_array *array, struct mb_cpu *cpu, struct mb_leg_view *view,
		       const struct mb_place *place, u32 sectors)
{
	struct mb_leg_cpu *counted = &cpu->legs[place->leg];

	mb_leg_start(array, place->leg);
	counted->reads++;
	counted->sectors_read += sectors;
	if (view->last_end == place->sector)
		counted->sequential_reads++;
	view->last_end = place->sector + sectors;
}

/* With preemption off, and under choice_lock if the array is rotational. */
static __always_inline bool choose(struct mb_array *array, struct mb_cpu *cpu, u64 sector,
				   u32 sectors, u32 avoid, struct mb_place *place)
{
	const struct mb_policy *policy = rcu_dereference_sched(array->policy);
	u32 readable = READ_ONCE(array->in_sync) & ~avoid;
	u32 write_mostly = READ_ONCE(array->write_mostly);
	struct mb_read read = {
		.sector = sector,
		.sectors = sectors,
		.candidates = cpu->places,
		.nr_candidates = array->layout.shape.copies,
	};
	u32 pick = 0;

	mb_layout_map(&array->layout, sector, cpu->places);
	read.first_leg = cpu->places[0].leg;
	if (unlikely((readable & ~write_mostly) != array->all_legs))
		read.nr_candidates = filter_candidates(array, cpu->places, readable, write_mostly);
	if (unlikely(!read.nr_candidates))
		return false;

	if (likely(read.nr_candidates > 1)) {
		pick = array->rotational ? pick_shared(array, policy, &read) :
		       pick_here(array, cpu, policy, &read);
		if (unlikely(pick >= read.nr_candidates))
			pick = 0;
	}
	*place = cpu->places[pick];
	note_start(array, cpu, array->rotational ? &array->views[place->leg] :
		   &cpu->views[place->leg], place, sectors);
	return true;
}

bool mb_choose(struct mb_array *array, u64 sector, u32 sectors, u32 avoid,
	       struct mb_place *place, bool *sampled)
{
	struct mb_cpu *cpu;
	bool chosen;

	preempt_disable();
	cpu = this_cpu_ptr(array->cpus);
	if (unlikely(array->rotational)) {
		raw_spin_lock(&array->choice_lock);
		chosen = choose(array, cpu, sector, sectors, avoid, place);
		raw_spin_unlock(&array->choice_lock);
		*sampled = true;
	} else {
		chosen = choose(array, cpu, sector, sectors, avoid, place);
		*sampled = chosen && !(cpu->legs[place->leg].reads % MB_LATENCY_SAMPLE);
	}
	preempt_enable();
	return chosen;
}
