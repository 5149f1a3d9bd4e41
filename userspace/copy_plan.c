// SPDX-License-Identifier: GPL-2.0-only
#include "copy_plan.h"

/* Sector of the array at a sector of a stream. */
static u64 array_sector(const struct copy_plan *plan, u32 stream, u64 sector)
{
	u32 chunk_sectors = plan->layout->shape.chunk_sectors;
	u64 chunk = (sector >> plan->layout->chunk_shift) * plan->nr_streams + stream;

	return (chunk << plan->layout->chunk_shift) + (sector & (chunk_sectors - 1));
}

/* At the end of a stream its start is what is left. */
static void wrap(struct copy_plan *plan, u32 stream)
{
	if (plan->wrapped[stream] ||
	    array_sector(plan, stream, plan->next[stream]) < plan->layout->length)
		return;
	plan->wrapped[stream] = true;
	plan->next[stream] = 0;
}

static bool is_done(const struct copy_plan *plan, u32 stream, u64 sector)
{
	return array_sector(plan, stream, sector) >= plan->layout->length ||
	       (plan->wrapped[stream] && sector >= plan->start);
}

void copy_plan_init(struct copy_plan *plan, const struct mb_layout *layout, u32 preferred)
{
	u32 chunk_sectors = layout->shape.chunk_sectors, stream;

	*plan = (struct copy_plan){ .layout = layout, .preferred = preferred };
	/* A near layout's legs repeat with its sets, those of the others with the legs. */
	plan->nr_streams = layout->shape.kind == MB_LAYOUT_NEAR ? mb_layout_nr_sets(layout) :
							     layout->shape.legs;
	/* Both are powers of two. */
	plan->start = chunk_sectors > COPY_LAST_SECTORS ? chunk_sectors : COPY_LAST_SECTORS;
	for (stream = 0; stream < plan->nr_streams; stream++) {
		plan->next[stream] = plan->start;
		wrap(plan, stream);
	}
}

/* The stream that is furthest behind; nr_streams if all are done. */
static u32 hindmost(const struct copy_plan *plan)
{
	u32 found = plan->nr_streams, stream;

	for (stream = 0; stream < plan->nr_streams; stream++) {
		if (is_done(plan, stream, plan->next[stream]))
			continue;
		if (found == plan->nr_streams ||
		    (plan->wrapped[stream] == plan->wrapped[found] ?
		     plan->next[stream] < plan->next[found] : plan->wrapped[found]))
			found = stream;
	}
	return found;
}

/* Is what comes at a sector of the stream contiguous with the piece so far? */
static bool goes_on(const struct copy_plan *plan, u32 stream, u64 sector,
		    const struct mb_place *places, u32 sectors)
{
	struct mb_place next[MB_MAX_LEGS];
	u32 copy;

	if (is_done(plan, stream, sector))
		return false;
	mb_layout_map(plan->layout, array_sector(plan, stream, sector), next);
	for (copy = 0; copy < plan->layout->shape.copies; copy++)
		if (next[copy].leg != places[copy].leg ||
		    next[copy].sector != places[copy].sector + sectors)
			return false;
	return true;
}

static u32 winner(const struct copy_plan *plan, const struct mb_place *places)
{
	u32 copy;

	for (copy = 0; copy < plan->layout->shape.copies; copy++)
		if (plan->preferred & (1u << places[copy].leg))
			return copy;
	return 0;
}

static void set_places(const struct copy_plan *plan, const struct mb_place *places,
		       struct copy_piece *piece)
{
	u32 best = winner(plan, places), copy;

	piece->from = places[best];
	piece->nr_to = 0;
	for (copy = 0; copy < plan->layout->shape.copies; copy++)
		if (copy != best)
			piece->to[piece->nr_to++] = places[copy];
}

bool copy_plan_next(struct copy_plan *plan, struct copy_piece *piece)
{
	u32 chunk_sectors = plan->layout->shape.chunk_sectors;
	u32 stream = hindmost(plan), part;
	struct mb_place places[MB_MAX_LEGS];
	u64 sector;

	if (stream == plan->nr_streams)
		return false;
	sector = plan->next[stream];
	mb_layout_map(plan->layout, array_sector(plan, stream, sector), places);
	piece->sectors = 0;
	do {
		part = chunk_sectors - (sector & (chunk_sectors - 1));
		if (part > COPY_MAX_SECTORS - piece->sectors)
			part = COPY_MAX_SECTORS - piece->sectors;
		piece->sectors += part;
		sector += part;
	} while (piece->sectors < COPY_MAX_SECTORS &&
		 goes_on(plan, stream, sector, places, piece->sectors));
	plan->next[stream] = sector;
	wrap(plan, stream);
	set_places(plan, places, piece);
	return true;
}
