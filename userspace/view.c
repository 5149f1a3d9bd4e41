// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <uuid.h>

#include "alloc.h"
#include "assembly.h"
#include "number.h"
#include "say.h"
#include "superblock_io.h"
#include "sysfs.h"
#include "text.h"
#include "view.h"

static struct mb_superblock *copy_stamp(const struct mb_superblock *from)
{
	struct mb_superblock *copy = xcalloc(1, sizeof(*copy));

	*copy = *from;
	return copy;
}

/* Any unfinished creation makes all of it unfinished. */
static void take_creating(struct view *view, const u8 *uuid, struct members *members)
{
	u32 leg;

	for (leg = 0; leg < MB_MAX_LEGS && !view->creating; leg++) {
		const struct member *member = members_find(members, uuid, leg);

		if (member && (member->superblock.incompat & MB_INCOMPAT_CREATING))
			view->creating = copy_stamp(&member->superblock);
	}
}

/* What the other legs remember of one that is gone. */
static void remember_legs(struct view *view)
{
	u32 leg;

	for (leg = 0; view->stamp && leg < view->layout.shape.legs; leg++) {
		view->legs[leg].model = view->stamp->legs[leg].model;
		view->legs[leg].serial = view->stamp->legs[leg].serial;
	}
}

static void judge(struct view *view)
{
	u32 in_sync = view_in_sync(view);

	if (!mb_health_complete(&view->layout, in_sync, NULL))
		view->health = VIEW_DOWN;
	else if (in_sync != view_all_legs(view) || (view_unsynced(view) && !view_resyncing(view)))
		view->health = VIEW_DEGRADED;
	else
		view->health = VIEW_HEALTHY;
	/* Nothing can be read from it, whatever the legs are. */
	if (!view->array)
		view->health = VIEW_DOWN;
}

static u32 split_words(const char *line, char ***words)
{
	char *copy = xstrdup(line), *rest = copy, *word;
	u32 count = 0;

	*words = xcalloc(1, sizeof(**words));
	while ((word = strsep(&rest, " "))) {
		if (!*word)
			continue;
		*words = xrealloc(*words, (count + 2) * sizeof(**words));
		(*words)[count++] = xstrdup(word);
		(*words)[count] = NULL;
	}
	free(copy);
	return count;
}

/* How the status of a table begins that does no I/O. */
#define REFUSED "Fail "

static void take_refusal(struct view *view)
{
	struct mb_status *status = &view->status;
	u32 leg;

	view->refusal = text_cleaned(view->array->status + strlen(REFUSED));
	status->legs = view->table.layout.shape.legs;
	status->in_sync = status->total = view->array->length;
	for (leg = 0; leg < status->legs; leg++)
		status->health[leg] = view->table.legs[leg].device ? MB_LEG_FAILED : MB_LEG_MISSING;
	memset(status->marks, MB_MARK_NONE, status->legs);
	strcpy(status->action, "idle");
	strcpy(status->policy, view->table.policy);
}

static int parse_running(struct view *view)
{
	struct mb_error error;
	u32 count = split_words(view->array->table, &view->words);

	if (mb_table_parse(&view->table, view->array->length, count, view->words, &error))
		return say_error("%s: this command does not understand its table: %s", view->name,
				 error.text);
	if (!strncmp(view->array->status, REFUSED, strlen(REFUSED))) {
		take_refusal(view);
		return 0;
	}
	if (mb_status_parse(&view->status, view->array->status, &error))
		return say_error("%s: this command does not understand its status: %s",
				 view->name, error.text);
	if (view->status.legs != view->table.layout.shape.legs)
		return say_error("%s: status and table disagree on the number of legs", view->name);
	return 0;
}

static struct device *device_of_word(const char *word)
{
	struct stat st;
	dev_t number;

	if (parse_device_number(word, &number))
		return device_by_number(number);
	return stat(word, &st) ? NULL : device_by_number(st.st_rdev);
}

/* The array's UUID, if device-mapper's is of our making. */
static bool running_uuid(const struct array *array, uuid_t uuid)
{
	size_t prefix = strlen(ARRAY_UUID_PREFIX);

	return !strncmp(array->uuid, ARRAY_UUID_PREFIX, prefix) &&
	       !uuid_parse(array->uuid + prefix, uuid);
}

