// SPDX-License-Identifier: GPL-2.0-only
#include "choice.h"
#include "leg.h"
#include "metadata.h"
#include "policy_registry.h"
#include "recovery.h"
#include "status_report.h"

/* Room for the arguments of any policy. */
#define ARGS_LEN 256

static const struct mb_policy *current_policy(struct mb_array *array)
{
	return rcu_dereference_protected(array->policy, lockdep_is_held(&array->config_mutex));
}

static char health_of(const struct mb_array *array, u32 leg)
{
	if (!(array->present & BIT(leg)))
		return MB_LEG_MISSING;
	if (!mb_leg_in_sync(array, leg))
		return MB_LEG_FAILED;
	/* As dm-raid has it: while there is a resync, of all. */
	return mb_all_synced(array) ? MB_LEG_IN_SYNC : MB_LEG_NOT_IN_SYNC;
}

static char mark_of(bool write_mostly, bool slow)
{
	if (write_mostly)
		return slow ? MB_MARK_BOTH : MB_MARK_WRITE_MOSTLY;
	return slow ? MB_MARK_SLOW : MB_MARK_NONE;
}

static void health_text(const struct mb_array *array, char *text)
{
	u32 leg;

	for (leg = 0; leg < array->layout.shape.legs; leg++)
		text[leg] = health_of(array, leg);
	text[leg] = '\0';
}

static void marks_text(struct mb_array *array, char *text)
{
	u32 write_mostly = READ_ONCE(array->write_mostly);
	u32 slow = mb_choice_slow_legs(array) & array->present, leg;

	for (leg = 0; leg < array->layout.shape.legs; leg++)
		text[leg] = mark_of(write_mostly & BIT(leg), slow & BIT(leg));
	text[leg] = '\0';
}

static void report_info(struct mb_array *array, char *result, unsigned int maxlen)
{
	const struct mb_shape *shape = &array->layout.shape;
	u64 counters[MB_NR_COUNTERS];
	char text[MB_MAX_LEGS + 1];
	unsigned int sz = 0;
	u32 leg, i;

	health_text(array, text);
	DMEMIT("%c%u %u %s %llu/%llu %s 0 %s", mb_layout_letter(shape->kind), shape->copies,
	       shape->legs, text, READ_ONCE(array->synced), array->layout.length,
	       mb_recovery_action(array), current_policy(array)->ops->name);
	marks_text(array, text);
	DMEMIT(" %s %d", text, MB_NR_COUNTERS);
	for (leg = 0; leg < shape->legs; leg++) {
		mb_leg_counters(array, leg, counters);
		for (i = 0; i < MB_NR_COUNTERS; i++)
			DMEMIT(" %llu", counters[i]);
	}
}

/* As other targets say that they do nothing any more; and why. */
static void report_refusal(const struct mb_array *array, char *result, unsigned int maxlen)
{
	unsigned int sz = 0;

	DMEMIT("Fail %s", mb_metadata_refusal(array));
}

static unsigned int report_policy(struct mb_array *array, char *result, unsigned int sz,
				  unsigned int maxlen)
{
	const struct mb_policy *policy = current_policy(array);
	char args[ARGS_LEN];
	u32 nr = mb_policy_args(policy, args, sizeof(args));

	DMEMIT(" %s %u%s%s", policy->ops->name, nr, nr ? " " : "", args);
	return sz;
}

static unsigned int report_features(const struct mb_array *array, bool synced, char *result,
				    unsigned int sz, unsigned int maxlen)
{
	unsigned long write_mostly = READ_ONCE(array->write_mostly);
	u32 limit = READ_ONCE(array->recovery.limit), leg;
	/* What is stored says whether all is the same. */
	const char *word = array->metadata ? "metadata" : synced ? "nosync" : NULL;

	DMEMIT(" %u", !!word + 2 * !!limit + 2 * (u32)hweight_long(write_mostly));
	if (word)
		DMEMIT(" %s", word);
	if (limit)
		DMEMIT(" resync_limit %u", limit);
	for_each_set_bit(leg, &write_mostly, MB_MAX_LEGS)
		DMEMIT(" write_mostly %u", leg);
	return sz;
}

static bool is_named(const struct mb_array *array, u32 leg)
{
	return array->metadata ? array->legs[leg].dev != NULL : mb_leg_in_sync(array, leg);
}

/*
 * A line that recreates the device: a leg that failed is left out, so that the
 * others are still known to be identical; unless it is stored that it failed.
 */
static void report_table(struct mb_array *array, char *result, unsigned int maxlen)
{
	const struct mb_shape *shape = &array->layout.shape;
	/* Before the legs: one that fails as the last is copied to it must not be among them. */
	bool synced = mb_all_synced(array);
	unsigned int sz = 0;
	u32 leg;

	DMEMIT("%c%u %u %u", mb_layout_letter(shape->kind), shape->copies, shape->chunk_sectors,
	       shape->legs);
	for (leg = 0; leg < shape->legs; leg++)
		DMEMIT(" %s %llu", is_named(array, leg) ? array->legs[leg].dev->name : "-",
		       array->legs[leg].data_offset);
	sz = report_policy(array, result, sz, maxlen);
	report_features(array, synced, result, sz, maxlen);
}

static void report_ima(struct mb_array *array, char *result, unsigned int maxlen)
{
	const struct mb_shape *shape = &array->layout.shape;
	struct dm_target *ti = array->ti;
	unsigned int sz = 0;
	u32 leg;

	DMEMIT_TARGET_NAME_VERSION(ti->type);
	DMEMIT(",layout=%c%u,chunk_sectors=%u,legs=%u", mb_layout_letter(shape->kind),
	       shape->copies, shape->chunk_sectors, shape->legs);
	for (leg = 0; leg < shape->legs; leg++)
		DMEMIT(",leg_%u=%s,leg_%u_data_offset=%llu,leg_%u_health=%c", leg,
		       array->legs[leg].dev ? array->legs[leg].dev->name : "-", leg,
		       array->legs[leg].data_offset, leg, health_of(array, leg));
	DMEMIT(",policy=%s;", current_policy(array)->ops->name);
}

void mb_report_status(struct mb_array *array, status_type_t type, char *result,
		      unsigned int maxlen)
{
	mutex_lock(&array->config_mutex);
	switch (type) {
	case STATUSTYPE_INFO:
		if (mb_metadata_refusal(array))
			report_refusal(array, result, maxlen);
		else
			report_info(array, result, maxlen);
		break;
	case STATUSTYPE_TABLE:
		report_table(array, result, maxlen);
		break;
	case STATUSTYPE_IMA:
		report_ima(array, result, maxlen);
		break;
	}
	mutex_unlock(&array->config_mutex);
}

void mb_report_counters(struct mb_array *array, char *result, unsigned int maxlen)
{
	u64 counters[MB_NR_COUNTERS];
	unsigned int sz = 0;
	u32 leg, i;

	for (leg = 0; leg < array->layout.shape.legs; leg++) {
		mb_leg_counters(array, leg, counters);
		DMEMIT("leg %u", leg);
		for (i = 0; i < MB_NR_COUNTERS; i++)
			DMEMIT(" %s %llu", mb_counter_name(i), counters[i]);
		DMEMIT("\n");
	}
}
