// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <libdevmapper.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

#include "alloc.h"
#include "array.h"
#include "kernel_log.h"
#include "module.h"
#include "say.h"
#include "table.h"
#include "verb.h"

/* libdevmapper's last complaint. */
static char *complaint;

static void __attribute__((format(printf, 5, 6)))
keep_complaint(int level, const char *file __attribute__((unused)),
	       int line __attribute__((unused)), int dm_errno __attribute__((unused)),
	       const char *fmt, ...)
{
	va_list args;
	char *text;

	/* Level 3 is an error, 4 a warning; the upper bits are flags. */
	if ((level & 7) > 3)
		return;
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) >= 0) {
		free(complaint);
		complaint = text;
	}
	va_end(args);
}

void array_library_init(void)
{
	dm_log_with_errno_init(keep_complaint);
	dm_udev_set_sync_support(1);
	/* Names are checked when they are given; nothing is to be rewritten. */
	dm_set_name_mangling_mode(DM_STRING_MANGLING_NONE);
}

/* The kernel's reason is the best there is, then libdevmapper's, then the number's. */
static char *trouble_of(struct dm_task *task, int mark)
{
	char *reason = kernel_log_since(mark);
	int number = task ? dm_task_get_errno(task) : 0;
	char *text;

	if (reason)
		text = xprintf("the kernel says: %s", reason);
	else if (number)
		text = xstrdup(strerror(number));
	else
		text = xstrdup(complaint ? complaint : "device-mapper failed");
	free(reason);
	return text;
}

/* Runs a task that udev reacts to, and waits for udev. */
static bool run_with_udev(struct dm_task *task)
{
	uint32_t cookie = 0;
	bool done;

	if (!dm_task_set_cookie(task, &cookie, 0))
		return false;
	done = dm_task_run(task);
	dm_udev_wait(cookie);
	return done;
}

/* Ends a task that was to change something. */
static int finish(struct dm_task *task, bool done, int mark, char **trouble)
{
	char *text = trouble_of(task, mark);

	*trouble = done ? NULL : text;
	if (done)
		free(text);
	if (task)
		dm_task_destroy(task);
	return done ? 0 : -1;
}

/* A task about one device. */
static struct dm_task *task_for(int type, const char *name)
{
	struct dm_task *task = dm_task_create(type);

	if (task && !dm_task_set_name(task, name)) {
		dm_task_destroy(task);
		return NULL;
	}
	return task;
}

/* Runs a question about one device; NULL if there is no such device. */
static struct dm_task *answer_for(int type, const char *name, struct dm_info *info)
{
	struct dm_task *task = task_for(type, name);

	if (!task)
		return NULL;
	/* A status must not wait for a flush: the device may be in trouble. */
	dm_task_no_flush(task);
	dm_task_no_open_count(task);
	if (!dm_task_run(task) || !dm_task_get_info(task, info) || !info->exists) {
		dm_task_destroy(task);
		return NULL;
	}
	return task;
}

/* The parameters of an answer's only target, if that is ours: they last as long as the answer. */
static const char *our_params(struct dm_task *task, u64 *length)
{
	char *target = NULL, *params = NULL;
	uint64_t start = 0, sectors = 0;

	dm_get_next_target(task, NULL, &start, &sectors, &target, &params);
	if (!target || strcmp(target, MB_TARGET_NAME))
		return NULL;
	*length = sectors;
	return params ? params : "";
}

static char *target_params(int type, const char *name, u64 *length)
{
	struct dm_info info;
	struct dm_task *task = answer_for(type, name, &info);
	const char *params = task ? our_params(task, length) : NULL;
	char *result = params ? xstrdup(params) : NULL;

	if (task)
		dm_task_destroy(task);
	return result;
}

static bool get_info(struct array *array)
{
	struct dm_task *task = task_for(DM_DEVICE_INFO, array->name);
	struct dm_info info;
	bool done = task && dm_task_run(task) && dm_task_get_info(task, &info) && info.exists;

	if (done) {
		array->uuid = xstrdup(dm_task_get_uuid(task));
		array->number = makedev(info.major, info.minor);
		array->open_count = info.open_count;
		array->suspended = info.suspended;
		array->read_only = info.read_only;
	}
	if (task)
		dm_task_destroy(task);
	return done;
}

