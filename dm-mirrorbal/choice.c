// SPDX-License-Identifier: GPL-2.0-only
#include <linux/rcupdate.h>

#include "choice.h"
#include "leg.h"
#include "policy_registry.h"

/* Which of a read's legs may be asked: never one that is out of sync. */
static u32 readable_legs(const struct mb_array *array, const struct mb_place *places, u32 avoid)
{
	u32 readable = READ_ONCE(array->in_sync) & ~avoid;
	u32 write_mostly = READ_ONCE(array->write_mostly);
	u32 holding = 0, copy;

	if (likely(!write_mostly))
		return readable;
	for (copy = 0; copy < array->layout.shape.copies; copy++)
		holding |= BIT(places[copy].leg);
	return (holding & readable & ~write_mostly) ? readable & ~write_mostly : readable;
}

static u32 collect_candidates(struct mb_array *array, struct mb_cpu *cpu, u32 readable, u32 wants)
{
	u32 copies = array->layout.shape.copies;
	u32 nr = 0, copy;

	for (copy = 0; copy < copies; copy++) {
		const struct mb_place *place = &cpu->places[copy];
		struct mb_candidate *candidate = &cpu->candidates[nr];
		u32 leg = place->leg;

		if (unlikely(!(readable & BIT(leg))))
			continue;
		candidate->sector = place->sector;
		candidate->leg = leg;
		candidate->copy = copy;
		candidate->rotational = array->legs[leg].rotational;
		candidate->last_end = 0;
		candidate->in_flight = 0;
		if (wants & MB_POLICY_WANTS_POSITION)
			candidate->last_end = array->rotational ? array->legs[leg].last_end :
					      cpu->legs[leg].last_end;
		if (wants & MB_POLICY_WANTS_IN_FLIGHT)
			candidate->in_flight = mb_leg_in_flight(array, cpu, leg);
		nr++;
	}
	return nr;
}

static void note_position(struct mb_array *array, struct mb_leg_cpu *here, u32 leg, u64 sector,
			  u32 sectors)
{
	u64 *last_end = array->rotational ? &array->legs[leg].last_end : &here->last_end;

	if (*last_end == sector)
		here->sequential_reads++;
	*last_end = sector + sectors;
	here->sectors_read += sectors;
}

/* With preemption off, and under choice_lock if the array is rotational. */
static bool choose_here(struct mb_array *array, struct mb_cpu *cpu, u64 sector, u32 sectors,
			u32 avoid, struct mb_place *place)
{
	const struct mb_policy *policy = rcu_dereference_sched(array->policy);
	const struct mb_policy_ops *ops = policy->ops;
	struct mb_read read = { .sector = sector, .sectors = sectors };
	u32 pick = 0;

	mb_layout_map(&array->layout, sector, cpu->places);
	if ((ops->wants & MB_POLICY_WANTS_IN_FLIGHT) && !array->rotational)
		mb_leg_refresh_others(array, cpu);
	read.candidates = cpu->candidates;
	read.first_leg = cpu->places[0].leg;
	read.nr_candidates = collect_candidates(array, cpu,
						readable_legs(array, cpu->places, avoid),
						ops->wants);
	if (unlikely(!read.nr_candidates))
		return false;

	if (likely(read.nr_candidates > 1)) {
		void *state = array->rotational ? policy->shared_state :
			      this_cpu_ptr(policy->cpu_states);

		pick = ops->select(policy->config, state, &read);
		if (unlikely(pick >= read.nr_candidates))
			pick = 0;
	}
	place->leg = cpu->candidates[pick].leg;
	place->sector = cpu->candidates[pick].sector;
	mb_leg_start(array, cpu, place->leg);
	note_position(array, &cpu->legs[place->leg], place->leg, place->sector, sectors);
	return true;
}

bool mb_choose(struct mb_array *array, u64 sector, u32 sectors, u32 avoid,
	       struct mb_place *place, bool *sampled)
{
	struct mb_cpu *cpu;
	bool chosen;

	preempt_disable();
	cpu = this_cpu_ptr(array->cpus);
	if (array->rotational) {
		raw_spin_lock(&array->choice_lock);
		chosen = choose_here(array, cpu, sector, sectors, avoid, place);
		raw_spin_unlock(&array->choice_lock);
		*sampled = true;
	} else {
		chosen = choose_here(array, cpu, sector, sectors, avoid, place);
		*sampled = chosen && !(cpu->legs[place->leg].started % MB_LATENCY_SAMPLE);
	}
	preempt_enable();
	return chosen;
}
