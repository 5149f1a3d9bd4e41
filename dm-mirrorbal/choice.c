// SPDX-License-Identifier: GPL-2.0-only
#include <linux/rcupdate.h>

#include "choice.h"
#include "leg.h"
#include "others.h"
#include "policy_registry.h"

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

static __always_inline u32 pick_here(struct mb_array *array, struct mb_cpu *cpu,
				     const struct mb_policy *policy)
{
	if ((policy->ops->wants & MB_POLICY_WANTS_IN_FLIGHT) &&
	    unlikely(mb_others_may_be_stale(cpu)))
		mb_sum_others(array, cpu);
	return policy->ops->select(policy->config, this_cpu_ptr(policy->cpu_states), &cpu->read);
}

static u32 pick_shared(struct mb_array *array, struct mb_cpu *cpu, const struct mb_policy *policy)
{
	u32 i;

	for (i = 0; i < cpu->read.nr_candidates; i++) {
		u32 leg = cpu->places[i].leg;

		array->views[leg].in_flight_here = atomic_read(&array->legs[leg].in_flight);
	}
	return policy->ops->select(policy->config, policy->shared_state, &cpu->read);
}

static __always_inline void note_start(struct mb_array *array, struct mb_cpu *cpu,
				       struct mb_leg_view *view, u32 leg, u64 sector,
				       u32 sectors, struct mb_choice *choice)
{
	struct mb_leg_cpu *counted = &cpu->legs[leg];

	mb_leg_start(array, leg);
	counted->sectors_read += sectors;
	if (view->last_end == sector)
		counted->sequential_reads++;
	view->last_end = sector + sectors;
	choice->sampled = array->rotational || !(++counted->reads % MB_LATENCY_SAMPLE);
}

/*
 * With preemption off, and under choice_lock if the array is rotational. What
 * the policy is handed lies in the CPU's scratch space, not on the stack: a
 * local whose address is taken costs a stack canary on every read.
 */
static __always_inline bool choose(struct mb_array *array, struct mb_cpu *cpu, u64 sector,
				   u32 sectors, u32 avoid, struct mb_choice *choice,
				   const bool rotational)
{
	const struct mb_policy *policy = rcu_dereference_sched(array->policy);
	u32 readable = READ_ONCE(array->in_sync) & ~avoid;
	u32 write_mostly = READ_ONCE(array->write_mostly);
	struct mb_leg_view *views = rotational ? array->views : cpu->views;
	struct mb_read *read = &cpu->read;
	u32 nr = array->layout.shape.copies;
	u32 pick = 0, leg;

	mb_layout_map(&array->layout, sector, cpu->places);
	read->sector = sector;
	read->sectors = sectors;
	read->first_leg = cpu->places[0].leg;
	if (unlikely((readable & ~write_mostly) != array->all_legs))
		nr = filter_candidates(array, cpu->places, readable, write_mostly);
	read->nr_candidates = nr;
	if (likely(nr > 1)) {
		pick = rotational ? pick_shared(array, cpu, policy) :
		       pick_here(array, cpu, policy);
		if (unlikely(pick >= nr))
			pick = 0;
	} else if (unlikely(!nr)) {
		return false;
	}

	leg = cpu->places[pick].leg;
	sector = cpu->places[pick].sector;
	choice->leg = leg;
	choice->sector = array->legs[leg].data_offset + sector;
	note_start(array, cpu, &views[leg], leg, sector, sectors, choice);
	return true;
}

static noinline bool choose_shared(struct mb_array *array, struct mb_cpu *cpu, u64 sector,
				   u32 sectors, u32 avoid, struct mb_choice *choice)
{
	bool chosen;

	raw_spin_lock(&array->choice_lock);
	chosen = choose(array, cpu, sector, sectors, avoid, choice, true);
	raw_spin_unlock(&array->choice_lock);
	return chosen;
}

bool mb_choose(struct mb_array *array, u64 sector, u32 sectors, u32 avoid,
	       struct mb_choice *choice)
{
	struct mb_cpu *cpu;
	bool chosen;

	preempt_disable();
	cpu = this_cpu_ptr(array->cpus);
	if (unlikely(array->rotational))
		chosen = choose_shared(array, cpu, sector, sectors, avoid, choice);
	else
		chosen = choose(array, cpu, sector, sectors, avoid, choice, false);
	preempt_enable();
	return chosen;
}
