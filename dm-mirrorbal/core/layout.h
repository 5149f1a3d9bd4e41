/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where each copy of a sector lies. Placement is that of md raid10 for the
 * same layout, chunk size and number of legs (the rules were read from the
 * behaviour of drivers/md/raid10.c and are tested against a running md):
 *
 *   near   the copies of a chunk fill consecutive slots, row by row over the
 *          legs; slot s is row s / legs of leg s % legs
 *   far    each leg is cut into as many sections as there are copies; section
 *          f holds a striped image turned by f legs
 *   offset each stripe is written as many times as there are copies, in
 *          consecutive rows, each turned by one more leg
 *
 * A side is a set of legs that holds each chunk once. Near and offset layouts
 * whose legs are a multiple of their copies have as many sides as copies, with no
 * leg on two of them: leg l is on side l % copies. A reader that keeps to a side
 * reads in sequence on each of its legs. Elsewhere sides share their legs, and
 * copy i of all chunks is taken as side i.
 *
 * All sectors are 512 bytes. Sectors on a leg are counted from its data
 * offset.
 */
#ifndef MB_LAYOUT_H
#define MB_LAYOUT_H

#include "error.h"
#include "port.h"

#define MB_MAX_LEGS 32
#define MB_MIN_LEGS 2
#define MB_MIN_CHUNK_SECTORS 8u
/* Far more than any device; keeps every product below within 64 bits. */
#define MB_MAX_CHUNK_SECTORS (1u << 21)
#define MB_MAX_LENGTH (1ull << 54)

enum mb_layout_kind {
	MB_LAYOUT_NEAR,
	MB_LAYOUT_FAR,
	MB_LAYOUT_OFFSET,
};

/* What a person chose; everything else follows from it. */
struct mb_shape {
	enum mb_layout_kind kind;
	u32 copies;
	u32 legs;
	u32 chunk_sectors;
};

struct mb_layout {
	struct mb_shape shape;
	u32 chunk_shift;	/* log2 of chunk_sectors */
	bool pure_mirror;	/* near on exactly as many legs as copies */
	bool sides_apart;	/* no leg is on two sides */
	u8 side_of_leg[MB_MAX_LEGS];	/* where sides are apart */
	u64 length;		/* sectors of the array */
	u64 chunks;		/* chunks of the array */
	u64 section_sectors;	/* far: distance of a leg's sections */

	/*
	 * Placement in numbers, the same for all kinds: chunk c takes slot
	 * c * slots_per_chunk, which is a leg of a row; each further copy lies on
	 * the next leg, copy_step further down, and another wrap_step where the
	 * legs start again.
	 */
	u64 span_sectors;	/* contiguous on each leg: a chunk, or everything */
	u32 slots_per_chunk;
	u64 row_sectors;
	u64 copy_step;
	u64 wrap_step;
};

/* One copy of a sector. */
struct mb_place {
	u64 sector;	/* on the leg, from its data offset */
	u32 leg;
	u32 copy;	/* which one this is */
};

/* A run of sectors on one leg. */
struct mb_extent {
	u64 sector;
	u64 sectors;
};

/* The most extents that one range of the array can have on one leg. */
#define MB_MAX_EXTENTS (2 * MB_MAX_LEGS + 1)

/**
 * mb_shape_check - are these numbers a layout at all?
 * @shape: as chosen
 * @error: receives what is wrong
 *
 * Context: any.
 * Return: 0, or -1 with @error set.
 */
int mb_shape_check(const struct mb_shape *shape, struct mb_error *error);

/**
 * mb_shape_capacity - what an array of this shape holds
 * @shape: a checked shape
 * @leg_sectors: usable sectors of the smallest leg
 *
 * Context: any.
 * Return: sectors of the array, as md raid10 would give it; 0 if a leg is too
 * small for one row of chunks.
 */
u64 mb_shape_capacity(const struct mb_shape *shape, u64 leg_sectors);

/**
 * mb_layout_init - a shape with a length becomes a layout
 * @layout: receives the layout
 * @shape: as chosen
 * @length: sectors of the array; must be a length that md raid10 would give
 *          for legs of some size
 * @error: receives what is wrong, with the nearest lengths allowed
 *
 * Context: any.
 * Return: 0, or -1 with @error set.
 */
int mb_layout_init(struct mb_layout *layout, const struct mb_shape *shape,
		   u64 length, struct mb_error *error);