static void get_depends(struct array *array)
{
	struct dm_info info;
	struct dm_task *task = answer_for(DM_DEVICE_DEPS, array->name, &info);
	struct dm_deps *deps;
	uint32_t i;

	if (!task)
		return;
	deps = dm_task_get_deps(task);
	array->nr_depends = deps ? deps->count : 0;
	array->depends = xcalloc(array->nr_depends, sizeof(*array->depends));
	for (i = 0; i < array->nr_depends; i++)
		array->depends[i] = makedev(major(deps->device[i]), minor(deps->device[i]));
	dm_task_destroy(task);
}

struct array *array_get(const char *name)
{
	struct array *array;

	if (!module_device_mapper())
		return NULL;
	array = xcalloc(1, sizeof(*array));
	array->name = xstrdup(name);
	array->table = target_params(DM_DEVICE_TABLE, name, &array->length);
	array->status = target_params(DM_DEVICE_STATUS, name, &array->length);
	if (!array->table || !array->status || !get_info(array)) {
		array_free(array);
		return NULL;
	}
	get_depends(array);
	return array;
}

void array_free(struct array *array)
{
	if (!array)
		return;
	free(array->name);
	free(array->uuid);
	free(array->table);
	free(array->status);
	free(array->depends);
	free(array);
}

/* All device-mapper devices, NULL at the end. */
static char **all_names(void)
{
	struct dm_task *task = dm_task_create(DM_DEVICE_LIST);
	struct dm_names *entry = task && dm_task_run(task) ? dm_task_get_names(task) : NULL;
	char **names = xcalloc(1, sizeof(*names));
	size_t count = 0;
	bool more;

	if (!entry) {
		say_error("device-mapper does not list its devices: %s",
			  complaint ? complaint : "no reason given");
		exit(EXIT_FAILED);
	}
	/* An empty list is one entry without a device. */
	for (more = entry->dev; more; entry = (void *)((char *)entry + entry->next)) {
		names = xrealloc(names, (count + 2) * sizeof(*names));
		names[count++] = xstrdup(entry->name);
		names[count] = NULL;
		more = entry->next;
	}
	dm_task_destroy(task);
	return names;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Is it one? Of a device that is there and does not answer nobody knows; who asks further is told. */
static bool may_be_array(const char *name)
{
	struct dm_info info;
	struct dm_task *task = answer_for(DM_DEVICE_TABLE, name, &info);
	bool result;
	u64 length;

	if (!task)
		return array_name_taken(name);
	result = our_params(task, &length);
	dm_task_destroy(task);
	return result;
}

char **array_names(void)
{
	char **names;
	size_t from, to = 0;

	if (!module_device_mapper())
		return xcalloc(1, sizeof(*names));
	names = all_names();
	for (from = 0; names[from]; from++) {
		if (may_be_array(names[from]))
			names[to++] = names[from];
		else
			free(names[from]);
	}
	names[to] = NULL;
	qsort(names, to, sizeof(*names), by_name);
	return names;
}

bool array_name_taken(const char *name)
{
	struct dm_info info;
	struct dm_task *task;

	if (!module_device_mapper())
		return false;
	task = answer_for(DM_DEVICE_INFO, name, &info);
	if (task)
		dm_task_destroy(task);
	return task != NULL;
}

int array_create(const char *name, const char *uuid, u64 length, const char *params,
		 char **trouble)
{
	struct dm_task *task = task_for(DM_DEVICE_CREATE, name);
	int mark = kernel_log_mark();
	bool done = task && dm_task_set_uuid(task, uuid) &&
		    dm_task_add_target(task, 0, length, MB_TARGET_NAME, params) &&
		    run_with_udev(task);

	return finish(task, done, mark, trouble);
}

int array_remove(const char *name, char **trouble)
{
	struct dm_task *task = task_for(DM_DEVICE_REMOVE, name);
	int mark = kernel_log_mark();
	/* udev may have it open for the moment of a probe. */
	bool done = task && dm_task_retry_remove(task) && run_with_udev(task);

	return finish(task, done, mark, trouble);
}

int array_message(const char *name, const char *message, char **trouble)
{
	struct dm_task *task = task_for(DM_DEVICE_TARGET_MSG, name);
	int mark = kernel_log_mark();
	bool done = task && dm_task_set_sector(task, 0) && dm_task_set_message(task, message) &&
		    dm_task_run(task);

	return finish(task, done, mark, trouble);
}