static bool is_leg_already(const struct view *view, dev_t number)
{
	u32 leg;

	for (leg = 0; leg < view->layout.shape.legs; leg++)
		if (view->legs[leg].device && view->legs[leg].device->number == number)
			return true;
	return false;
}

/* The only device that the array holds without naming it is the only leg not named. */
static struct device *unnamed_device(const struct view *view)
{
	dev_t found = 0;
	u32 unnamed = 0, leg;
	size_t i;

	for (leg = 0; leg < view->layout.shape.legs; leg++)
		unnamed += view->legs[leg].health == MB_LEG_FAILED && !view->legs[leg].device;
	if (unnamed != 1)
		return NULL;
	for (i = 0; i < view->array->nr_depends; i++) {
		if (is_leg_already(view, view->array->depends[i]))
			continue;
		if (found)
			return NULL;
		found = view->array->depends[i];
	}
	return found ? device_by_number(found) : NULL;
}

static bool read_stamp(const struct view *view, const struct device *device,
		       struct mb_superblock *superblock)
{
	enum mb_superblock_verdict verdict;
	struct mb_error error;
	uuid_t uuid;

	return running_uuid(view->array, uuid) &&
	       !superblock_read(device->node, superblock, &verdict, &error) &&
	       verdict == MB_SUPERBLOCK_VALID &&
	       !memcmp(superblock->array_uuid, uuid, MB_UUID_BYTES);
}

/* Where several failed, the stamps of the devices that it holds tell them apart. */
static void find_held_legs(struct view *view)
{
	struct mb_superblock *superblock = xcalloc(1, sizeof(*superblock));
	size_t i;

	for (i = 0; i < view->array->nr_depends; i++) {
		struct device *device = NULL;

		if (!is_leg_already(view, view->array->depends[i]))
			device = device_by_number(view->array->depends[i]);
		if (device && read_stamp(view, device, superblock) &&
		    superblock->leg < view->layout.shape.legs &&
		    !view->legs[superblock->leg].device) {
			view->legs[superblock->leg].device = device;
			device = NULL;
		}
		device_free(device);
	}
	free(superblock);
}

static bool all_devices_known(const struct view *view)
{
	u32 leg;

	for (leg = 0; leg < view->layout.shape.legs; leg++)
		if (!view->legs[leg].device)
			return false;
	return true;
}

/* A leg in sync knows of all others; it is asked only where that matters. */
static void read_own_stamp(struct view *view)
{
	struct mb_superblock *superblock = xcalloc(1, sizeof(*superblock));
	u32 legs = view->layout.shape.legs, leg;

	for (leg = 0; leg < legs && !view->stamp; leg++)
		if (view_leg_in_sync(view, leg) && view->legs[leg].device &&
		    read_stamp(view, view->legs[leg].device, superblock))
			view->stamp = superblock;
	if (!view->stamp)
		free(superblock);
}

static void find_running_legs(struct view *view)
{
	u32 leg;

	for (leg = 0; leg < view->layout.shape.legs; leg++) {
		struct view_leg *to = &view->legs[leg];
		const struct mb_table_leg *from = &view->table.legs[leg];

		to->health = view->status.health[leg];
		to->mark = view->status.marks[leg];
		to->data_offset = from->data_offset;
		to->counters = view->status.counters[leg];
		if (from->device)
			to->device = device_of_word(from->device);
	}
	for (leg = 0; leg < view->layout.shape.legs; leg++)
		if (view->legs[leg].health == MB_LEG_FAILED && !view->legs[leg].device)
			view->legs[leg].device = unnamed_device(view);
}

static void add_conflict(struct view *view, u32 leg, const struct device *one,
			 const struct device *other)
{
	xappend(&view->conflict, "; ", "%s and %s both say that they are leg %u of '%s'", one->node,
		other->node, leg, view->name);
}

/* Legs that were left out may be lying about; a copy of one that runs is a trap. */
static void find_loose_legs(struct view *view, struct members *members)
{
	const struct member *member = NULL;
	uuid_t uuid;

	if (!running_uuid(view->array, uuid))
		return;
	while ((member = members_next(members, member))) {
		u32 leg = member->superblock.leg;

		if (!member_is_of(member, uuid) || leg >= view->layout.shape.legs)
			continue;
		if (view->legs[leg].device) {
			add_conflict(view, leg, view->legs[leg].device, member->device);
			continue;
		}
		view->legs[leg].device = device_by_number(member->device->number);
		view->legs[leg].data_offset = member->superblock.data_offset;
	}
}

