// SPDX-License-Identifier: GPL-2.0-only
/* Are features a part of the queue limits? Older kernels have queue flags. */
#include <linux/blkdev.h>

void mb_probe(struct queue_limits *limits);
void mb_probe(struct queue_limits *limits)
{
	limits->features |= BLK_FEAT_STABLE_WRITES;
}
