// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <uuid.h>

#include "alloc.h"
#include "array.h"
#include "members.h"
#include "say.h"
#include "superblock_io.h"
#include "sysfs.h"

struct members {
	struct member *list;
	size_t count;
	bool scanned;
	dev_t *held;	/* by arrays that run, whatever UUID they have */
	size_t nr_held;
};

/* Floppy and optical drives: slow to ask, and never legs. */
static bool is_removable_drive(dev_t number)
{
	return major(number) == 2 || major(number) == 11;
}

static bool is_suspended(dev_t number, const void *context)
{
	return block_number(number, "dm/suspended", 0);
}

static bool is_array(dev_t number, const void *context)
{
	char *uuid = block_attribute(number, "dm/uuid");
	bool result = uuid && !strncmp(uuid, ARRAY_UUID_PREFIX, strlen(ARRAY_UUID_PREFIX));

	free(uuid);
	return result;
}

static bool is_same(dev_t number, const void *context)
{
	return number == *(const dev_t *)context;
}

static bool lies_on(const struct member *upper, const struct member *lower)
{
	return block_any_related(lower->device->number, "holders", is_same,
				 &upper->device->number);
}

bool member_is_of(const struct member *member, const u8 *array_uuid)
{
	return member->verdict == MB_SUPERBLOCK_VALID &&
	       !memcmp(member->superblock.array_uuid, array_uuid, MB_UUID_BYTES);
}

static bool is_same_leg(const struct member *a, const struct member *b)
{
	return b->verdict == MB_SUPERBLOCK_VALID && member_is_of(a, b->superblock.array_uuid) &&
	       a->superblock.leg == b->superblock.leg;
}

/*
 * One leg may be seen twice: through multipath's device and its paths, or
 * through a mapping that begins where the disk does. The upper one counts.
 * Devices that do not lie on each other are two: one is a copy of the other.
 */
static bool is_merged(struct members *members, struct member *member)
{
	size_t i;

	for (i = 0; i < members->count; i++) {
		struct member *other = &members->list[i], copy = *other;
		bool above = lies_on(member, other);

		if (!is_same_leg(other, member) || (!above && !lies_on(other, member)))
			continue;
		if (above) {
			*other = *member;
			*member = copy;
		}
		device_free(member->device);
		return true;
	}
	return false;
}

static void find_held(struct members *members)
{
	char **names = array_names(), **name;

	for (name = names; *name; name++) {
		struct array *array = array_get(*name);
		size_t i;

		for (i = 0; array && i < array->nr_depends; i++) {
			members->held = xrealloc(members->held,
						 (members->nr_held + 1) * sizeof(*members->held));
			members->held[members->nr_held++] = array->depends[i];
		}
		array_free(array);
		free(*name);
	}
	free(names);
}

static bool is_held(const struct members *members, dev_t number)
{
	size_t i;

	for (i = 0; i < members->nr_held; i++)
		if (members->held[i] == number ||
		    block_any_related(number, "holders", is_same, &members->held[i]))
			return true;
	return false;
}

static bool is_readable(const struct members *members, dev_t number, const char *known_as)
{
	if (is_held(members, number))
		return false;
	if (is_removable_drive(number) || !block_number(number, "size", 0) ||
	    (known_as && strcmp(known_as, "mirrorbal_member")) ||
	    is_array(number, NULL) || block_any_related(number, "holders", is_array, NULL))
		return false;
	if (!is_suspended(number, NULL) && !block_any_related(number, "slaves", is_suspended, NULL))
		return true;
	say_warning("device %u:%u is suspended and was not looked at", major(number),
		    minor(number));
	return false;
}

static void visit(dev_t number, const char *known_as, void *context)
{
	struct members *members = context;
	struct member member = { .verdict = MB_SUPERBLOCK_ABSENT };

	if (!is_readable(members, number, known_as))
		return;
	member.device = device_by_number(number);
	if (!member.device)
		return;
	if (superblock_read(member.device->node, &member.superblock, &member.verdict,
			    &member.error) || member.verdict == MB_SUPERBLOCK_ABSENT) {
		device_free(member.device);
		return;
	}
	if (is_merged(members, &member))
		return;
	members->list = xrealloc(members->list, (members->count + 1) * sizeof(*members->list));
	members->list[members->count++] = member;
}

struct members *members_new(void)
{
	return xcalloc(1, sizeof(struct members));
}

void members_free(struct members *members)
{
	size_t i;

	for (i = 0; i < members->count; i++)
		device_free(members->list[i].device);
	free(members->list);
	free(members->held);
	free(members);
}

const struct member *members_next(struct members *members, const struct member *after)
{
	const struct member *next;

	if (!members->scanned) {
		members->scanned = true;
		find_held(members);
		device_each(visit, members);
	}
	next = after ? after + 1 : members->list;
	return next < members->list + members->count ? next : NULL;
}

const struct member *members_find(struct members *members, const u8 *array_uuid, u32 leg)
{
	const struct member *member = NULL, *best = NULL;

	while ((member = members_next(members, member)))
		if (member_is_of(member, array_uuid) && member->superblock.leg == leg &&
		    (!best || member->superblock.generation > best->superblock.generation))
			best = member;
	return best;
}

const struct member *members_twin(struct members *members, const struct member *member)
{
	const struct member *other = NULL;

	while ((other = members_next(members, other)))
		if (other != member && is_same_leg(other, member))
			return other;
	return NULL;
}

static bool is_first(struct members *members, const struct member *member)
{
	const struct member *other = members_next(members, NULL);

	while (other != member && !member_is_of(other, member->superblock.array_uuid))
		other = members_next(members, other);
	return other == member;
}

const struct member *members_next_named(struct members *members, const char *name,
					const struct member *after)
{
	const struct member *member = after;
	uuid_t uuid;
	bool by_uuid = !uuid_parse(name, uuid);

	while ((member = members_next(members, member))) {
		if (member->verdict != MB_SUPERBLOCK_VALID || !is_first(members, member))
			continue;
		if (by_uuid ? member_is_of(member, uuid) : !strcmp(member->superblock.name, name))
			return member;
	}
	return NULL;
}