/* What device-mapper does not know of legs that are not in sync. */
static void ask_legs(struct view *view)
{
	if (view->health == VIEW_HEALTHY)
		return;
	if (!all_devices_known(view))
		find_held_legs(view);
	read_own_stamp(view);
	remember_legs(view);
}

static struct view *new_view(const char *name)
{
	struct view *view = xcalloc(1, sizeof(*view));

	view->name = xstrdup(name);
	return view;
}

static struct view *view_array(struct array *array)
{
	struct view *view = new_view(array->name);
	uuid_t uuid;

	view->array = array;
	if (parse_running(view)) {
		view_free(view);
		return NULL;
	}
	view->layout = view->table.layout;
	if (running_uuid(array, uuid))
		uuid_unparse_lower(uuid, view->uuid);
	find_running_legs(view);
	judge(view);
	return view;
}

static void find_members(struct view *view, struct members *members)
{
	const struct mb_superblock *stamp = view->stamp;
	u32 leg;

	for (leg = 0; leg < stamp->shape.legs; leg++) {
		const struct member *found = members_find(members, stamp->array_uuid, leg), *twin;

		view->legs[leg].mark = MB_MARK_NONE;
		view->legs[leg].health = found ? MB_LEG_IN_SYNC : MB_LEG_MISSING;
		/* Of a leg that is not there, any offset will do. */
		view->legs[leg].data_offset = found ? found->superblock.data_offset :
						      stamp->data_offset;
		twin = found ? members_twin(members, found) : NULL;
		if (twin)
			add_conflict(view, leg, found->device, twin->device);
		if (found)
			view->legs[leg].device = device_by_number(found->device->number);
	}
}

/* As the module would: which legs are in sync, or why they are not to be used together. */
static void assemble(struct view *view, struct members *members)
{
	const struct mb_superblock *legs[MB_MAX_LEGS] = { NULL };
	struct mb_assembly assembly;
	struct mb_error error;
	u32 nr_legs = view->stamp->shape.legs, leg;
	int result;

	for (leg = 0; leg < nr_legs; leg++) {
		const struct member *found = members_find(members, view->stamp->array_uuid, leg);

		legs[leg] = found ? &found->superblock : NULL;
	}
	result = mb_assembly_judge(legs, nr_legs, &assembly, &error);
	if (result && !assembly.in_sync) {
		view->refusal = xstrdup(error.text);
		return;
	}
	view->lost = assembly.lost;
	*view->stamp = *legs[assembly.newest];
	for (leg = 0; leg < nr_legs; leg++)
		if (assembly.behind & (1u << leg))
			view->legs[leg].health = MB_LEG_FAILED;
}

/* What it had when it was stopped. */
static void take_settings(struct view *view)
{
	const struct mb_superblock *stamp = view->stamp;
	struct mb_table *table = &view->table;
	u32 leg;

	table->metadata = true;
	table->policy = stamp->state.policy;
	table->policy_argc = split_words(stamp->state.policy_args, &view->words);
	table->policy_argv = view->words;
	table->resync_limit = stamp->state.resync_limit;
	for (leg = 0; leg < stamp->shape.legs; leg++) {
		if (!stamp->legs[leg].write_mostly)
			continue;
		table->write_mostly |= 1u << leg;
		view->legs[leg].mark = MB_MARK_WRITE_MOSTLY;
	}
}

static char *find_stray(struct members *members)
{
	const struct member *member = NULL;

	while ((member = members_next(members, member)))
		if (member->verdict != MB_SUPERBLOCK_VALID)
			return xprintf("%s carries a stamp that cannot be read (%s), and may be the leg that is missed",
				       member->device->node, member->error.text);
	return NULL;
}

static bool is_ambiguous(const struct view *view, struct members *members)
{
	const struct member *first = members_next_named(members, view->name, NULL);

	return array_name_taken(view->name) ||
	       (first && members_next_named(members, view->name, first));
}

struct view *view_unstarted(const struct member *member, struct members *members)
{
	struct view *view = new_view(member->superblock.name);
	struct mb_error error;

