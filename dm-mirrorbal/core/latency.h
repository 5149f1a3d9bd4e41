/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long reads take on each leg, from samples of those that were done; and
 * which legs are about as good as the best.
 */
#ifndef MB_LATENCY_H
#define MB_LATENCY_H

#include "policy.h"

/* What one CPU has learned of a leg. */
struct mb_latency {
	/* Sums over the last samples; older ones fade. */
	u64 ns;
	u32 samples;
	u32 in_flight;	/* on the leg at each sample, itself among them */
	u32 second;	/* of the last sample */
	/* Waiting apart from serving: */
	u32 alone;	/* ns: where nothing waits; 0: not known yet */
	u32 at_once;	/* so many in flight do not wait */
};

/* The same of all CPUs; those count for more that have more samples. */
struct mb_latency_sum {
	u64 ns;
	u64 samples;
	u64 alone;	/* times samples */
	u64 at_once;	/* times samples */
	u64 known;	/* samples of those who know */
};

/**
 * mb_latency_take - take a sample in
 * @latency: of the leg
 * @ns: what the read took
 * @in_flight: on the leg when it was submitted, itself among them
 * @second: the time
 *
 * A read that takes far longer than the mean counts only for part of it: one
 * such read says little of a leg, several do.
 *
 * Context: any; never two at a time.
 */
void mb_latency_take(struct mb_latency *latency, u64 ns, u32 in_flight, u32 second);

/* Add up what CPUs have; their owners may be at it. Context: any. */
static inline void mb_latency_add(struct mb_latency_sum *sum, const struct mb_latency *latency)
{
	u32 samples = READ_ONCE(latency->samples), alone = READ_ONCE(latency->alone);

	sum->ns += READ_ONCE(latency->ns);
	sum->samples += samples;
	if (alone) {
		sum->alone += (u64)alone * samples;
		sum->at_once += (u64)READ_ONCE(latency->at_once) * samples;
		sum->known += samples;
	}
}

/* Is there a sample of this second or the last? Context: any. */
static inline bool mb_latency_is_recent(const struct mb_latency *latency, u32 second)
{
	return READ_ONCE(latency->samples) && second - READ_ONCE(latency->second) <= 1;
}

/* The mean in ns; 0 if there is no sample. Context: any. */
static inline u64 mb_latency_mean(const struct mb_latency_sum *sum)
{
	return sum->samples ? div64_u64(sum->ns, sum->samples) : 0;
}

/**
 * mb_latency_compare - tell a policy which legs are how good
 * @latencies: by number of leg; sums over all CPUs
 * @legs: their number
 * @views: by number of leg; latency, at_once and apart are set
 *
 * Context: any.
 */
void mb_latency_compare(const struct mb_latency_sum *latencies, u32 legs, struct mb_leg_view *views);

#endif /* MB_LATENCY_H */
