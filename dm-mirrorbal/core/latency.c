// SPDX-License-Identifier: GPL-2.0-only
#include "latency.h"

/* At so many samples the sums are halved. */
#define WINDOW 16
/* No sample counts for more times the mean, as soon as there are so many samples. */
#define OUTLIER 4

void mb_latency_take(struct mb_latency *latency, u64 ns, u32 in_flight, u32 second)
{
	if (latency->samples >= OUTLIER) {
		u64 most = OUTLIER * mb_latency_mean(latency);

		ns = ns < most ? ns : most;
	}
	if (latency->samples >= WINDOW) {
		latency->samples /= 2;
		latency->ns /= 2;
		latency->in_flight /= 2;
	}
	latency->samples++;
	latency->ns += ns;
	latency->in_flight += in_flight;
	latency->second = second;
}

/* About as good: at most half as slow again. */
static bool is_apart(u32 latency, u32 best)
{
	return latency > best && latency - best > best / 2;
}

static u32 at_most_u32(u64 value)
{
	return value < (u32)-1 ? value : (u32)-1;
}

void mb_latency_compare(const struct mb_latency *latencies, u32 legs, struct mb_leg_view *views)
{
	u32 best = (u32)-1, best_per_read = (u32)-1, leg;

	for (leg = 0; leg < legs; leg++) {
		const struct mb_latency *latency = &latencies[leg];
		struct mb_leg_view *view = &views[leg];

		view->latency = at_most_u32(mb_latency_mean(latency));
		view->latency_per_read = latency->in_flight ?
			at_most_u32(div_u64(latency->ns, latency->in_flight)) : view->latency;
		if (view->latency && view->latency < best)
			best = view->latency;
	}
	for (leg = 0; leg < legs; leg++) {
		struct mb_leg_view *view = &views[leg];

		view->apart = is_apart(view->latency, best);
		if (view->latency && !view->apart && view->latency_per_read < best_per_read)
			best_per_read = view->latency_per_read;
	}
	for (leg = 0; leg < legs; leg++) {
		struct mb_leg_view *view = &views[leg];

		if (view->apart)
			continue;
		/* Also where nothing is known yet: good, until it shows otherwise. */
		view->latency = best == (u32)-1 ? 0 : best;
		view->latency_per_read = best == (u32)-1 ? 0 : best_per_read;
	}
}
