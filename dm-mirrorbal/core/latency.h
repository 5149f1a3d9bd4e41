/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long reads take on each leg, from samples of those that were done; and
 * which legs are about as good as the best.
 */
#ifndef MB_LATENCY_H
#define MB_LATENCY_H

#include "policy.h"

/* Sums over the last samples; older ones fade. Sums may be summed. */
struct mb_latency {
	u64 ns;
	u32 samples;
	u32 in_flight;	/* on the leg at each sample, itself among them */
	u32 second;	/* of the last sample */
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
static inline void mb_latency_add(struct mb_latency *sum, const struct mb_latency *latency)
{
	sum->ns += READ_ONCE(latency->ns);
	sum->samples += READ_ONCE(latency->samples);
	sum->in_flight += READ_ONCE(latency->in_flight);
}

/* Is there a sample of this second or the last? Context: any. */
static inline bool mb_latency_is_recent(const struct mb_latency *latency, u32 second)
{
	return READ_ONCE(latency->samples) && second - READ_ONCE(latency->second) <= 1;
}

/* The mean in ns; 0 if there is no sample. Context: any. */
static inline u64 mb_latency_mean(const struct mb_latency *latency)
{
	return latency->samples ? div_u64(latency->ns, latency->samples) : 0;
}

/**
 * mb_latency_compare - tell a policy which legs are how good
 * @latencies: by number of leg; sums over all CPUs
 * @legs: their number
 * @views: by number of leg; latency, latency_per_read and apart are set
 *
 * Context: any.
 */
void mb_latency_compare(const struct mb_latency *latencies, u32 legs, struct mb_leg_view *views);

#endif /* MB_LATENCY_H */
