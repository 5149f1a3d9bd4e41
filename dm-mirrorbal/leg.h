/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Legs: what is counted of them, and how one is failed.
 *
 * On non-rotational legs everything counted is per CPU. On an array with a
 * rotational leg the number in flight and the head's position are also kept
 * exactly, shared by all CPUs: there a microsecond is nothing, and a policy
 * that places heads must know where they are.
 */
#ifndef MB_LEG_H
#define MB_LEG_H

#include "array.h"
#include "compat.h"

/* One read in so many has its latency taken on non-rotational arrays. */
#define MB_LATENCY_SAMPLE 16

static inline bool mb_leg_in_sync(const struct mb_array *array, u32 leg)
{
	return READ_ONCE(array->in_sync) & BIT(leg);
}

/* Where a place is on its device, in sectors. */
static inline u64 mb_device_sector(const struct mb_array *array, struct mb_place place)
{
	return array->legs[place.leg].data_offset + place.sector;
}

/* An I/O is about to be submitted to a leg. Context: preemption off. */
static inline void mb_leg_start(struct mb_array *array, u32 leg)
{
	this_cpu_inc(array->cpus->views[leg].in_flight_here);
	if (array->rotational)
		atomic_inc(&array->legs[leg].in_flight);
}

/* An I/O has completed, well or not. Context: any. */
static inline void mb_leg_done(struct mb_array *array, u32 leg)
{
	this_cpu_dec(array->cpus->views[leg].in_flight_here);
	if (array->rotational)
		atomic_dec(&array->legs[leg].in_flight);
}

/* Count an error of a read, unless it is the submitter's own. Context: any. */
static inline void mb_leg_count_read_error(struct mb_array *array, u32 leg, blk_status_t status)
{
	if (!mb_status_is_invalid(status))
		atomic64_inc(&array->legs[leg].read_errors);
}

/**
 * mb_leg_spend_read_error - somebody's read of a leg has failed
 * @array: the array
 * @leg: number of the leg
 * @status: how; what is the submitter's own fault does not count
 *
 * Too many within a short time fail the leg; see error_budget.h. For the read
 * itself, not for each block in which it is tried again.
 *
 * Context: any.
 */
void mb_leg_spend_read_error(struct mb_array *array, u32 leg, blk_status_t status);

/**
 * mb_largest_of_legs - the largest of what all legs have some of
 * @array: an array whose legs are open
 * @bytes: returns it for one leg, as bdev_logical_block_size() does
 *
 * Context: any.
 * Return: bytes, at least a sector; missing legs have none.
 */
u32 mb_largest_of_legs(const struct mb_array *array, unsigned int (*bytes)(struct block_device *));

/**
 * mb_leg_start_write - count a write that is about to be submitted
 * @array: the array
 * @leg: number of the leg
 * @sectors: its length
 *
 * Context: process.
 */
void mb_leg_start_write(struct mb_array *array, u32 leg, u32 sectors);

/**
 * mb_leg_done_write - count a write that has completed, well or not
 * @array: the array
 * @leg: number of the leg
 *
 * Context: any.
 */
void mb_leg_done_write(struct mb_array *array, u32 leg);

/**
 * mb_leg_sample_latency - take a read's latency into the leg's mean
 * @array: the array
 * @leg: number of the leg
 * @ns: what it took
 *
 * Context: any.
 */
void mb_leg_sample_latency(struct mb_array *array, u32 leg, u64 ns, u32 in_flight);

/**
 * mb_leg_fail - a leg may not be trusted any more
 * @array: the array
 * @leg: number of the leg
 * @why: for the log
 *
 * The last leg in sync of a set of copies is not failed.
 *
 * Context: any.
 * Return: true if the leg is not in sync now.
 */
bool mb_leg_fail(struct mb_array *array, u32 leg, const char *why);

/**
 * mb_legs_fail_writing - legs have not taken a write
 * @array: the array
 * @legs: bit mask of them; each is counted a write error
 * @why: for the log
 *
 * Context: any.
 * Return: false if one of them has to stay.
 */
bool mb_legs_fail_writing(struct mb_array *array, unsigned long legs, const char *why);

/**
 * mb_leg_mark_write_mostly - ask a leg for reads only if no other copy can serve
 * @array: the array
 * @leg: number of the leg
 * @on: set the mark, or take it away
 *
 * Context: any.
 */
void mb_leg_mark_write_mostly(struct mb_array *array, u32 leg, bool on);

/**
 * mb_legs_traffic - reads and writes of all legs since the array was made
 * @array: the array
 *
 * Context: any.
 */
u64 mb_legs_traffic(const struct mb_array *array);

/**
 * mb_leg_counters - sum what is counted of a leg
 * @array: the array
 * @leg: number of the leg
 * @counters: receives MB_NR_COUNTERS values, since the last reset
 *
 * Context: process, config_mutex held.
 */
void mb_leg_counters(struct mb_array *array, u32 leg, u64 *counters);

/**
 * mb_leg_reset_counters - count traffic from zero again; errors stay
 * @array: the array
 *
 * Context: process, config_mutex held.
 */
void mb_leg_reset_counters(struct mb_array *array);

#endif /* MB_LEG_H */
