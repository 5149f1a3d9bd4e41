/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stamped legs of this machine that no array holds. Looking for them asks
 * every disk, also one that sleeps or is about to die: that is done when the
 * first question is put, not before.
 */
#ifndef MB_MEMBERS_H
#define MB_MEMBERS_H

#include "device.h"
#include "superblock.h"

struct member {
	struct device *device;
	enum mb_superblock_verdict verdict;	/* never ABSENT */
	struct mb_superblock superblock;	/* where VALID */
	struct mb_error error;			/* otherwise */
};

struct members;

/*
 * What udev knows to be something else is not read, nor what a running array
 * holds, nor what is suspended: a read of that would wait.
 */
struct members *members_new(void);

void members_free(struct members *members);

/* One after the other, readable or not; NULL at the end. */
const struct member *members_next(struct members *members, const struct member *after);

/* Is it of that array? */
bool member_is_of(const struct member *member, const u8 *array_uuid);

/* Leg @leg of an array; NULL if it was not found. */
const struct member *members_find(struct members *members, const u8 *array_uuid, u32 leg);

/* Another device that says that it is the same leg: one is a copy of the other. NULL if there is none. */
const struct member *members_twin(struct members *members, const struct member *member);

/* The first member of each array called @name (or whose UUID that is); NULL at the end. */
const struct member *members_next_named(struct members *members, const char *name,
					const struct member *after);

#endif /* MB_MEMBERS_H */
