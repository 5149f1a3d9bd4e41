// SPDX-License-Identifier: GPL-2.0-only
/* Sentinel: compiles on no kernel. */
#include <linux/device-mapper.h>

int mb_probe(struct dm_target *ti);
int mb_probe(struct dm_target *ti)
{
	return ti->there_is_no_such_member;
}
