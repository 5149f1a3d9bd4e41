// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <uuid.h>

#include "alloc.h"
#include "array.h"
#include "contents.h"
#include "copy.h"
#include "create.h"
#include "health.h"
#include "interrupt.h"
#include "say.h"
#include "superblock_io.h"
#include "table_line.h"
#include "text.h"

char *creation_table(const struct creation *creation, bool lasting)
{
	struct view view = {
		.layout = creation->layout,
		.table = {
			.policy = creation->policy,
			.policy_argc = creation->policy_argc,
			.policy_argv = (char **)creation->policy_argv,
			.write_mostly = creation->write_mostly,
			.metadata = true,
		},
	};
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++) {
		view.legs[leg].device = creation->legs[leg].device;
		view.legs[leg].data_offset = creation->legs[leg].data_offset;
	}
	return table_params(&view, lasting);
}

/* Which copies win is written down before the first is overwritten. */
static void record_winners(struct mb_superblock *stamp, const struct creation *creation)
{
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++)
		stamp->legs[leg].state =
			creation->assume_clean || (creation->copy_from & (1u << leg)) ?
			MB_LEG_IN_SYNC : MB_LEG_NOT_IN_SYNC;
}

/* All copies are the same, and from here on it is kept whether they are. */
static void record_state(struct mb_superblock *stamp, const struct creation *creation)
{
	struct mb_state *state = &stamp->state;
	u32 leg;

	stamp->generation++;
	stamp->incompat = MB_INCOMPAT_METADATA;
	for (leg = 0; leg < stamp->shape.legs; leg++) {
		stamp->legs[leg].state = MB_LEG_IN_SYNC;
		stamp->legs[leg].write_mostly = creation->write_mostly & (1u << leg);
	}
	state->updated = time(NULL);
	uuid_generate(state->history.uuid);
	creation_note_policy(creation, state);
	mb_superblock_place_areas(stamp);
}

static int fill_areas(const struct creation *creation, const struct mb_superblock *stamp)
{
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++)
		if (superblock_fill_areas(creation->legs[leg].claim.direct, stamp))
			return say_error("%s: cannot write its metadata: %s",
					 creation->legs[leg].device->node, strerror(errno));
	return 0;
}

static void fill_stamp(struct mb_superblock *stamp, const struct creation *creation)
{
	u32 leg;

	memset(stamp, 0, sizeof(*stamp));
	stamp->generation = 1;
	stamp->incompat = MB_INCOMPAT_CREATING;
	uuid_generate(stamp->array_uuid);
	text_copy(stamp->name, creation->name, MB_NAME_BYTES);
	stamp->shape = creation->shape;
	stamp->length = creation->layout.length;
	stamp->logical_block_bytes = creation->logical_block;
	stamp->created = time(NULL);
	for (leg = 0; leg < creation->shape.legs; leg++) {
		const struct device *device = creation->legs[leg].device;

		uuid_generate(stamp->legs[leg].uuid);
		text_copy(stamp->legs[leg].model, device->model, MB_MODEL_BYTES);
		text_copy(stamp->legs[leg].serial, device->serial, MB_SERIAL_BYTES);
	}
	record_winners(stamp, creation);
}

static int wipe_legs(const struct creation *creation)
{
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++)
		if (contents_wipe(creation->legs[leg].claim.fd))
			return say_error("%s: cannot wipe its signatures: %s",
					 creation->legs[leg].device->node, strerror(errno));
	return 0;
}

/* Of the array's stamp, what is this leg's own. */
static void address_stamp(struct mb_superblock *stamp, const struct creation *creation, u32 leg)
{
	stamp->leg = leg;
	stamp->data_offset = creation->legs[leg].data_offset;
	stamp->leg_sectors = mb_layout_leg_sectors(&creation->layout, leg);
}

static int stamp_legs(const struct creation *creation, struct mb_superblock *stamp)
{
	struct mb_error error;
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++) {
		address_stamp(stamp, creation, leg);
		if (mb_superblock_check(stamp, &error))
			return say_error("leg %u: %s", leg, error.text);
		if (superblock_write(creation->legs[leg].claim.direct, stamp))
			return say_error("%s: cannot write the stamp: %s",
					 creation->legs[leg].device->node, strerror(errno));
	}
	return 0;
}

