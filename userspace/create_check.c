// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "alloc.h"
#include "array.h"
#include "contents.h"
#include "create.h"
#include "members.h"
#include "policies.h"
#include "say.h"
#include "size.h"
#include "stamp_text.h"
#include "superblock_io.h"

#define MIB (1ull << 20)
#define GIB (1ull << 30)

static int check_name(const char *name)
{
	struct mb_error error;

	if (mb_superblock_name_check(name, &error))
		return say_error("'%s': %s; choose another", name, error.text);
	if (array_name_taken(name))
		return say_error("there is a device-mapper device '%s' already; choose another name",
				 name);
	return 0;
}

/* An array that is not started has a right to its name, too. */
static int check_name_of_members(const char *name)
{
	struct members *members = members_new();
	const struct member *member = members_next_named(members, name, NULL);
	int result = 0;

	if (member)
		result = say_error("there is an array '%s' already, though not started: %s is leg %u of it; choose another name, or `mirrorbal erase` its legs",
				   name, member->device->node, member->superblock.leg);
	members_free(members);
	return result;
}

static int check_not_twice(const struct creation *creation, u32 leg)
{
	const struct device *device = creation->legs[leg].device;
	u32 other;

	for (other = 0; other < leg; other++) {
		const struct device *before = creation->legs[other].device;

		if (!before)
			continue;
		if (before->number == device->number)
			return say_error("%s is given twice: legs %u and %u are the same device",
					 creation->legs[leg].path, other, leg);
		if (before->number == device->disk || before->disk == device->number)
			return say_error("%s and %s are a disk and a partition of it",
					 creation->legs[other].path, creation->legs[leg].path);
	}
	return 0;
}

static int check_kind(const struct device *device)
{
	if (device->zoned)
		return say_error("%s is a zoned device; mirrors cannot be written in place there",
				 device->node);
	if (!device->bytes)
		return say_error("%s has no capacity; a SAS disk formatted with sectors of 520 bytes shows itself so, and `sg_format --format --size=512` cures it",
				 device->node);
	if (device->read_only)
		return say_error("%s is read-only", device->node);
	if (device->logical_block > MB_SUPERBLOCK_BYTES)
		return say_error("%s has logical blocks of %u bytes; allowed are at most %u",
				 device->node, device->logical_block, MB_SUPERBLOCK_BYTES);
	return 0;
}

static int check_stamp(const struct device *device)
{
	enum mb_superblock_verdict verdict;
	struct mb_superblock superblock;
	struct mb_error error;
	char *claim;

	if (superblock_read(device->node, &superblock, &verdict, &error))
		return say_error("%s: cannot be read: %s", device->node, strerror(errno));
	if (verdict == MB_SUPERBLOCK_ABSENT)
		return 0;
	claim = verdict == MB_SUPERBLOCK_VALID ?
		stamp_claim(&superblock) :
		xprintf("carries a mirrorbal stamp that cannot be read (%s)", error.text);
	say_error("%s %s; only `mirrorbal erase %s` makes it forget that", device->node, claim,
		  device->node);
	free(claim);
	return -1;
}

static int check_contents(struct creation_leg *leg)
{
	if (contents_find(leg->claim.fd, &leg->contents))
		return say_error("%s: cannot be probed for what it carries", leg->device->node);
	if (leg->contents && !leg->wipe)
		return say_error("%s carries: %s; --wipe %s says that it may go", leg->device->node,
				 leg->contents, leg->path);
	return 0;
}

static int check_leg(struct creation *creation, u32 number)
{
	struct creation_leg *leg = &creation->legs[number];

	if (!strcmp(leg->path, "missing"))
		return say_error("leg %u is 'missing': a leg cannot be added later in this version, so all must be there",
				 number);
	leg->device = device_by_path(leg->path);
	if (!leg->device || check_not_twice(creation, number) || check_kind(leg->device) ||
	    check_stamp(leg->device) || claim_device(&leg->claim, leg->device))
		return -1;
	return check_contents(leg);
}

/*
 * Room for later changes of shape before the data; some room behind it, since
 * a replacement of the same model can be some sectors short. That room is what
 * such a replacement may use: a size that was asked for is not cut by it again.
 */
static int place_data(const struct creation *creation, struct creation_leg *leg)
{
	u64 bytes = leg->device->bytes, wanted = creation->size_limit;
	u64 spare = bytes / 1000 < 128 * MIB ? bytes / 1000 : 128 * MIB;
	u64 offset = bytes >= 64 * GIB ? 64 * MIB : 4 * MIB;
	char size[2][SIZE_TEXT_LEN];

	if (bytes < offset + spare)
		return say_error("%s has %s; the first %s of a leg are set aside", leg->device->node,
				 size_text(size[0], bytes), size_text(size[1], offset));
	if (wanted > bytes - offset)
		return say_error("%s has %s for data; --size asks for more", leg->device->node,
				 size_text(size[0], bytes - offset));
	leg->data_offset = offset >> 9;
	leg->usable = (wanted ? wanted : bytes - offset - spare) >> 9;
	return 0;
}

