// SPDX-License-Identifier: GPL-2.0-only
#include "health.h"

bool mb_health_complete(const struct mb_layout *layout, u32 in_sync, u32 *lost_set)
{
	u32 set;

	for (set = 0; set < mb_layout_nr_sets(layout); set++) {
		u32 legs = mb_layout_set(layout, set);

		if (legs & in_sync)
			continue;
		if (lost_set)
			*lost_set = legs;
		return false;
	}
	return true;
}

bool mb_health_may_fail(const struct mb_layout *layout, u32 in_sync, u32 leg)
{
	u32 bit = 1u << leg;
	u32 set;

	for (set = 0; set < mb_layout_nr_sets(layout); set++) {
		u32 legs = mb_layout_set(layout, set);

		if ((legs & bit) && !(legs & in_sync & ~bit))
			return false;
	}
	return true;
}

bool mb_health_any_second(const struct mb_layout *layout, u32 in_sync)
{
	u32 set;

	for (set = 0; set < mb_layout_nr_sets(layout); set++) {
		u32 legs = mb_layout_set(layout, set) & in_sync;

		/* More than one bit is set. */
		if (legs & (legs - 1))
			return true;
	}
	return false;
}

u32 mb_health_first_copy(const struct mb_place *places, u32 copies, u32 in_sync)
{
	u32 copy;

	for (copy = 0; copy < copies; copy++)
		if (in_sync & (1u << places[copy].leg))
			return copy;
	return copies;
}
