// SPDX-License-Identifier: GPL-2.0-only
#include "choice.h"
#include "leg.h"
#include "metadata.h"
#include "recovery.h"

u32 mb_largest_of_legs(const struct mb_array *array, unsigned int (*bytes)(struct block_device *))
{
	u32 leg, largest = SECTOR_SIZE;

	for (leg = 0; leg < array->layout.shape.legs; leg++)
		if (array->legs[leg].dev)
			largest = max(largest, bytes(array->legs[leg].bdev));
	return largest;
}

void mb_leg_start_write(struct mb_array *array, u32 leg, u32 sectors)
{
	struct mb_cpu *cpu = get_cpu_ptr(array->cpus);

	mb_leg_start(array, leg);
	if (array->rotational)
		atomic_inc(&array->legs[leg].writes_in_flight);
	cpu->legs[leg].writes++;
	cpu->legs[leg].sectors_written += sectors;
	put_cpu_ptr(array->cpus);
}

void mb_leg_done_write(struct mb_array *array, u32 leg)
{
	this_cpu_inc(array->cpus->legs[leg].writes_done);
	if (array->rotational)
		atomic_dec(&array->legs[leg].writes_in_flight);
	mb_leg_done(array, leg);
}

void mb_leg_sample_latency(struct mb_array *array, u32 leg, u64 ns, u32 in_flight)
{
	struct mb_cpu *cpu;
	unsigned long flags;

	/* Words that belong together; a completion may interrupt another. */
	local_irq_save(flags);
	cpu = this_cpu_ptr(array->cpus);
	mb_latency_take(&cpu->legs[leg].latency, ns, in_flight, mb_second());
	local_irq_restore(flags);
}

bool mb_leg_fail(struct mb_array *array, u32 leg, const char *why)
{
	bool failed = false, in_sync;
	unsigned long flags;

	spin_lock_irqsave(&array->state_lock, flags);
	in_sync = array->in_sync & BIT(leg);
	if (in_sync && mb_health_may_fail(&array->layout, array->in_sync, leg)) {
		if (array->metadata && array->writable) {
			WRITE_ONCE(array->unrecorded, true);
			/* Who sees the leg gone sees that; see mb_acknowledge(). */
			smp_wmb();
		}
		WRITE_ONCE(array->in_sync, array->in_sync & ~BIT(leg));
		mb_choice_changed(array);
		in_sync = false;
		failed = true;
	}
	spin_unlock_irqrestore(&array->state_lock, flags);

	if (failed) {
		DMERR_LIMIT("%s: leg %u (%pg) failed: %s", mb_array_name(array), leg,
			    array->legs[leg].bdev, why);
		if (!mb_all_synced(array))
			DMERR_LIMIT("%s: from sector %llu on, what was read from that leg is read from others, which may differ: no resync has come there yet",
				    mb_array_name(array), READ_ONCE(array->synced));
		queue_work(array->workqueue, &array->event_work);
		mb_metadata_save_soon(array);
		mb_recovery_try_again(array);
	} else if (in_sync) {
		DMERR_LIMIT("%s: leg %u (%pg): %s; it stays, as the last copy of some data",
			    mb_array_name(array), leg, array->legs[leg].bdev, why);
	}
	return !in_sync;
}

bool mb_legs_fail_writing(struct mb_array *array, unsigned long legs, const char *why)
{
	bool all = true;
	u32 leg;

	for_each_set_bit(leg, &legs, MB_MAX_LEGS) {
		atomic64_inc(&array->legs[leg].write_errors);
		all &= mb_leg_fail(array, leg, why);
	}
	return all;
}

void mb_leg_spend_read_error(struct mb_array *array, u32 leg, blk_status_t status)
{
	unsigned long flags;
	bool too_many;

	if (mb_status_is_invalid(status))
		return;
	spin_lock_irqsave(&array->state_lock, flags);
	too_many = mb_error_budget_spend(&array->legs[leg].read_error_budget, mb_second());
	spin_unlock_irqrestore(&array->state_lock, flags);
	/* While copies may differ it would change what is read, and the leg can be repaired. */
	if (too_many && mb_all_synced(array) && mb_leg_in_sync(array, leg))
		mb_leg_fail(array, leg, "too many reads failed in a short time");
}

void mb_leg_mark_write_mostly(struct mb_array *array, u32 leg, bool on)
{
	unsigned long flags;
	u32 marks;

	spin_lock_irqsave(&array->state_lock, flags);
	marks = array->write_mostly & ~BIT(leg);
	WRITE_ONCE(array->write_mostly, marks | (on ? BIT(leg) : 0));
	mb_choice_changed(array);
	spin_unlock_irqrestore(&array->state_lock, flags);
}

u64 mb_legs_traffic(const struct mb_array *array)
{
	u64 sum = 0;
	u32 leg;
	int nr;

	for_each_possible_cpu(nr) {
		const struct mb_cpu *cpu = per_cpu_ptr(array->cpus, nr);

		for (leg = 0; leg < array->layout.shape.legs; leg++)
			sum += READ_ONCE(cpu->legs[leg].reads) + READ_ONCE(cpu->legs[leg].writes);
	}
	return sum;
}

/* The sums over all CPUs since the array was made. */
static void sum_counters(struct mb_array *array, u32 leg, u64 *counters)
{
	const struct mb_leg *self = &array->legs[leg];
	struct mb_latency_sum latency = { 0 };
	u64 writes_done = 0;
	u32 in_flight = 0;	/* its parts wrap around: only the sum means something */
	int cpu;

	memset(counters, 0, MB_NR_COUNTERS * sizeof(*counters));
	for_each_possible_cpu(cpu) {
		const struct mb_cpu *part = per_cpu_ptr(array->cpus, cpu);
		const struct mb_leg_cpu *of_leg = &part->legs[leg];

		in_flight += READ_ONCE(part->views[leg].in_flight_here);
		writes_done += READ_ONCE(of_leg->writes_done);
		mb_latency_add(&latency, &of_leg->latency);
		counters[MB_COUNTER_READS] += READ_ONCE(of_leg->reads);
		counters[MB_COUNTER_SECTORS_READ] += READ_ONCE(of_leg->sectors_read);
		counters[MB_COUNTER_WRITES] += READ_ONCE(of_leg->writes);
		counters[MB_COUNTER_SECTORS_WRITTEN] += READ_ONCE(of_leg->sectors_written);
		counters[MB_COUNTER_SEQUENTIAL_READS] += READ_ONCE(of_leg->sequential_reads);
	}
	/* Summed while I/O goes on, so it may be off by what is on its way. */
	in_flight -= (u32)(counters[MB_COUNTER_WRITES] - writes_done);
	counters[MB_COUNTER_READS_IN_FLIGHT] = max_t(s32, in_flight, 0);
	counters[MB_COUNTER_READ_ERRORS] = atomic64_read(&self->read_errors);
	counters[MB_COUNTER_WRITE_ERRORS] = atomic64_read(&self->write_errors);
	counters[MB_COUNTER_SECTORS_REPAIRED] = atomic64_read(&self->repaired_sectors);
	counters[MB_COUNTER_REDIRECTED_READS] = atomic64_read(&self->redirected_reads);
	counters[MB_COUNTER_READ_LATENCY_US] = div_u64(mb_latency_mean(&latency), NSEC_PER_USEC);
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
