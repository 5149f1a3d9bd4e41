// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "claim.h"
#include "say.h"
#include "users.h"

static int say_busy(const struct device *device, char *users)
{
	say_error("%s is in use%s%s; nothing overrides that", device->node, users ? ": " : "",
		  users ? users : "");
	free(users);
	return -1;
}

void pause_shortly(void)
{
	const struct timespec pause = { .tv_nsec = 100000000 };

	nanosleep(&pause, NULL);
}

/* A udev worker holds its shared lock for the moment of a probe only. */
static int lock_out_udev(int fd, const struct device *device)
{
	int tries;

	for (tries = 0; tries < 100; tries++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK)
			return say_error("%s: cannot lock: %s", device->node, strerror(errno));
		pause_shortly();
	}
	return say_error("%s is locked by another program (flock)", device->node);
}

/* An exclusive open keeps mounts and mappings away, not those who just opened it; some only look, and go. */
static int wait_for_openers(const struct device *device)
{
	char *openers = openers_of(device->number);
	int tries;

	for (tries = 0; openers && tries < 10; tries++) {
		free(openers);
		pause_shortly();
		openers = openers_of(device->number);
	}
	return openers ? say_busy(device, openers) : 0;
}

int claim_device(struct claim *claim, const struct device *device)
{
	*claim = CLAIM_NONE;
	claim->fd = open(device->node, O_RDWR | O_EXCL | O_CLOEXEC);
	if (claim->fd < 0)
		return errno == EBUSY ? say_busy(device, users_of(device->number)) :
		       say_error("%s: cannot open: %s", device->node, strerror(errno));
	claim->direct = open(device->node, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (claim->direct < 0) {
		say_error("%s: cannot open for direct I/O: %s", device->node, strerror(errno));
		claim_release(claim);
		return -1;
	}
	if (lock_out_udev(claim->fd, device) || wait_for_openers(device)) {
		claim_release(claim);
		return -1;
	}
	return 0;
}

void claim_release(struct claim *claim)
{
	if (claim->direct >= 0)
		close(claim->direct);
	if (claim->fd >= 0)
		close(claim->fd);
	*claim = CLAIM_NONE;
}