/*
 * One disk by two paths looks like two: dual-ported, or a loop device on it.
 * Then the later leg's stamp lies where the earlier one's should be.
 */
static int verify_stamps(const struct creation *creation, struct mb_superblock *stamp)
{
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++) {
		const char *node = creation->legs[leg].device->node;

		address_stamp(stamp, creation, leg);
		if (!superblock_verify(creation->legs[leg].claim.direct, stamp))
			continue;
		if (errno)
			return say_error("%s: cannot read the stamp back: %s", node, strerror(errno));
		return say_error("%s does not hold the stamp of leg %u that was written there: another of the devices is the same disk by another path, or the disk does not keep what is written",
				 node, leg);
	}
	return 0;
}

static int copy_all(const struct creation *creation)
{
	struct copy_leg legs[MB_MAX_LEGS];
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++)
		legs[leg] = (struct copy_leg){
			.direct = creation->legs[leg].claim.direct,
			.data_offset = creation->legs[leg].data_offset,
			.name = creation->legs[leg].device->node,
		};
	return copy_legs(&creation->layout, legs, creation->copy_from);
}

/* From the first stamp to the last state that a started array may have. */
static int prepare(const struct creation *creation, struct mb_superblock *stamp)
{
	if (stamp_legs(creation, stamp) || verify_stamps(creation, stamp))
		return -1;
	if (!creation->assume_clean && copy_all(creation))
		return -1;
	if (interrupted())
		return say_error("interrupted");
	record_state(stamp, creation);
	return fill_areas(creation, stamp) || stamp_legs(creation, stamp) ? -1 : 0;
}

static void release_legs(struct creation *creation)
{
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++)
		claim_release(&creation->legs[leg].claim);
}

/* device-mapper claims the legs for itself, so they are given back first. */
static int start(struct creation *creation, const struct mb_superblock *stamp)
{
	char *table = creation_table(creation, false);
	char uuid[40], *dm_uuid, *trouble;
	int result;

	uuid_unparse_lower(stamp->array_uuid, uuid);
	dm_uuid = xprintf("%s%s", ARRAY_UUID_PREFIX, uuid);
	release_legs(creation);
	result = array_create(creation->name, dm_uuid, creation->layout.length, table, &trouble);
	if (result)
		say_error("cannot start '%s': %s", creation->name, trouble);
	free(trouble);
	free(dm_uuid);
	free(table);
	return result;
}

/* Claims the legs again where they were given back; false having said which are left. */
static bool erase_stamps(struct creation *creation)
{
	bool all = true;
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++) {
		struct creation_leg *of = &creation->legs[leg];

		if (of->claim.direct < 0 && claim_device(&of->claim, of->device)) {
			all = false;
			continue;
		}
		if (superblock_erase(of->claim.direct)) {
			say_error("%s: cannot erase the stamp again: %s", of->device->node,
				  strerror(errno));
			all = false;
		}
	}
	return all;
}

/* So that the same command can be typed again. */
static void take_back(struct creation *creation)
{
	if (erase_stamps(creation))
		say_error("nothing is started and no leg is stamped; signatures that were to be wiped are, and the copies may differ. The same command can be typed again");
	else
		say_error("nothing is started, but some legs are still stamped: `mirrorbal erase` them before the next try");
}

int creation_undo(struct creation *creation)
{
	char *trouble;

	if (array_remove(creation->name, &trouble)) {
		say_error("cannot stop '%s': %s; `mirrorbal stop %s`, then `mirrorbal erase` of its legs, end it",
			  creation->name, trouble, creation->name);
		free(trouble);
		return -1;
	}
	return erase_stamps(creation) ? 0 :
	       say_error("some legs are still stamped: `mirrorbal erase` them");
}

int creation_apply(struct creation *creation)
{
	struct mb_superblock stamp;

	interrupt_catch();
	fill_stamp(&stamp, creation);
	if (wipe_legs(creation))
		return say_error("nothing is started and no leg is stamped; some signatures may be wiped already");
	if (prepare(creation, &stamp) || start(creation, &stamp)) {
		take_back(creation);
		return -1;
	}
	return 0;
}
