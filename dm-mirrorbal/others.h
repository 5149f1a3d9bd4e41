/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How old is what this CPU knows of the others? The answer is wanted on every
 * read, and local_clock() costs a tenth of what a read may cost. So the
 * processor's cycle counter is asked first: its rate is unknown, may change,
 * and some processors have none, but between two sums it can be compared with
 * local_clock(), which has the last word.
 */
#ifndef MB_OTHERS_H
#define MB_OTHERS_H

#include <linux/jiffies.h>
#include <linux/timex.h>

#include "array.h"

/**
 * mb_sum_others - bring in_flight_elsewhere of this CPU's views up to date
 * @array: the array
 * @cpu: this CPU's part of it
 * @latencies: now and then, compare the legs' latencies as well
 *
 * Does nothing if they are less than a millisecond old.
 *
 * Context: preemption off.
 */
void mb_sum_others(struct mb_array *array, struct mb_cpu *cpu, bool latencies);

/**
 * mb_others_slow_legs - by what all CPUs have learned, which legs are far from the best?
 * @array: a non-rotational one
 *
 * Context: process.
 * Return: bit mask.
 */
u32 mb_others_slow_legs(struct mb_array *array);

/* The time in seconds, for what was learned. */
static inline u32 mb_second(void)
{
	return jiffies / HZ;
}

static inline bool mb_others_may_be_stale(const struct mb_cpu *cpu)
{
	return get_cycles() - cpu->others.summed_at_cycles >= cpu->others.fresh_cycles;
}

#endif /* MB_OTHERS_H */