	view->stamp = copy_stamp(&member->superblock);
	uuid_unparse_lower(view->stamp->array_uuid, view->uuid);
	take_creating(view, view->stamp->array_uuid, members);
	/* A stamp that was read has been checked. */
	mb_layout_init(&view->layout, &view->stamp->shape, view->stamp->length, &error);
	find_members(view, members);
	if (!view->creating) {
		assemble(view, members);
		take_settings(view);
	}
	view->ambiguous = is_ambiguous(view, members);
	if (view->lost)
		view->stray = find_stray(members);
	remember_legs(view);
	judge(view);
	return view;
}

static bool uuid_runs(const u8 *uuid)
{
	char **names = array_names(), **name;
	bool runs = false;

	for (name = names; *name; name++) {
		struct array *array = array_get(*name);
		uuid_t its;

		runs |= array && running_uuid(array, its) && !uuid_compare(its, uuid);
		array_free(array);
		free(*name);
	}
	free(names);
	return runs;
}

static const char *without_directory(const char *name)
{
	return strncmp(name, "/dev/mapper/", 12) ? name : name + 12;
}

/* One that runs, by its name, the path of its device, or its UUID. */
static struct array *array_named(const char *name)
{
	struct array *array = array_get(without_directory(name));
	char **names, **each;
	uuid_t uuid, its;

	if (array || uuid_parse(name, uuid))
		return array;
	names = array_names();
	for (each = names; *each; each++) {
		struct array *other = array ? NULL : array_get(*each);

		if (other && running_uuid(other, its) && !uuid_compare(its, uuid))
			array = other;
		else
			array_free(other);
		free(*each);
	}
	free(names);
	return array;
}

static void say_not_running(const char *name, struct members *members)
{
	if (array_name_taken(without_directory(name)))
		say_error("'%s' is a device-mapper device, but no mirrorbal array", name);
	else if (members_next_named(members, name, NULL))
		say_error("array '%s' is not started; `mirrorbal assemble %s` starts it",
			  name, name);
	else
		say_error("there is no array '%s'; `mirrorbal status` lists them", name);
}

struct view *view_running(const char *name)
{
	struct array *array = array_named(name);
	struct members *members;

	if (array)
		return view_array(array);
	members = members_new();
	say_not_running(name, members);
	members_free(members);
	return NULL;
}

struct view *view_named(const char *name, struct members *members)
{
	struct array *array = array_named(name);
	const struct member *member;
	struct view *view;

	name = without_directory(name);

	if (array) {
		view = view_array(array);
		if (view)
			ask_legs(view);
		if (view && !all_devices_known(view))
			find_loose_legs(view, members);
		return view;
	}
	member = members_next_named(members, name, NULL);
	while (member && uuid_runs(member->superblock.array_uuid))
		member = members_next_named(members, name, member);
	if (!member) {
		say_not_running(name, members);
		return NULL;
	}
	if (members_next_named(members, name, member)) {
		say_error("several arrays are called '%s'; name it by its UUID (`mirrorbal status` shows it)",
			  name);
		return NULL;
	}
	return view_unstarted(member, members);
}

static void add_view(struct view_list *views, struct view *view)
{
	views->list = xrealloc(views->list, (views->count + 1) * sizeof(*views->list));
	views->list[views->count++] = view;
}

static bool is_listed(const struct view_list *views, const u8 *uuid)
{
	char text[40];
	size_t i;

	uuid_unparse_lower(uuid, text);
	for (i = 0; i < views->count; i++)
		if (!strcmp(views->list[i]->uuid, text))
			return true;
	return false;
}

static void add_running(struct view_list *views, const char *name, struct members *members)
{
	struct array *array = array_get(name);
	struct view *view = array ? view_array(array) : NULL;

	if (view) {
		ask_legs(view);
		find_loose_legs(view, members);
		add_view(views, view);
		return;
	}
	/* It may just have been stopped. */
	if (!array && !array_name_taken(name))
		return;
	if (!array)
		say_error("'%s' runs, but device-mapper does not tell its state", name);
	views->failed = true;
}

struct view_list views_all(struct members *members)
{
	struct view_list views = { 0 };
	char **names = array_names(), **name;
	const struct member *member = NULL;

