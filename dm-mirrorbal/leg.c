// SPDX-License-Identifier: GPL-2.0-only
#include <linux/sched/clock.h>

#include "leg.h"

/* A snapshot of the other CPUs' I/O is used for so long. */
#define OTHERS_MAX_AGE_NS NSEC_PER_MSEC

/* Old latencies fade: at so many samples a CPU's sum and count are halved. */
#define LATENCY_WINDOW 64

void mb_leg_start_write(struct mb_array *array, u32 leg, u32 sectors)
{
	struct mb_cpu *cpu = get_cpu_ptr(array->cpus);

	mb_leg_start(array, cpu, leg);
	cpu->legs[leg].writes_started++;
	cpu->legs[leg].sectors_written += sectors;
	put_cpu_ptr(array->cpus);
}

void mb_leg_done_write(struct mb_array *array, u32 leg)
{
	this_cpu_inc(array->cpus->legs[leg].writes_done);
	mb_leg_done(array, leg);
}

void mb_leg_sample_latency(struct mb_array *array, u32 leg, u64 ns)
{
	struct mb_leg_cpu *here;
	unsigned long flags;

	/* Two words that belong together; a completion may interrupt another. */
	local_irq_save(flags);
	here = &this_cpu_ptr(array->cpus)->legs[leg];
	if (here->latency_samples >= LATENCY_WINDOW) {
		here->latency_samples /= 2;
		here->latency_ns /= 2;
	}
	here->latency_samples++;
	here->latency_ns += ns;
	local_irq_restore(flags);
}

void mb_leg_refresh_others(struct mb_array *array, struct mb_cpu *cpu)
{
	u64 now = local_clock();
	u32 leg;
	int other;

	if (likely(now - cpu->others_read_at < OTHERS_MAX_AGE_NS))
		return;

	cpu->others_read_at = now;
	memset(cpu->in_flight_elsewhere, 0,
	       array->layout.shape.legs * sizeof(cpu->in_flight_elsewhere[0]));
	/* Offline CPUs too: what they started may have completed elsewhere. */
	for_each_possible_cpu(other) {
		const struct mb_cpu *there = per_cpu_ptr(array->cpus, other);

		if (there == cpu)
			continue;
		for (leg = 0; leg < array->layout.shape.legs; leg++)
			cpu->in_flight_elsewhere[leg] += READ_ONCE(there->legs[leg].started) -
							 READ_ONCE(there->legs[leg].done);
	}
}

bool mb_leg_fail(struct mb_array *array, u32 leg, const char *why)
{
	bool failed = false, in_sync;
	unsigned long flags;

	spin_lock_irqsave(&array->state_lock, flags);
	in_sync = array->in_sync & BIT(leg);
	if (in_sync && mb_health_may_fail(&array->layout, array->in_sync, leg)) {
		WRITE_ONCE(array->in_sync, array->in_sync & ~BIT(leg));
		in_sync = false;
		failed = true;
	}
	spin_unlock_irqrestore(&array->state_lock, flags);

	if (failed) {
		DMERR_LIMIT("%s: leg %u (%pg) failed: %s", mb_array_name(array), leg,
			    array->legs[leg].bdev, why);
		queue_work(array->workqueue, &array->event_work);
	} else if (in_sync) {
		DMERR_LIMIT("%s: leg %u (%pg): %s; it stays, as the last copy of some data",
			    mb_array_name(array), leg, array->legs[leg].bdev, why);
	}
	return !in_sync;
}

/* The sums over all CPUs since the array was made. */
static void sum_counters(struct mb_array *array, u32 leg, u64 *counters)
{
	const struct mb_leg *self = &array->legs[leg];
	u64 latency_ns = 0, latency_samples = 0, reads_done = 0;
	int cpu;

	memset(counters, 0, MB_NR_COUNTERS * sizeof(*counters));
	for_each_possible_cpu(cpu) {
		const struct mb_leg_cpu *part = &per_cpu_ptr(array->cpus, cpu)->legs[leg];

		/* Completions first: a read seen done must be seen started. */
		reads_done += READ_ONCE(part->done) - READ_ONCE(part->writes_done);
		latency_ns += READ_ONCE(part->latency_ns);
		latency_samples += READ_ONCE(part->latency_samples);
	}
	smp_rmb();
	for_each_possible_cpu(cpu) {
		const struct mb_leg_cpu *part = &per_cpu_ptr(array->cpus, cpu)->legs[leg];
		u64 writes = READ_ONCE(part->writes_started);

		counters[MB_COUNTER_READS] += READ_ONCE(part->started) - writes;
		counters[MB_COUNTER_SECTORS_READ] += READ_ONCE(part->sectors_read);
		counters[MB_COUNTER_WRITES] += writes;
		counters[MB_COUNTER_SECTORS_WRITTEN] += READ_ONCE(part->sectors_written);
		counters[MB_COUNTER_SEQUENTIAL_READS] += READ_ONCE(part->sequential_reads);
	}
	counters[MB_COUNTER_READ_ERRORS] = atomic64_read(&self->read_errors);
	counters[MB_COUNTER_WRITE_ERRORS] = atomic64_read(&self->write_errors);
	counters[MB_COUNTER_REDIRECTED_READS] = atomic64_read(&self->redirected_reads);
	counters[MB_COUNTER_READS_IN_FLIGHT] =
		max_t(s64, counters[MB_COUNTER_READS] - reads_done, 0);
	if (latency_samples)
		counters[MB_COUNTER_READ_LATENCY_US] =
			div_u64(div64_u64(latency_ns, latency_samples), NSEC_PER_USEC);
}

void mb_leg_counters(struct mb_array *array, u32 leg, u64 *counters)
{
	u32 i;

	sum_counters(array, leg, counters);
	for (i = 0; i < MB_NR_COUNTERS; i++)
		counters[i] -= array->legs[leg].base[i];
}

void mb_leg_reset_counters(struct mb_array *array)
{
	static const enum mb_counter traffic[] = {
		MB_COUNTER_READS, MB_COUNTER_SECTORS_READ, MB_COUNTER_WRITES,
		MB_COUNTER_SECTORS_WRITTEN, MB_COUNTER_SEQUENTIAL_READS,
		MB_COUNTER_REDIRECTED_READS,
	};
	u64 now[MB_NR_COUNTERS];
	u32 leg, i;

	for (leg = 0; leg < array->layout.shape.legs; leg++) {
		sum_counters(array, leg, now);
		for (i = 0; i < ARRAY_SIZE(traffic); i++)
			array->legs[leg].base[traffic[i]] = now[traffic[i]];
	}
}
