// SPDX-License-Identifier: GPL-2.0-only
/* Is there bdev_rot()? Older kernels have bdev_nonrot(). */
#include <linux/blkdev.h>

bool mb_probe(struct block_device *bdev);
bool mb_probe(struct block_device *bdev)
{
	return bdev_rot(bdev);
}
