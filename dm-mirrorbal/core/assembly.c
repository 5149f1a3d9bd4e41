// SPDX-License-Identifier: GPL-2.0-only
#include "assembly.h"
#include "health.h"

static bool say_the_same(const struct mb_superblock *leg, const struct mb_superblock *other)
{
	u32 i;

	for (i = 0; i < leg->shape.legs; i++)
		if (leg->legs[i].state != other->legs[i].state ||
		    leg->legs[i].rebuilt != other->legs[i].rebuilt)
			return false;
	return true;
}

/* Superblocks that were written at different times are never taken for one, even if they count the same. */
static enum mb_kinship compare(const struct mb_superblock *leg, const struct mb_superblock *other)
{
	enum mb_kinship kinship = mb_history_compare(&leg->state.history, leg->generation,
						     &other->state.history, other->generation);

	return kinship == MB_KIN_SAME && !say_the_same(leg, other) ? MB_KIN_APART : kinship;
}

static int check_is_of_array(const struct mb_superblock *leg, u32 number,
			     const struct mb_superblock *first, struct mb_error *error)
{
	if (leg->incompat & MB_INCOMPAT_CREATING)
		return mb_error_set(error, "leg %u is of an array whose creation was not finished", number);
	if (leg->leg != number)
		return mb_error_set(error, "leg %u says that it is leg %u", number, leg->leg);
	if (memcmp(leg->array_uuid, first->array_uuid, MB_UUID_BYTES))
		return mb_error_set(error, "legs %u and %u are of different arrays ('%s' and '%s')",
				    first->leg, number, first->name, leg->name);
	if (memcmp(&leg->shape, &first->shape, sizeof(leg->shape)) || leg->length != first->length)
		return mb_error_set(error, "legs %u and %u disagree on the array's layout", first->leg,
				    number);
	return 0;
}

static int find_newest(const struct mb_superblock *const *legs, u32 nr_legs,
		       struct mb_assembly *assembly, struct mb_error *error)
{
	const struct mb_superblock *newest = NULL;
	u32 leg;

	for (leg = 0; leg < nr_legs; leg++) {
		if (!legs[leg])
			continue;
		if (!newest)
			newest = legs[leg];
		if (check_is_of_array(legs[leg], leg, newest, error))
			return -1;
		if (compare(legs[leg], newest) == MB_KIN_FUTURE)
			newest = legs[leg];
	}
	if (!newest)
		return mb_error_set(error, "no leg is there");
	assembly->newest = newest->leg;
	return 0;
}

/* Each has seen something that the other has not: whose data would be lost nobody but the owner can say. */
static int check_none_is_apart(const struct mb_superblock *const *legs, u32 nr_legs, u32 newest,
			       struct mb_error *error)
{
	u32 leg;

	for (leg = 0; leg < nr_legs; leg++)
		if (legs[leg] && compare(legs[leg], legs[newest]) == MB_KIN_APART)
			return mb_error_set(error,
					    "legs %u and %u have each been used without the other and hold different data; decide whose content may go, erase that leg, and start the array without it",
					    newest < leg ? newest : leg, newest < leg ? leg : newest);
	return 0;
}

/* See mb_assembly_judge(). */
static bool has_seen_all(const struct mb_superblock *leg, const struct mb_superblock *newest)
{
	return newest->legs[leg->leg].state == MB_LEG_IN_SYNC &&
	       !memcmp(leg->legs[leg->leg].uuid, newest->legs[leg->leg].uuid, MB_UUID_BYTES) &&
	       leg->generation + 1 >= newest->generation;
}

int mb_assembly_judge(const struct mb_superblock *const *legs, u32 nr_legs,
		      struct mb_assembly *assembly, struct mb_error *error)
{
	const struct mb_superblock *newest;
	struct mb_layout layout;
	u32 leg, set;

	memset(assembly, 0, sizeof(*assembly));
	if (find_newest(legs, nr_legs, assembly, error) ||
	    check_none_is_apart(legs, nr_legs, assembly->newest, error))
		return -1;
	newest = legs[assembly->newest];
	for (leg = 0; leg < nr_legs; leg++) {
		if (legs[leg] && has_seen_all(legs[leg], newest))
			assembly->in_sync |= 1u << leg;
		else if (legs[leg])
			assembly->behind |= 1u << leg;
		if (newest->legs[leg].state == MB_LEG_IN_SYNC && !(assembly->in_sync & 1u << leg))
			assembly->lost |= 1u << leg;
	}
	if (mb_layout_init(&layout, &newest->shape, newest->length, error))
		return -1;
	if (!mb_health_complete(&layout, assembly->in_sync, &set))
		return mb_error_set(error,
				    "too many legs are missing: none that is in sync is left of the set with leg mask 0x%x, which holds some of the data",
				    set);
	return 0;
}

void mb_assembly_note_states(struct mb_superblock *superblock, u32 present, u32 in_sync)
{
	u32 leg;

	for (leg = 0; leg < superblock->shape.legs; leg++) {
		u32 bit = 1u << leg;

		superblock->legs[leg].state = in_sync & bit ? MB_LEG_IN_SYNC :
					      present & bit ? MB_LEG_FAILED : MB_LEG_MISSING;
		if (in_sync & bit)
			superblock->legs[leg].rebuilding = false;
	}
}