	for (name = names; *name; name++) {
		add_running(&views, *name, members);
		free(*name);
	}
	free(names);
	while ((member = members_next(members, member)))
		if (member->verdict == MB_SUPERBLOCK_VALID &&
		    !is_listed(&views, member->superblock.array_uuid) &&
		    !uuid_runs(member->superblock.array_uuid))
			add_view(&views, view_unstarted(member, members));
	return views;
}

void view_free(struct view *view)
{
	char **word;
	u32 leg;

	if (!view)
		return;
	for (word = view->words; word && *word; word++)
		free(*word);
	free(view->words);
	for (leg = 0; leg < MB_MAX_LEGS; leg++)
		device_free(view->legs[leg].device);
	array_free(view->array);
	free(view->stamp);
	free(view->creating);
	free(view->conflict);
	free(view->refusal);
	free(view->stray);
	free(view->name);
	free(view);
}

void views_free(struct view_list *views)
{
	size_t i;

	for (i = 0; i < views->count; i++)
		view_free(views->list[i]);
	free(views->list);
}

u32 view_all_legs(const struct view *view)
{
	u32 legs = view->layout.shape.legs;

	return legs == 32 ? ~0u : (1u << legs) - 1;
}

bool view_unsynced(const struct view *view)
{
	return view->array && view->status.in_sync != view->status.total;
}

u32 view_synced_percent(const struct view *view)
{
	return view->status.in_sync * 100 / view->status.total;
}

bool view_resyncing(const struct view *view)
{
	return view->array && !strcmp(view->status.action, "resync");
}

bool view_leg_in_sync(const struct view *view, u32 leg)
{
	char health = view->legs[leg].health;

	/* While copies may differ all legs that work are called that, as dm-raid does. */
	return health == MB_LEG_IN_SYNC || (health == MB_LEG_NOT_IN_SYNC && view_unsynced(view));
}

u32 view_in_sync(const struct view *view)
{
	u32 leg, mask = 0;

	for (leg = 0; leg < view->layout.shape.legs; leg++)
		if (view_leg_in_sync(view, leg))
			mask |= 1u << leg;
	return mask;
}

const char *view_health_word(const struct view *view)
{
	static const char *const words[] = {
		[VIEW_HEALTHY] = "healthy", [VIEW_DEGRADED] = "degraded", [VIEW_DOWN] = "down",
	};

	return words[view->health];
}

const char *view_leg_state(const struct view *view, u32 leg)
{
	switch (view->legs[leg].health) {
	case MB_LEG_IN_SYNC:
		return view->array ? "in sync" : "found";
	case MB_LEG_NOT_IN_SYNC:
		return !view_leg_in_sync(view, leg) ? "not in sync" :
			view_resyncing(view) ? "resyncing" : "not resynced";
	case MB_LEG_FAILED:
		return view->refusal ? "not used" : view->array ? "failed" : "stale";
	default:
		return "missing";
	}
}

const char *view_leg_mark(const struct view *view, u32 leg)
{
	switch (view->legs[leg].mark) {
	case MB_MARK_WRITE_MOSTLY:
		return "write-mostly";
	case MB_MARK_SLOW:
		return "slow";
	case MB_MARK_BOTH:
		return "write-mostly, slow";
	default:
		return "";
	}
}

int view_leg_named(const struct view *view, const char *word)
{
	u32 legs = view->layout.shape.legs, leg;
	struct stat st;
	u64 number;

	if (!strncmp(word, "leg", 3) && mb_number_parse(word + 3, legs - 1, &number))
		return number;
	if (strchr(word, '/')) {
		if (stat(word, &st))
			return say_error("%s: %s", word, strerror(errno));
		for (leg = 0; leg < legs; leg++)
			if (S_ISBLK(st.st_mode) && view->legs[leg].device &&
			    view->legs[leg].device->number == st.st_rdev)
				return leg;
	}
	return say_error("'%s' is no leg of '%s'; a leg is leg0 to leg%u, or the path of its device",
			 word, view->name, legs - 1);
}

char *view_leg_describe(const struct view *view, u32 leg)
{
	const struct view_leg *of = &view->legs[leg];
	char *device, *text;

	if (!of->device) {
		text = xprintf("leg %u, device not found%s%s", leg,
			       of->serial && *of->serial ? ", serial " : "",
			       of->serial ? of->serial : "");
		text_clean(text);
		return text;
	}
	device = device_describe(of->device);
	text = xprintf("leg %u, %s", leg, device);
	free(device);
	return text;
}
