/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was learned of a leg with heads, or beside such legs: what a read costs
 * there. Learned from reads that the leg served alone: a fixed part, and a part
 * that grows with the way of the head (a line through the latencies, by
 * exponentially weighted moments). Of reads in queues only the mean time by
 * read is kept.
 *
 * Distances are parts of the leg, of which it has MB_PARTS; times are us.
 */
#ifndef MB_EXPERIENCE_H
#define MB_EXPERIENCE_H

#include "port.h"

#define MB_PARTS 1024

struct mb_experience {
	bool rotational;
	u32 samples;	/* reads served alone; counts up to what is enough */
	u32 doubted;	/* the last one was far beyond the mean, in us; 0: it was not */
	/* Means, in fractions of 1/256: */
	u64 distance, time, distance_squared, distance_time;
	u64 recent, in_queues;	/* what alone and queued are, exactly */
	u32 fixed;	/* us of a read whose head need not move */
	u32 stroke;	/* us more over the whole leg */
	u32 alone;	/* us of the mean read that it served alone */
	u32 queued;	/* us that a read in a queue would take alone; 0: not known */
};

/**
 * mb_experience_init - as much as is known of a leg at first
 * @experience: of the leg
 * @rotational: has it heads?
 *
 * Context: any.
 */
void mb_experience_init(struct mb_experience *experience, bool rotational);

/**
 * mb_experience_alone - learn from a read that a leg served alone
 * @experience: of the leg
 * @distance: that the head had to go, in parts of the leg
 * @us: what it took
 *
 * Context: any; never two at a time.
 * Return: false if it was left out, since it stands alone with what it took.
 */
bool mb_experience_alone(struct mb_experience *experience, u32 distance, u32 us);

/**
 * mb_experience_queued - learn from a read that came to others
 * @experience: of the leg
 * @in_flight: others that the leg had when it came, at least 1
 * @us: what it took
 *
 * Context: any; never two at a time.
 */
void mb_experience_queued(struct mb_experience *experience, u32 in_flight, u32 us);

/**
 * mb_experience_forgive - fade what was learned in queues
 * @experience: of a leg that is kept from queues, and so cannot show that it is well
 *
 * Context: any; never two at a time.
 */
void mb_experience_forgive(struct mb_experience *experience);

/* log2 of a number in sixteenths, by a straight line between powers of two; not of 0. */
static inline u32 mb_log2_in_16ths(u32 number)
{
	u32 log = 31 - __builtin_clz(number);

	return log * 16 + (u32)(((u64)number << 4) >> log) - 16;
}

/* us that a read would take alone, over so many parts of the leg. Context: any. */
static inline u32 mb_experience_cost(const struct mb_experience *experience, u32 distance)
{
	return experience->fixed + (u64)experience->stroke * distance / MB_PARTS;
}

#endif /* MB_EXPERIENCE_H */
