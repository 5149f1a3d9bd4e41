// SPDX-License-Identifier: GPL-2.0-only
#include <linux/sched/clock.h>

#include "others.h"

/* Policies see sums of other CPUs' I/O that are at most so old. */
#define MAX_AGE_NS NSEC_PER_MSEC
/* Latencies change slowly: they are compared at every so many sums. */
#define COMPARE_AT_SUMS 8

static void sum(struct mb_array *array, struct mb_cpu *cpu)
{
	u32 leg;
	int other;

	for (leg = 0; leg < array->layout.shape.legs; leg++) {
		s32 in_flight = 0;

		/* Offline CPUs too: what they started may be done elsewhere. */
		for_each_possible_cpu(other)
			in_flight += READ_ONCE(per_cpu_ptr(array->cpus, other)->
					       views[leg].in_flight_here);
		cpu->views[leg].in_flight_elsewhere =
			in_flight - READ_ONCE(cpu->views[leg].in_flight_here);
	}
}

static void sum_latency(struct mb_array *array, u32 leg, bool recent, struct mb_latency_sum *sum)
{
	u32 second = mb_second();
	int other;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(other) {
		const struct mb_latency *latency =
			&per_cpu_ptr(array->cpus, other)->legs[leg].latency;

		if (!recent || mb_latency_is_recent(latency, second))
			mb_latency_add(sum, latency);
	}
}

/* What CPUs learned long ago counts only for legs of which nobody has learned since. */
static void compare_latencies(struct mb_array *array, struct mb_cpu *cpu)
{
	u32 legs = array->layout.shape.legs, leg;

	for (leg = 0; leg < legs; leg++) {
		sum_latency(array, leg, true, &cpu->latencies[leg]);
		if (!cpu->latencies[leg].samples)
			sum_latency(array, leg, false, &cpu->latencies[leg]);
	}
	mb_latency_compare(cpu->latencies, legs, cpu->views);
}

/*
 * For how many cycles is a sum surely fresh, by the rate since the last one?
 * Rounded down, by up to a cycle in each microsecond: local_clock() is then
 * asked some reads too early, never too late. 0 if the counter cannot be
 * trusted: it stands still, or it was set back.
 */
static u64 fresh_cycles(const struct mb_others *others, u64 cycles, u64 ns)
{
	u64 passed = cycles - others->summed_at_cycles;
	u64 us = div_u64(ns - others->summed_at_ns, NSEC_PER_USEC);

	if (!others->summed_at_ns || (s64)passed < 0)
		return 0;
	return div64_u64(passed, us + 1) * (MAX_AGE_NS / NSEC_PER_USEC);
}

void mb_sum_others(struct mb_array *array, struct mb_cpu *cpu, bool latencies)
{
	struct mb_others *others = &cpu->others;
	u64 ns = local_clock();
	u64 cycles;

	if (ns - others->summed_at_ns < MAX_AGE_NS)
		return;
	cycles = get_cycles();
	others->fresh_cycles = fresh_cycles(others, cycles, ns);
	others->summed_at_cycles = cycles;
	others->summed_at_ns = ns;
	sum(array, cpu);
	if (latencies && !(others->sums++ % COMPARE_AT_SUMS))
		compare_latencies(array, cpu);
}

u32 mb_others_slow_legs(struct mb_array *array)
{
	struct mb_cpu *cpu = get_cpu_ptr(array->cpus);
	u32 slow = 0, leg;

	compare_latencies(array, cpu);
	for (leg = 0; leg < array->layout.shape.legs; leg++)
		slow |= (u32)cpu->views[leg].apart << leg;
	put_cpu_ptr(array->cpus);
	return slow;
}
