// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "md.h"
#include "program.h"
#include "say.h"
#include "sysfs.h"

#define LINK_FOLDER "/dev/md/"
/* What looks at a device that was just closed is gone within seconds. */
#define TRIES 50

int md_need(void)
{
	static const char *const version[] = { "mdadm", "--version", NULL };
	static const char *const module[] = { "modprobe", "raid10", NULL };
	int status;

	free(program_run(version, &status));
	if (status)
		return say_error("md raid10 is made by mdadm, which is not there: `apt-get install mdadm`, or the like, brings it");
	/* Where it is built in, modprobe is content as well. */
	free(program_run(module, &status));
	return status ? say_error("this kernel has no md raid10 to compare with: `modprobe raid10` fails") : 0;
}

static const char **create_argv(const struct creation *creation, char **owned)
{
	static const char *const fixed[] = {
		"--run", "--assume-clean", "--bitmap=none", "--metadata=1.2", "--level=10",
	};
	const struct mb_shape *shape = &creation->shape;
	const char **argv = xcalloc(16 + MB_MAX_LEGS, sizeof(*argv));
	u64 offset = 0;
	u32 nr = 0, leg, i;

	owned[0] = xprintf(LINK_FOLDER "%s", creation->name);
	owned[1] = xprintf("--layout=%c%u", mb_layout_letter(shape->kind), shape->copies);
	owned[2] = xprintf("--chunk=%uK", shape->chunk_sectors / 2);
	for (leg = 0; leg < shape->legs; leg++)
		if (creation->legs[leg].data_offset > offset)
			offset = creation->legs[leg].data_offset;
	owned[3] = xprintf("--data-offset=%lluK", (unsigned long long)offset / 2);
	owned[4] = xprintf("--raid-devices=%u", shape->legs);
	argv[nr++] = "mdadm";
	argv[nr++] = "--create";
	argv[nr++] = owned[0];
	for (i = 0; i < ARRAY_SIZE(fixed); i++)
		argv[nr++] = fixed[i];
	for (i = 1; i < 5; i++)
		argv[nr++] = owned[i];
	for (leg = 0; leg < shape->legs; leg++)
		argv[nr++] = creation->legs[leg].device->node;
	return argv;
}

char *md_holding(const struct device *leg)
{
	char *folder = block_path(leg->number, "holders"), *path = NULL;
	DIR *directory = opendir(folder);
	struct dirent *entry;

	while (directory && !path && (entry = readdir(directory)))
		if (!strncmp(entry->d_name, "md", 2))
			path = xprintf("/dev/%s", entry->d_name);
	if (directory)
		closedir(directory);
	free(folder);
	return path;
}

char *md_create(const struct creation *creation)
{
	char *owned[5], *said, *path = NULL;
	const char **argv = create_argv(creation, owned);
	int status;
	size_t i;

	said = program_run(argv, &status);
	if (status)
		say_error("md raid10 cannot be made: %s", said);
	else
		path = md_holding(creation->legs[0].device);
	if (!status && !path)
		say_error("mdadm made %s, and no md device holds %s", owned[0],
			  creation->legs[0].device->node);
	for (i = 0; i < ARRAY_SIZE(owned); i++)
		free(owned[i]);
	free(argv);
	free(said);
	return path;
}

int md_stop(const char *path)
{
	const char *const argv[] = { "mdadm", "--stop", path, NULL };
	int status = -1, tries;
	char *said = NULL;

	for (tries = 0; status && tries < TRIES; tries++) {
		if (tries)
			pause_shortly();
		free(said);
		said = program_run(argv, &status);
	}
	if (status)
		say_error("%s cannot be stopped: %s", path, said);
	free(said);
	return status ? -1 : 0;
}
