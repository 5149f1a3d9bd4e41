// SPDX-License-Identifier: GPL-2.0-only
#include "latency.h"

/* At so many samples their mean is looked at, and the sums are halved. */
#define WINDOW 16
/* No sample counts for more times the mean, as soon as there are so many samples. */
#define OUTLIER 4

/* Means differ by chance by so much: */
#define CHANCE(ns) ((ns) / 8)
/* What was known moves by so much of the way to what is new: 1/4. */
#define FADE 4

static u32 at_most_u32(u64 value)
{
	return value < (u32)-1 ? value : (u32)-1;
}

/*
 * Reads took @ns with @in_flight on the leg. That they did not wait is certain
 * if they took less time than any before, and likely if they took about as
 * long. If they took longer with no more in flight, or longer than waiting
 * for one another explains, the leg has become slower.
 */
static void learn(struct mb_latency *latency, u32 ns, u32 in_flight)
{
	u32 alone = latency->alone;
	u64 served = ns;

	if (!alone || ns < alone - CHANCE(alone)) {
		latency->alone = ns;
		latency->at_once = in_flight;
		return;
	}
	if (ns <= alone + CHANCE((u64)alone)) {
		if (in_flight > latency->at_once)
			latency->at_once = in_flight;
		else
			latency->alone = alone + ((s64)ns - alone) / FADE;
		return;
	}
	if (in_flight > latency->at_once)
		served = div_u64((u64)ns * latency->at_once, in_flight);
	if (served > alone + 2 * CHANCE((u64)alone))
		latency->alone = at_most_u32(served);
}

void mb_latency_take(struct mb_latency *latency, u64 ns, u32 in_flight, u32 second)
{
	if (latency->samples >= OUTLIER) {
		u64 most = OUTLIER * div_u64(latency->ns, latency->samples);

		ns = ns < most ? ns : most;
	}
	latency->samples++;
	latency->ns += ns;
	latency->in_flight += in_flight;
	latency->second = second;
	if (latency->samples >= WINDOW) {
		learn(latency, at_most_u32(latency->ns / WINDOW),
		      (latency->in_flight + WINDOW / 2) / WINDOW);
		latency->samples /= 2;
		latency->ns /= 2;
		latency->in_flight /= 2;
	}
}

/* About as good: at most half as slow again. */
static bool is_apart(u32 latency, u32 best)
{
	return latency > best && latency - best > best / 2;
}

void mb_latency_compare(const struct mb_latency_sum *latencies, u32 legs, struct mb_leg_view *views)
{
	u32 best = (u32)-1, most_at_once = 0, leg;

	for (leg = 0; leg < legs; leg++) {
		const struct mb_latency_sum *sum = &latencies[leg];
		struct mb_leg_view *view = &views[leg];

		view->latency = sum->known ? at_most_u32(div64_u64(sum->alone, sum->known)) : 0;
		view->at_once = sum->known ? div64_u64(sum->at_once, sum->known) : 0;
		if (view->latency && view->latency < best)
			best = view->latency;
	}
	for (leg = 0; leg < legs; leg++) {
		struct mb_leg_view *view = &views[leg];

		view->apart = is_apart(view->latency, best);
		if (!view->apart && view->at_once > most_at_once)
			most_at_once = view->at_once;
	}
	for (leg = 0; leg < legs; leg++) {
		struct mb_leg_view *view = &views[leg];

		if (view->apart)
			continue;
		/* Also where nothing is known yet: good, until it shows otherwise. */
		view->latency = best == (u32)-1 ? 0 : best;
		view->at_once = most_at_once;
	}
}
