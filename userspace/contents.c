// SPDX-License-Identifier: GPL-2.0-only
#include <blkid.h>
#include <errno.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "alloc.h"
#include "contents.h"
#include "text.h"

/* Every signature counts, also one with a wrong checksum or beside another. */
static blkid_probe new_probe(int fd, u64 at)
{
	blkid_probe probe = blkid_new_probe();

	if (!probe || blkid_probe_set_device(probe, fd, at, 0)) {
		blkid_free_probe(probe);
		return NULL;
	}
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL |
					  BLKID_SUBLKS_USAGE | BLKID_SUBLKS_MAGIC |
					  BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
	return probe;
}

static const char *value_of(blkid_probe probe, const char *name)
{
	const char *value;

	return blkid_probe_lookup_value(probe, name, &value, NULL) ? NULL : value;
}

static char *describe(blkid_probe probe)
{
	const char *type = value_of(probe, "TYPE");
	const char *table = value_of(probe, "PTTYPE");
	const char *usage = value_of(probe, "USAGE");
	const char *label = value_of(probe, "LABEL");
	char *text;

	if (!type && !table)
		return NULL;
	if (table && !type)
		return xprintf("%s partition table", table);
	text = xprintf("%s%s", type, usage && !strcmp(usage, "filesystem") ? " filesystem" :
			       usage && !strcmp(usage, "raid") ? " (RAID or LVM member)" : "");
	if (label && *label)
		xappend(&text, " ", "'%s'", label);
	text_clean(text);
	return text;
}

int contents_find_at(int fd, u64 at, char **found)
{
	blkid_probe probe = new_probe(fd, at);
	int got;

	*found = NULL;
	if (!probe)
		return -1;
	while (!(got = blkid_do_probe(probe))) {
		char *text = describe(probe);

		/* The same superblock at several places is one thing to a person. */
		if (text && (!*found || !strstr(*found, text)))
			xappend(found, ", ", "%s", text);
		free(text);
	}
	blkid_free_probe(probe);
	return got < 0 ? -1 : 0;
}

int contents_find(int fd, char **found)
{
	return contents_find_at(fd, 0, found);
}

int contents_wipe_at(int fd, u64 at)
{
	blkid_probe probe = new_probe(fd, at);
	bool table = false;
	int got;

	if (!probe)
		return -1;
	while (!(got = blkid_do_probe(probe))) {
		table |= value_of(probe, "PTTYPE") != NULL;
		if (blkid_do_wipe(probe, 0)) {
			got = -1;
			break;
		}
	}
	blkid_free_probe(probe);
	if (got < 0 || fsync(fd))
		return -1;
	/* A partition has no table to be read again; that is no failure. */
	if (table && ioctl(fd, BLKRRPART) && errno != EINVAL)
		return -1;
	return 0;
}

int contents_wipe(int fd)
{
	return contents_wipe_at(fd, 0);
}
