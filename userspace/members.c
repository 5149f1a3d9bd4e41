// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <uuid.h>

#include "alloc.h"
#include "members.h"
#include "superblock_io.h"
#include "sysfs.h"

/* Floppy and optical drives: slow to ask, and never legs. */
static bool is_removable_drive(dev_t number)
{
	return major(number) == 2 || major(number) == 11;
}

static bool has_holder(dev_t number)
{
	char *path = block_path(number, "holders");
	DIR *holders = opendir(path);
	struct dirent *entry;
	bool found = false;

	while (holders && !found && (entry = readdir(holders)))
		found = entry->d_name[0] != '.';
	if (holders)
		closedir(holders);
	free(path);
	return found;
}

/*
 * One leg may be seen twice: through multipath's device and its paths, or
 * through a mapping that begins where the disk does. The upper one counts.
 */
static bool replaces_twin(struct members *members, struct member *member)
{
	size_t i;

	for (i = 0; i < members->count; i++) {
		struct member *other = &members->list[i], copy = *other;

		if (other->verdict != MB_SUPERBLOCK_VALID ||
		    memcmp(other->superblock.array_uuid, member->superblock.array_uuid,
			   MB_UUID_BYTES) || other->superblock.leg != member->superblock.leg ||
		    memcmp(other->superblock.legs[other->superblock.leg].uuid,
			   member->superblock.legs[member->superblock.leg].uuid, MB_UUID_BYTES))
			continue;
		if (!has_holder(member->device->number) && has_holder(other->device->number)) {
			*other = *member;
			*member = copy;
		}
		device_free(member->device);
		return true;
	}
	return false;
}

static void visit(dev_t number, const char *fs_type, void *context)
{
	struct members *members = context;
	struct member member = { .verdict = MB_SUPERBLOCK_ABSENT };

	if (is_removable_drive(number) || !block_number(number, "size", 0) ||
	    (fs_type && strcmp(fs_type, "mirrorbal_member")))
		return;
	member.device = device_by_number(number);
	if (!member.device)
		return;
	if (superblock_read(member.device->node, &member.superblock, &member.verdict,
			    &member.error) || member.verdict == MB_SUPERBLOCK_ABSENT) {
		device_free(member.device);
		return;
	}
	if (member.verdict == MB_SUPERBLOCK_VALID && replaces_twin(members, &member))
		return;
	members->list = xrealloc(members->list, (members->count + 1) * sizeof(*members->list));
	members->list[members->count++] = member;
}

struct members *members_scan(void)
{
	struct members *members = xcalloc(1, sizeof(*members));

	device_each(visit, members);
	return members;
}

void members_free(struct members *members)
{
	size_t i;

	if (!members)
		return;
	for (i = 0; i < members->count; i++)
		device_free(members->list[i].device);
	free(members->list);
	free(members);
}

static bool is_of(const struct member *member, const u8 *array_uuid)
{
	return member->verdict == MB_SUPERBLOCK_VALID &&
	       !memcmp(member->superblock.array_uuid, array_uuid, MB_UUID_BYTES);
}

const struct member *members_find(const struct members *members, const u8 *array_uuid, u32 leg)
{
	const struct member *best = NULL;
	size_t i;

	for (i = 0; i < members->count; i++) {
		const struct member *member = &members->list[i];

		if (is_of(member, array_uuid) && member->superblock.leg == leg &&
		    (!best || member->superblock.generation > best->superblock.generation))
			best = member;
	}
	return best;
}

bool members_is_first(const struct members *members, const struct member *member)
{
	const struct member *other;

	for (other = members->list; other < member; other++)
		if (is_of(other, member->superblock.array_uuid))
			return false;
	return true;
}

const struct member *members_next_named(const struct members *members, const char *name,
					const struct member *after)
{
	const struct member *member = after ? after + 1 : members->list;
	uuid_t uuid;
	bool by_uuid = !uuid_parse(name, uuid);

	for (; member < members->list + members->count; member++) {
		if (member->verdict != MB_SUPERBLOCK_VALID || !members_is_first(members, member))
			continue;
		if (by_uuid ? is_of(member, uuid) : !strcmp(member->superblock.name, name))
			return member;
	}
	return NULL;
}
