// SPDX-License-Identifier: GPL-2.0-only
#include <libdevmapper.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "module.h"
#include "program.h"
#include "say.h"
#include "table.h"

#define MAJOR 1
/* The first that keeps metadata. */
#define MIN_MINOR 6

/* Runs modprobe; returns the first line of what it said, "" for success. */
static char *modprobe(const char *module)
{
	const char *const argv[] = { "modprobe", module, NULL };
	int status;
	char *said = program_run(argv, &status);

	said[strcspn(said, "\n")] = '\0';
	if (!status)
		said[0] = '\0';
	else if (!*said)
		xappend(&said, "", "modprobe %s failed", module);
	return said;
}

/* Secure Boot refuses a module whose key it does not know. */
static bool is_key_trouble(const char *said)
{
	return strstr(said, "Key was rejected") || strstr(said, "Required key not available") ||
	       strstr(said, "Operation not permitted");
}

static bool device_mapper_there(void)
{
	return !access("/sys/class/misc/device-mapper", F_OK);
}

bool module_device_mapper(void)
{
	if (!device_mapper_there())
		free(modprobe("dm-mod"));
	return device_mapper_there();
}

/* Version of the target that the kernel has, or false. */
static bool target_version(uint32_t version[3])
{
	struct dm_task *task = dm_task_create(DM_DEVICE_LIST_VERSIONS);
	struct dm_versions *target, *last = NULL;
	bool found = false;

	if (!task)
		return false;
	target = dm_task_run(task) ? dm_task_get_versions(task) : NULL;
	for (; target && target != last && !found;
	     last = target, target = (void *)((char *)target + target->next)) {
		found = !strcmp(target->name, MB_TARGET_NAME);
		if (found)
			memcpy(version, target->version, sizeof(target->version));
	}
	dm_task_destroy(task);
	return found;
}

static int say_missing(const char *said)
{
	if (is_key_trouble(said))
		return say_error("the module dm-mirrorbal was refused: %s.\n"
				 "With Secure Boot on, enrol the key that dkms signs with:\n"
				 "  mokutil --import /var/lib/dkms/mok.pub\n"
				 "then reboot and confirm it at the blue screen", said);
	return say_error("the module dm-mirrorbal is not there: %s.\n"
			 "`dkms status` says whether it was built for this kernel; `make install` in\n"
			 "the source of dm-mirrorbal installs it, and needs this kernel's headers", said);
}

int module_need_target(void)
{
	uint32_t version[3];
	char *said;

	if (!module_device_mapper())
		return say_error("this kernel has no device-mapper, and dm-mod cannot be loaded");
	if (!target_version(version)) {
		said = modprobe("dm-mirrorbal");
		if (*said || !target_version(version)) {
			say_missing(said);
			free(said);
			return -1;
		}
		free(said);
	}
	if (version[0] != MAJOR || version[1] < MIN_MINOR)
		return say_error("the module's target has version %u.%u.%u; this command knows %u.%u and later %u.x: install both from the same release, stop all arrays, and load the module again (or reboot)",
				 version[0], version[1], version[2], MAJOR, MIN_MINOR, MAJOR);
	return 0;
}

int module_load_policy(const char *policy)
{
	char *module = xprintf("dm-mirrorbal-%s", policy);
	char *said = modprobe(module);
	int result = 0;

	if (is_key_trouble(said))
		result = say_missing(said);
	else if (*said)
		result = say_error("policy '%s' is not built in, and no module %s can be loaded: %s",
				   policy, module, said);
	free(said);
	free(module);
	return result;
}
