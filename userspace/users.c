// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "alloc.h"
#include "sysfs.h"
#include "text.h"
#include "users.h"

static bool is_device(const char *path, dev_t number)
{
	struct stat st;

	return path[0] == '/' && !stat(path, &st) && S_ISBLK(st.st_mode) && st.st_rdev == number;
}

/* Filesystems on several devices have no number of their own: compare sources too. */
static void find_mounts(dev_t number, char **found)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	struct stat st;

	if (!mounts)
		return;
	while ((entry = getmntent(mounts))) {
		if (entry->mnt_fsname[0] != '/')
			continue;
		if (is_device(entry->mnt_fsname, number) ||
		    (!strncmp(entry->mnt_fsname, "/dev/", 5) && !stat(entry->mnt_dir, &st) &&
		     st.st_dev == number))
			xappend(found, ", ", "mounted on %s", entry->mnt_dir);
	}
	endmntent(mounts);
}

static void find_swap(dev_t number, char **found)
{
	FILE *swaps = fopen("/proc/swaps", "re");
	char *line = NULL;
	size_t size = 0;

	if (!swaps)
		return;
	while (getline(&line, &size, swaps) > 0) {
		line[strcspn(line, " \t")] = '\0';
		if (is_device(line, number))
			xappend(found, ", ", "used as swap");
	}
	free(line);
	fclose(swaps);
}

static void name_holder(const char *holder, char **found)
{
	char *path = xprintf("/sys/block/%s/dm/name", holder);
	char *name = file_line(path);

	if (name)
		xappend(found, ", ", "held by device-mapper device '%s'", name);
	else
		xappend(found, ", ", "held by /dev/%s", holder);
	free(name);
	free(path);
}

static void find_holders(dev_t number, char **found)
{
	char *path = block_path(number, "holders");
	DIR *holders = opendir(path);
	struct dirent *entry;

	free(path);
	if (!holders)
		return;
	while ((entry = readdir(holders)))
		if (entry->d_name[0] != '.')
			name_holder(entry->d_name, found);
	closedir(holders);
}

/* What @of says of each partition of a disk. */
static void find_in_partitions(dev_t number, char *(*of)(dev_t part), char **found)
{
	char *path = block_path(number, "");
	DIR *children = opendir(path);
	struct dirent *entry;

	while (children && (entry = readdir(children))) {
		char *mark = xprintf("%s%s/partition", path, entry->d_name);
		char *users = NULL;
		dev_t part;

		if (!access(mark, F_OK) && block_in_folder(path, entry->d_name, &part))
			users = of(part);
		if (users)
			xappend(found, ", ", "partition /dev/%s is %s", entry->d_name, users);
		free(users);
		free(mark);
	}
	if (children)
		closedir(children);
	free(path);
}

static bool process_has_open(const char *pid, dev_t number)
{
	char *path = xprintf("/proc/%s/fd", pid);
	DIR *fds = opendir(path);
	struct dirent *entry;
	bool found = false;

	while (fds && !found && (entry = readdir(fds))) {
		char *fd = xprintf("%s/%s", path, entry->d_name);
		struct stat st;

		found = !stat(fd, &st) && S_ISBLK(st.st_mode) && st.st_rdev == number;
		free(fd);
	}
	if (fds)
		closedir(fds);
	free(path);
	return found;
}

/* udev opens whatever changed, for a moment, and keeps away from what is locked. */
static bool is_udev(const char *name)
{
	return !strcmp(name, "systemd-udevd") || !strcmp(name, "(udev-worker)") ||
	       !strcmp(name, "udevadm");
}

static void find_processes(dev_t number, char **found)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;

	while (processes && (entry = readdir(processes))) {
		char *path, *name;

		if (!isdigit((unsigned char)entry->d_name[0]) || atoi(entry->d_name) == getpid() ||
		    !process_has_open(entry->d_name, number))
			continue;
		path = xprintf("/proc/%s/comm", entry->d_name);
		name = file_line(path);
		if (!name || !is_udev(name))
			xappend(found, ", ", "open in process %s (%s)", entry->d_name,
				name ? name : "?");
		free(name);
		free(path);
	}
	if (processes)
		closedir(processes);
}

char *openers_of(dev_t number)
{
	char *found = NULL;

	find_processes(number, &found);
	find_in_partitions(number, openers_of, &found);
	if (found)
		text_clean(found);
	return found;
}

char *users_of(dev_t number)
{
	char *found = NULL;

	find_mounts(number, &found);
	find_swap(number, &found);
	find_holders(number, &found);
	find_in_partitions(number, users_of, &found);
	if (!found)
		find_processes(number, &found);
	if (found)
		text_clean(found);
	return found;
}