/**
 * mb_layout_leg_sectors - how much of a leg the layout uses
 * @layout: the layout
 * @leg: number of the leg
 *
 * Context: any.
 * Return: sectors from the data offset to the end of the highest chunk mapped.
 */
u64 mb_layout_leg_sectors(const struct mb_layout *layout, u32 leg);

/* The side that a copy is on, below the number of copies. */
static __always_inline u32 mb_side(const struct mb_layout *layout, const struct mb_place *place)
{
	return layout->sides_apart ? layout->side_of_leg[place->leg] : place->copy;
}

/* From a copy's place to the next one's. */
static __always_inline struct mb_place mb_next_place(const struct mb_layout *layout,
						     struct mb_place place)
{
	place.copy++;
	place.sector += layout->copy_step;
	if (++place.leg == layout->shape.legs) {
		place.leg = 0;
		place.sector += layout->wrap_step;
	}
	return place;
}

/**
 * mb_layout_map - the places of all copies of a sector
 * @layout: the layout
 * @sector: sector of the array, below its length
 * @places: receives shape.copies places, copy 0 first
 *
 * Inline because the read path is counted in instructions.
 *
 * Context: any.
 */
static __always_inline void mb_layout_map(const struct mb_layout *layout, u64 sector,
					  struct mb_place *places)
{
	u32 in_chunk = sector & (layout->shape.chunk_sectors - 1);
	u64 slot = (sector >> layout->chunk_shift) * layout->slots_per_chunk;
	struct mb_place place = { .copy = 0 };

	place.sector = div_u64_rem(slot, layout->shape.legs, &place.leg) * layout->row_sectors +
		       in_chunk;
	places[0] = place;
	/* There are always two; not asking saves a read some instructions. */
	place = mb_next_place(layout, place);
	places[1] = place;
	while (unlikely(place.copy + 1 < layout->shape.copies)) {
		place = mb_next_place(layout, place);
		places[place.copy] = place;
	}
}

/**
 * mb_layout_contiguous - how far a read may run
 * @layout: the layout
 * @sector: sector of the array, below its length
 *
 * Context: any.
 * Return: sectors from @sector on that are contiguous on every copy's leg:
 * the rest of the chunk, or no limit for a pure mirror.
 */
static __always_inline u64 mb_layout_contiguous(const struct mb_layout *layout, u64 sector)
{
	return layout->span_sectors - (sector & (layout->span_sectors - 1));
}

/**
 * mb_layout_inverse - which sector of the array lies here?
 * @layout: the layout
 * @place: a sector of a leg
 * @sector: receives the sector of the array
 * @copy: receives the number of the copy
 *
 * Context: any.
 * Return: false if nothing of the array lies at @place.
 */
bool mb_layout_inverse(const struct mb_layout *layout,
		       const struct mb_place *place, u64 *sector, u32 *copy);

/**
 * mb_layout_leg_extents - a range of the array, as one leg sees it
 * @layout: the layout
 * @sector: first sector of the range
 * @sectors: its length, at least 1, ending within the array
 * @leg: number of the leg
 * @extents: receives at most MB_MAX_EXTENTS runs, ascending, not touching
 *
 * Near gives at most one run, far one a copy, offset one for the whole stripes
 * and a few for the broken ones at both ends.
 *
 * Context: any.
 * Return: the number of runs.
 */
u32 mb_layout_leg_extents(const struct mb_layout *layout, u64 sector,
			  u64 sectors, u32 leg, struct mb_extent *extents);

/**
 * mb_layout_nr_sets - number of different sets of legs that hold a chunk
 * @layout: the layout
 *
 * Context: any.
 */
u32 mb_layout_nr_sets(const struct mb_layout *layout);

/**
 * mb_layout_set - the legs of one set of copies
 * @layout: the layout
 * @set: 0 .. mb_layout_nr_sets() - 1
 *
 * Context: any.
 * Return: bit mask of legs.
 */
u32 mb_layout_set(const struct mb_layout *layout, u32 set);

/* The letter of a kind in tables and status: n, f or o. */
char mb_layout_letter(enum mb_layout_kind kind);

/* Inverse of mb_layout_letter(); false if there is no such kind. */
bool mb_layout_kind(char letter, enum mb_layout_kind *kind);

#endif /* MB_LAYOUT_H */
