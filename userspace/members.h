/* SPDX-License-Identifier: GPL-2.0-only */
/* The stamped legs of this machine, whether their arrays run or not. */
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

struct members {
	struct member *list;
	size_t count;
};

/* Looks at every block device; those that udev knows to be something else are not read. */
struct members *members_scan(void);

void members_free(struct members *members);

/* Leg @leg of an array; NULL if it was not found. */
const struct member *members_find(const struct members *members, const u8 *array_uuid, u32 leg);

/* The first member of each array called @name (or whose UUID that is); NULL at the end. */
const struct member *members_next_named(const struct members *members, const char *name,
					const struct member *after);

/* Is this the first member of its array in the list? */
bool members_is_first(const struct members *members, const struct member *member);

#endif /* MB_MEMBERS_H */