static u64 smallest_usable(const struct creation *creation)
{
	u64 smallest = ~0ull;
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++)
		if (creation->legs[leg].usable < smallest)
			smallest = creation->legs[leg].usable;
	return smallest;
}

static int check_geometry(struct creation *creation)
{
	u64 usable, length;
	struct mb_error error;
	int result = 0;
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++) {
		const struct device *device = creation->legs[leg].device;

		result |= place_data(creation, &creation->legs[leg]);
		if (device->logical_block > creation->logical_block)
			creation->logical_block = device->logical_block;
	}
	if (result)
		return -1;
	usable = smallest_usable(creation);
	length = mb_shape_capacity(&creation->shape, usable);
	if (!length)
		return say_error("the legs are too small: %llu sectors for data hold no row of chunks of %u sectors",
				 (unsigned long long)usable, creation->shape.chunk_sectors);
	if (mb_layout_init(&creation->layout, &creation->shape, length, &error))
		return say_error("%s", error.text);
	return 0;
}

/* Where every set begins with a leg of its own, that leg has the first copies only, and they win. */
static bool is_overwritten(const struct mb_shape *shape, u32 leg)
{
	return shape->kind != MB_LAYOUT_NEAR || shape->legs % shape->copies || leg % shape->copies;
}

/* The data of an array whose legs were made to forget it lie where the new one's will. */
static int find_former(const struct creation_leg *leg, char **found)
{
	if (contents_find_at(leg->claim.fd, leg->data_offset << 9, found))
		return say_error("%s: cannot be probed for what it carries", leg->device->node);
	return 0;
}

static void add_former(struct creation_leg *leg, const char *found)
{
	if (found)
		xappend(&leg->contents, ", ", "%s of a former array", found);
}

int creation_add_former(struct creation *creation)
{
	char *found;
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++) {
		if (find_former(&creation->legs[leg], &found))
			return -1;
		add_former(&creation->legs[leg], found);
		free(found);
	}
	return 0;
}

static int check_former_data(struct creation *creation, u32 number)
{
	struct creation_leg *leg = &creation->legs[number];
	char at[SIZE_TEXT_LEN], *found;
	int result = 0;

	if (!is_overwritten(&creation->shape, number))
		return 0;
	if (find_former(leg, &found))
		return -1;
	if (leg->wipe)
		add_former(leg, found);
	else if (found)
		result = say_error("%s carries at %s, where the data of a leg begin: %s, which would be overwritten. If its copy is the good one, --copy-from %s; if all copies are the same, --assume-clean; if it may go, --wipe %s",
				   leg->device->node, size_text(at, leg->data_offset << 9), found,
				   leg->path, leg->path);
	free(found);
	return result;
}

/* Whoever says which copies win has been asked. */
static int check_former_data_of_all(struct creation *creation)
{
	int result = 0;
	u32 leg;

	if (creation->assume_clean || creation->copy_from)
		return 0;
	for (leg = 0; leg < creation->shape.legs; leg++)
		result |= check_former_data(creation, leg);
	return result ? say_error("nothing was changed") : 0;
}

int creation_note_policy(const struct creation *creation, struct mb_state *state)
{
	char *args = xstrdup("");
	struct mb_error error;
	int result;
	u32 i;

	for (i = 0; i < creation->policy_argc; i++)
		xappend(&args, i ? " " : "", "%s", creation->policy_argv[i]);
	result = mb_state_set_policy(state, creation->policy, args, &error);
	free(args);
	return result ? say_error("policy '%s' cannot be kept: %s", creation->policy, error.text) : 0;
}

/* Arguments of a policy can depend on the shape, not on the length. */
int creation_check_policy(const struct creation *creation)
{
	struct mb_layout any = { .shape = creation->shape };
	struct mb_state ignored;

	if (policies_check(&any, creation->policy, creation->policy_argc,
			   (char **)creation->policy_argv))
		return -1;
	return creation_note_policy(creation, &ignored);
}

/* Before anything can fail, since creation_end() gives them back. */
static void claim_none(struct creation *creation)
{
	u32 leg;

	for (leg = 0; leg < MB_MAX_LEGS; leg++)
		creation->legs[leg].claim = CLAIM_NONE;
}

static int check_legs(struct creation *creation)
{
	int result = 0;
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++)
		result |= check_leg(creation, leg);
	return result ? say_error("nothing was changed") : 0;
}

int creation_check_devices(struct creation *creation)
{
	claim_none(creation);
	return check_legs(creation);
}

int creation_check(struct creation *creation)
{
	struct mb_error error;

	claim_none(creation);
	if (mb_shape_check(&creation->shape, &error))
		return say_error("%s", error.text);
	return check_name(creation->name) || creation_check_policy(creation) || check_legs(creation) ||
	       check_name_of_members(creation->name) || check_geometry(creation) ||
	       check_former_data_of_all(creation) ? -1 : 0;
}

void creation_end(struct creation *creation)
{
	u32 leg;

	for (leg = 0; leg < creation->shape.legs && leg < MB_MAX_LEGS; leg++) {
		claim_release(&creation->legs[leg].claim);
		device_free(creation->legs[leg].device);
		free(creation->legs[leg].contents);
	}
}
