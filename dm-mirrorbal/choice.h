/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which leg serves a read: layout -> candidates -> policy -> leg.
 *
 * The plain case, in which all legs can be asked and none is rotational, is
 * inline and counted in instructions: it takes no lock, writes only what this
 * CPU owns, and keeps nothing whose address is taken on the stack (that would
 * cost a canary). choice.c has the rest: legs to leave out, and rotational
 * legs, whose policies see one state of all CPUs under choice_lock.
 */
#ifndef MB_CHOICE_H
#define MB_CHOICE_H

#include <linux/rcupdate.h>

#include "leg.h"
#include "others.h"
#include "policy_registry.h"

/* A read that is about to start, as far as its completion has to know. */
struct mb_read_start {
	u64 distance;		/* rotational arrays: from where the leg's last read ended */
	u32 in_flight;		/* on the leg, with itself; 0: its latency is not to be taken */
};

/**
 * mb_choose - place a read and count it as started, whatever the case
 * @array: the array
 * @sector: of the array
 * @sectors: contiguous on every copy's leg
 * @avoid: bit mask of legs that must not be taken
 * @place: receives the leg, and the sector on it from its data offset
 * @start: receives what the completion has to know
 *
 * Write-mostly legs are taken only if no other copy can be read. Of sectors not
 * known to be the same on all legs only the first copy in sync is taken; nobody, if
 * that is not the same leg for all of the read.
 *
 * Context: process.
 * Return: false if there is no leg left.
 */
bool mb_choose(struct mb_array *array, u64 sector, u32 sectors, u32 avoid,
	       struct mb_place *place, struct mb_read_start *start);

/**
 * mb_choose_part - the same for as much of a read as one leg is to serve
 * @array: the array
 * @sector: of the array
 * @sectors: contiguous on every copy's leg; receives how many are placed, at least 1
 * @place: receives the leg, and the sector on it from its data offset
 * @start: receives what the completion has to know
 *
 * Context: process.
 * Return: false if there is no leg left.
 */
bool mb_choose_part(struct mb_array *array, u64 sector, u32 *sectors, struct mb_place *place,
		    struct mb_read_start *start);

/**
 * mb_choice_completed - let the policy of a rotational array learn from a read
 * @array: the array
 * @io: the read, done well
 * @ns: what it took
 *
 * Context: any.
 */
void mb_choice_completed(struct mb_array *array, const struct mb_io *io, u64 ns);

/**
 * mb_choice_slow_legs - which legs are left alone since others are far better?
 * @array: the array
 *
 * Context: process, config_mutex held.
 * Return: bit mask; 0 unless the policy looks at how good legs are.
 */
u32 mb_choice_slow_legs(struct mb_array *array);

/**
 * mb_choice_changed - legs in sync, write-mostly marks or `synced` have changed
 * @array: the array
 *
 * Context: state_lock held, or before the array is used.
 */
void mb_choice_changed(struct mb_array *array);

static __always_inline void mb_fill_read(struct mb_array *array, struct mb_cpu *cpu, u64 sector,
					 u32 sectors)
{
	mb_layout_map(&array->layout, sector, cpu->places);
	cpu->read.sector = sector;
	cpu->read.sectors = sectors;
	cpu->read.first_leg = cpu->places[0].leg;
}

static __always_inline u32 mb_ask_policy(const struct mb_policy *policy, void *state,
					 const struct mb_read *read)
{
	u32 pick = policy->select(policy->config, state, read);

	return likely(pick < read->nr_candidates) ? pick : 0;
}

/* Count a read and take it into the leg's view; true if it is to be sampled. */
static __always_inline bool mb_note_read(struct mb_cpu *cpu, struct mb_leg_view *view, u32 leg,
					 u64 sector, u32 sectors)
{
	struct mb_leg_cpu *counted = &cpu->legs[leg];

	counted->sectors_read += sectors;
	if (view->last_end == sector)
		counted->sequential_reads++;
	view->last_end = sector + sectors;
	/* A leg that is rarely asked is listened to each time. */
	return !(++counted->reads % MB_LATENCY_SAMPLE) || view->apart;
}

/* In flight on a leg of a non-rotational array; a read that was started is among them. */
static inline u32 mb_in_flight_with(const struct mb_leg_view *view)
{
	return max(mb_view_in_flight(view), 1u);
}

/**
 * mb_choose_plain - mb_choose() where array->plain_choice
 * @array: the array
 * @sector: of the array
 * @sectors: contiguous on every copy's leg
 * @in_flight: receives what is in flight on the leg with this read, or 0 if its
 *	latency is not to be taken
 *
 * Context: preemption off.
 * Return: the leg, and the sector on it from its data offset.
 */
static __always_inline struct mb_place mb_choose_plain(struct mb_array *array, u64 sector,
						       u32 sectors, u32 *in_flight)
{
	struct mb_cpu *cpu = this_cpu_ptr(array->cpus);
	const struct mb_policy *policy = rcu_dereference_sched(array->policy);
	struct mb_place place;

	mb_fill_read(array, cpu, sector, sectors);
	cpu->read.nr_candidates = array->layout.shape.copies;
	if (policy->wants_in_flight && unlikely(mb_others_may_be_stale(cpu)))
		mb_sum_others(array, cpu, policy->wants_latency);
	place = cpu->places[mb_ask_policy(policy, this_cpu_ptr(policy->cpu_states), &cpu->read)];

	this_cpu_inc(array->cpus->views[place.leg].in_flight_here);
	*in_flight = 0;
	if (unlikely(mb_note_read(cpu, &cpu->views[place.leg], place.leg, place.sector, sectors)))
		*in_flight = mb_in_flight_with(&cpu->views[place.leg]);
	return place;
}

#endif /* MB_CHOICE_H */
