// SPDX-License-Identifier: GPL-2.0-only
#include "copy_run.h"

static bool continues(const struct mb_copy_run *run, u32 copies, const struct mb_place *places)
{
	u32 copy;

	for (copy = 0; copy < copies; copy++)
		if (places[copy].leg != run->places[copy].leg ||
		    places[copy].sector != run->places[copy].sector + run->sectors)
			return false;
	return true;
}

bool mb_copy_run_extend(struct mb_copy_run *run, u32 copies, const struct mb_place *places,
			u32 sectors)
{
	if (!run->sectors)
		memcpy(run->places, places, copies * sizeof(*places));
	else if (!continues(run, copies, places))
		return false;
	run->sectors += sectors;
	return true;
}
