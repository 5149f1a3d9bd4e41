/* SPDX-License-Identifier: GPL-2.0-only */
/* Taking a device for oneself while it is changed. */
#ifndef MB_CLAIM_H
#define MB_CLAIM_H

#include "device.h"

/* A tenth of a second: who only looks at a device that was just opened or closed is gone soon. */
void pause_shortly(void);

/* A device that nobody else may mount, map or probe for now. */
struct claim {
	int fd;		/* buffered, exclusive; udev keeps away from it */
	int direct;	/* the same device past the page cache */
};

#define CLAIM_NONE ((struct claim){ .fd = -1, .direct = -1 })

/**
 * claim_device - take a device
 * @claim: receives it
 * @device: which
 *
 * Return: 0, or -1 having said who has it.
 */
int claim_device(struct claim *claim, const struct device *device);

/* Give it back; does nothing to CLAIM_NONE. */
void claim_release(struct claim *claim);

#endif /* MB_CLAIM_H */
