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

/* False if these sectors do not continue the run on each leg. */
static bool extend(struct mb_copy_run *run, u32 copies, const struct mb_place *places, u32 sectors)
{
	if (!run->sectors)
		memcpy(run->places, places, copies * sizeof(*places));
	else if (!continues(run, copies, places))
		return false;
	run->sectors += sectors;
	return true;
}

void mb_copy_runs(const struct mb_layout *layout, u64 from, u64 end, struct mb_copy_run *runs,
		  void (*take)(void *context, const struct mb_copy_run *run), void *context)
{
	struct mb_place places[MB_MAX_LEGS];
	u64 sector, sectors;
	u32 leg;

	for (sector = from; sector < end; sector += sectors) {
		struct mb_copy_run *run;

		sectors = mb_layout_contiguous(layout, sector);
		if (sectors > end - sector)
			sectors = end - sector;
		mb_layout_map(layout, sector, places);
		run = &runs[places[0].leg];
		if (extend(run, layout->shape.copies, places, sectors))
			continue;
		take(context, run);
		run->sectors = 0;
		extend(run, layout->shape.copies, places, sectors);
	}
	for (leg = 0; leg < layout->shape.legs; leg++) {
		if (runs[leg].sectors)
			take(context, &runs[leg]);
		runs[leg].sectors = 0;
	}
}
