// SPDX-License-Identifier: GPL-2.0-only
#include <linux/sched/mm.h>

#include "leg.h"
#include "message.h"
#include "metadata.h"
#include "number.h"
#include "policy_registry.h"
#include "recovery.h"
#include "status_report.h"

/* A message under way. */
struct message {
	struct mb_array *array;
	unsigned int argc;	/* words behind the message's name */
	char **argv;
	char *result;
	unsigned int maxlen;
	bool stored;		/* what it changes is kept in the metadata */
	struct mb_error error;
};

static int parse_leg(struct message *message, const char *word, u32 *leg)
{
	u32 last = message->array->layout.shape.legs - 1;
	u64 number;

	if (!mb_number_parse(word, last, &number)) {
		mb_error_set(&message->error, "leg is '%.32s'; allowed are numbers from 0 to %u",
			     word, last);
		return -EINVAL;
	}
	*leg = number;
	return 0;
}

static int switch_policy(struct message *message, struct mb_policy *policy)
{
	if (IS_ERR(policy))
		return PTR_ERR(policy);
	mb_policy_switch(message->array, policy);
	mb_metadata_note_policy(message->array);
	return 0;
}

static int do_policy(struct message *message)
{
	return switch_policy(message,
			     mb_policy_create(message->array, message->argv[0], message->argc - 1,
					      message->argv + 1, false, &message->error));
}

static int do_policy_set(struct message *message)
{
	return switch_policy(message,
			     mb_policy_create_changed(message->array, message->argv[0],
						      message->argv[1], &message->error));
}

static int do_fail(struct message *message)
{
	struct mb_array *array = message->array;
	u32 leg;
	int r;

	r = parse_leg(message, message->argv[0], &leg);
	if (r)
		return r;
	if (!mb_leg_in_sync(array, leg)) {
		mb_error_set(&message->error, "leg %u is not in sync, so it cannot be failed", leg);
		return -EINVAL;
	}
	if (!mb_leg_fail(array, leg, "told to fail it")) {
		mb_error_set(&message->error, "leg %u holds the last good copy of some data", leg);
		return -EBUSY;
	}
	return 0;
}

static int do_write_mostly(struct message *message)
{
	const char *word = message->argv[1];
	u32 leg;
	int r;

	r = parse_leg(message, message->argv[0], &leg);
	if (r)
		return r;
	if (strcmp(word, "on") && strcmp(word, "off")) {
		mb_error_set(&message->error, "write_mostly is '%.32s'; allowed are on and off",
			     word);
		return -EINVAL;
	}
	mb_leg_mark_write_mostly(message->array, leg, !strcmp(word, "on"));
	return 0;
}

static int do_reset_counters(struct message *message)
{
	mb_leg_reset_counters(message->array);
	return 0;
}

static int do_counters(struct message *message)
{
	mb_report_counters(message->array, message->result, message->maxlen);
	return 1;
}

/* What is refused where nothing is written. */
static int check_writable(struct message *message)
{
	if (message->array->writable)
		return 0;
	mb_error_set(&message->error, "the device is read-only, so nothing is resynced");
	return -EROFS;
}

static int do_frozen(struct message *message)
{
	mb_recovery_freeze(message->array);
	return 0;
}

static int do_idle(struct message *message)
{
	mb_recovery_thaw(message->array);
	return 0;
}

static int do_resync(struct message *message)
{
	int r = check_writable(message);

	if (!r)
		mb_recovery_restart(message->array);
	return r;
}

static int do_resync_limit(struct message *message)
{
	u64 limit;

	if (!mb_number_parse(message->argv[0], MB_MAX_RESYNC_LIMIT, &limit)) {
		mb_error_set(&message->error,
			     "resync_limit is '%.32s'; allowed are KiB a second from 0, for none, to %u",
			     message->argv[0], MB_MAX_RESYNC_LIMIT);
		return -EINVAL;
	}
	mb_recovery_set_limit(message->array, limit);
	return 0;
}

static int not_yet(struct message *message)
{
	mb_error_set(&message->error,
		     "it compares copies, which is not in this version");
	return -EOPNOTSUPP;
}

static const struct {
	const char *name;
	unsigned int min_args, max_args;
	const char *usage;
	int (*run)(struct message *message);
	bool stored;
} messages[] = {
	{ "policy", 1, 1 + MB_MAX_POLICY_ARGS, "policy <name> [<arg>...]", do_policy, true },
	{ "policy_set", 2, 2, "policy_set <key> <value>", do_policy_set, true },
	{ "fail", 1, 1, "fail <leg>", do_fail, true },
	{ "write_mostly", 2, 2, "write_mostly <leg> on|off", do_write_mostly, true },
	{ "reset_counters", 0, 0, "reset_counters", do_reset_counters },
	{ "counters", 0, 0, "counters", do_counters },
	{ "frozen", 0, 0, "frozen", do_frozen },
	{ "idle", 0, 0, "idle", do_idle },
	{ "resync", 0, 0, "resync", do_resync },
	{ "resync_limit", 1, 1, "resync_limit <KiB/s>", do_resync_limit, true },
	{ "check", 0, 0, "check", not_yet },
	{ "repair", 0, 0, "repair", not_yet },
};

static int run_message(struct message *message, const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(messages); i++) {
		if (strcmp(name, messages[i].name))
			continue;
		if (message->argc < messages[i].min_args || message->argc > messages[i].max_args) {
			mb_error_set(&message->error, "it has %u arguments; the form is: %s",
				     message->argc, messages[i].usage);
			return -EINVAL;
		}
		message->stored = messages[i].stored;
		return messages[i].run(message);
	}
	mb_error_set(&message->error,
		     "there is no such message; allowed are policy, policy_set, fail, write_mostly, reset_counters, counters, frozen, idle, resync and resync_limit");
	return -EINVAL;
}

int mb_message(struct mb_array *array, unsigned int argc, char **argv, char *result,
	       unsigned int maxlen)
{
	struct message message = {
		.array = array,
		.argc = argc - 1,
		.argv = argv + 1,
		.result = result,
		.maxlen = maxlen,
	};
	unsigned int noio;
	int r;

	/* The array may be suspended, or what memory is freed through. */
	noio = memalloc_noio_save();
	mutex_lock(&array->config_mutex);
	r = run_message(&message, argv[0]);
	mutex_unlock(&array->config_mutex);
	/* A leg may take long to write it, and status must not wait for that. */
	if (r >= 0 && message.stored)
		mb_metadata_save(array);
	memalloc_noio_restore(noio);

	if (r < 0)
		DMERR("%s: message '%.32s': %s", mb_array_name(array), argv[0],
			    message.error.text);
	return r;
}
