// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <uuid.h>

#include "contents.h"
#include "options.h"
#include "superblock_io.h"

/*
 * Called for every block device, nearly always one without a stamp: that one
 * costs a read of 8 KiB and nothing else. A stamp that this version cannot
 * read is one too: the disk is no empty one.
 */
static enum mb_superblock_verdict stamp_of(const char *node, struct mb_superblock *superblock)
{
	enum mb_superblock_verdict verdict;
	struct mb_error error;

	return superblock_read(node, superblock, &verdict, &error) ? MB_SUPERBLOCK_ABSENT : verdict;
}

/* A stamp is not overwritten by every mkfs: whatever else is there lives there now. */
static bool nothing_else(const char *node)
{
	int fd = open(node, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *found = NULL;
	bool nothing = fd >= 0 && !contents_find(fd, &found) && !found;

	free(found);
	if (fd >= 0)
		close(fd);
	return nothing;
}

static void print_identity(const struct mb_superblock *superblock)
{
	char array[40], leg[40];

	uuid_unparse_lower(superblock->array_uuid, array);
	uuid_unparse_lower(superblock->legs[superblock->leg].uuid, leg);
	printf("ID_FS_VERSION=%u\n"
	       "ID_FS_UUID=%s\n"
	       "ID_FS_UUID_ENC=%s\n"
	       "ID_FS_UUID_SUB=%s\n"
	       "ID_FS_UUID_SUB_ENC=%s\n"
	       "ID_FS_LABEL=%s\n"
	       "MIRRORBAL_LEG=%u\n",
	       MB_SUPERBLOCK_VERSION, array, array, leg, leg, superblock->name, superblock->leg);
}

static int run(const struct verb *verb, int argc, char **argv)
{
	struct mb_superblock superblock;
	enum mb_superblock_verdict verdict;

	if (argc != 2)
		return options_wrong(verb, "give one device");
	verdict = stamp_of(argv[1], &superblock);
	if (verdict == MB_SUPERBLOCK_ABSENT || !nothing_else(argv[1]))
		return EXIT_DEGRADED;
	printf("ID_FS_TYPE=mirrorbal_member\n"
	       "ID_FS_USAGE=raid\n"
	       "SYSTEMD_READY=0\n");
	if (verdict == MB_SUPERBLOCK_VALID)
		print_identity(&superblock);
	return EXIT_HEALTHY;
}

const struct verb verb_udev_probe = {
	.name = "udev-probe",
	.help = "udev-probe DEVICE\n"
		"\n"
		"For the udev rule: prints the properties of a leg; fails for anything else.\n",
	.run = run,
};
