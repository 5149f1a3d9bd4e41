/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A large read that continues nothing and finds all heads idle is shared out
 * among them: each takes a part, so that it is done in a fraction of the time.
 * Where others wait that would cost more than it gives, since each head has to
 * find its part first.
 *
 * The parts come one after the other, as reads of their own. The same locking
 * as the policy's state, of which this is a part.
 */
#ifndef MB_FAN_OUT_H
#define MB_FAN_OUT_H

#include "policy.h"

struct mb_fan_out {
	u64 rest;	/* sector of the array at which the next part begins; 0: there is none */
	u64 end;	/* sector of the array at which the read ends */
	u32 part;	/* sectors of each */
};

/* Is it what is left of the one that is being shared out? Context: as the policy's cut(). */
static inline bool mb_fan_out_is_rest(const struct mb_fan_out *fan_out, u64 sector)
{
	return unlikely(fan_out->rest) && fan_out->rest == sector;
}

/**
 * mb_fan_out_begin - share a read out among its candidates, if it is large enough
 * @fan_out: the last one that was shared out
 * @read: one that finds all of its candidates idle
 *
 * Context: as the policy's cut().
 * Return: sectors of its first part; all if it is to be left whole.
 */
u32 mb_fan_out_begin(struct mb_fan_out *fan_out, const struct mb_read *read);

/* Sectors of the next part, of so many that are left. Context: as the policy's cut(). */
static inline u32 mb_fan_out_next(const struct mb_fan_out *fan_out, u32 left)
{
	return left < fan_out->part ? left : fan_out->part;
}

/* So much of the rest goes to a leg. Context: as the policy's select(). */
void mb_fan_out_take(struct mb_fan_out *fan_out, u32 sectors);

#endif /* MB_FAN_OUT_H */
