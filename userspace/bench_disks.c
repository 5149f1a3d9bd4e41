// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "alloc.h"
#include "bench.h"
#include "contents.h"
#include "interrupt.h"
#include "md.h"
#include "module.h"
#include "say.h"
#include "shape_options.h"
#include "users.h"

#define NAME "mirrorbal-bench"

static int clear_leg(const struct creation_leg *leg)
{
	if (!contents_wipe(leg->claim.fd) &&
	    !contents_wipe_at(leg->claim.fd, leg->data_offset << 9))
		return 0;
	return say_error("%s: cannot wipe its signatures: %s", leg->device->node, strerror(errno));
}

/* So that nobody finds in a new array what an older one held, and afterwards nothing is left. */
static int clear_legs(const struct creation *creation)
{
	int result = 0;
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++)
		if (creation->legs[leg].claim.fd >= 0)
			result |= clear_leg(&creation->legs[leg]);
	return result;
}

/* udev may look at a member that md has just let go, or start the array again with it. */
static void wait_for_leg(const struct device *device)
{
	char *holder, *users;
	int tries;

	for (tries = 0; tries < 50; tries++) {
		holder = md_holding(device);
		if (holder)
			md_stop(holder);
		free(holder);
		users = users_of(device->number);
		free(users);
		if (!users)
			return;
		pause_shortly();
	}
}

/* All that can be had. */
static int claim_legs(struct creation *creation)
{
	int result = 0;
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++) {
		wait_for_leg(creation->legs[leg].device);
		result |= claim_device(&creation->legs[leg].claim, creation->legs[leg].device);
	}
	return result;
}

static int measure_disk(struct bench *bench, const struct creation *creation)
{
	const struct device *device = creation->legs[0].device;
	char *name = xprintf("one disk, %s", device->node);
	struct bench_place place = {
		.name = name, .path = device->node, .bytes = device->bytes, .writable = true,
	};
	int result = bench_measure(bench, &place, false);

	free(name);
	return result;
}

static char *array_name(const char *kind, const struct creation *creation)
{
	return xprintf("%s %c%u", kind, mb_layout_letter(creation->shape.kind),
		       creation->shape.copies);
}

static int measure_array(struct bench *bench, const struct creation *creation, const char *name,
			 const char *path, bool md)
{
	struct bench_place place = {
		.name = name, .path = path, .bytes = creation->layout.length << 9, .writable = true,
	};

	return bench_measure(bench, &place, md);
}

/* md has the legs to itself while it runs. */
static int measure_md(struct bench *bench, struct creation *creation)
{
	char *name = array_name("md raid10", creation), *path;
	int result = -1;
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++)
		claim_release(&creation->legs[leg].claim);
	path = md_create(creation);
	if (path) {
		result = measure_array(bench, creation, name, path, true);
		result |= md_stop(path);
	}
	result |= claim_legs(creation);
	result |= clear_legs(creation);
	free(path);
	free(name);
	return result;
}

static void set_policy(struct creation *creation, const struct bench_policy *policy)
{
	u32 i;

	creation->policy = policy->name;
	creation->policy_argc = policy->argc;
	for (i = 0; i < policy->argc; i++)
		creation->policy_argv[i] = policy->argv[i];
}

static int measure_mirrorbal(struct bench *bench, struct creation *creation,
			     const struct bench_policy *policy)
{
	char *name = array_name("mirrorbal", creation), *path = xprintf("/dev/mapper/%s", NAME);
	char *words;
	int result;

	set_policy(creation, policy);
	words = shape_policy_text(policy->name, policy->argc, policy->argv);
	xappend(&name, " ", "%s", words);
	free(words);
	result = creation_apply(creation);
	if (!result) {
		result = measure_array(bench, creation, name, path, false);
		result |= creation_undo(creation);
		result |= clear_legs(creation);
	}
	free(path);
	free(name);
	return result;
}

static int measure_arrays(struct bench *bench, struct creation *creation)
{
	int result = measure_md(bench, creation);
	u32 i;

	for (i = 0; i < bench->nr_policies && !result; i++)
		result = measure_mirrorbal(bench, creation, &bench->policies[i]);
	return result;
}

static int measure_all(struct bench *bench, struct creation *creation)
{
	bool arrays = creation->shape.legs > 1;
	int result;

	interrupt_catch();
	bench_begin(bench, bench->job.nr_steps * (arrays ? 2 + bench->nr_policies : 1));
	result = clear_legs(creation);
	if (!result) {
		result = measure_disk(bench, creation);
		result |= clear_legs(creation);
	}
	if (!result && arrays)
		result = measure_arrays(bench, creation);
	bench_end(bench);
	return result;
}

/* Each policy is refused before anything is touched. */
static int check(const struct bench *bench, struct creation *creation)
{
	u32 i;

	if (creation->shape.legs == 1)
		return creation_check_devices(creation);
	for (i = bench->nr_policies - 1; i > 0; i--) {
		set_policy(creation, &bench->policies[i]);
		if (creation_check_policy(creation))
			return -1;
	}
	set_policy(creation, &bench->policies[0]);
	return creation_check(creation) || creation_add_former(creation) || md_need() ||
	       module_need_target() ? -1 : 0;
}

static int confirm(const struct bench *bench, const struct creation *creation)
{
	say_note("everything on %s will be lost:", creation->shape.legs > 1 ? "these devices" :
		 "this device");
	creation_print_legs(creation);
	if (bench->yes)
		return 0;
	if (!can_ask())
		return say_error("bench: nobody is there to ask; --yes says that it may be lost");
	return ask("Go on?") ? 0 : -1;
}

int bench_disks(struct bench *bench)
{
	struct creation *creation = xcalloc(1, sizeof(*creation));
	int result;
	u32 leg;

	creation->name = NAME;
	creation->shape = bench->shape;
	creation->shape.legs = bench->nr_paths;
	/* What is on the copies is nobody's: what matters is where they are. */
	creation->assume_clean = true;
	for (leg = 0; leg < bench->nr_paths; leg++) {
		creation->legs[leg].path = bench->paths[leg];
		creation->legs[leg].wipe = true;
	}
	result = check(bench, creation) || confirm(bench, creation) || measure_all(bench, creation);
	creation_end(creation);
	free(creation);
	return result ? -1 : 0;
}
