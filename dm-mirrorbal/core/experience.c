// SPDX-License-Identifier: GPL-2.0-only
#include "experience.h"

/* Moments are means over about 2^MOMENT_SHIFT reads, in 1/FRACTION. */
#define MOMENT_SHIFT 6
#define FRACTION 256
/* The level follows faster than the slope. */
#define LEVEL_SHIFT 3
/* In a queue some wait long, and some not at all. */
#define QUEUED_SHIFT 6
/*
 * A drive that takes what lies on its way needs less for each read: with a queue
 * twice as long, by the simulated drive, less by 7/16 of what it needs alone,
 * divided: alone / (1 + 7/16 log2(queue)).
 */
#define GAIN_16THS 7
/* A read far beyond the mean counts only if the next is, too. */
#define FAR_BEYOND 4
/* Of fewer reads nothing is concluded about the slope. */
#define ENOUGH 32
/* Nor from heads that all move alike; in parts squared. */
#define LEAST_VARIANCE 1024
/* No read counts for more: products stay within 64 bits. */
#define LONGEST_US (1u << 22)

/* Until something is known: a drive of 7,200 rpm, and a solid one. */
#define SPINNING_FIXED_US 7500
#define SPINNING_STROKE_US 12000
#define SOLID_FIXED_US 100

void mb_experience_init(struct mb_experience *experience, bool rotational)
{
	memset(experience, 0, sizeof(*experience));
	experience->rotational = rotational;
	experience->fixed = rotational ? SPINNING_FIXED_US : SOLID_FIXED_US;
	experience->stroke = rotational ? SPINNING_STROKE_US : 0;
	experience->alone = experience->fixed + experience->stroke / 4;
}

static u64 moved(u64 mean, u64 value, u32 shift)
{
	value *= FRACTION;
	return value > mean ? mean + ((value - mean) >> shift) : mean - ((mean - value) >> shift);
}

/* us over the whole leg; heads being heads, within bounds, whatever chance says. */
static u32 stroke_of(const struct mb_experience *experience)
{
	u64 distance = experience->distance, time = experience->time, stroke, least, most;
	s64 variance, covariance;

	/* In fractions, as the means are. */
	variance = experience->distance_squared - distance * distance / FRACTION;
	covariance = experience->distance_time - distance * time / FRACTION;
	if (!experience->rotational)
		return 0;
	if (experience->samples < ENOUGH || variance < LEAST_VARIANCE * FRACTION)
		return experience->stroke;
	stroke = covariance > 0 ? div64_u64(covariance * MB_PARTS, variance) : 0;
	least = experience->alone / 2;
	most = (u64)experience->alone * 3;
	return stroke < least ? least : stroke > most ? most : stroke;
}

/* The line through the moments; its level is that of the recent reads. */
static void draw_line(struct mb_experience *experience)
{
	u64 fixed;

	experience->stroke = stroke_of(experience);
	fixed = (u64)experience->stroke * experience->distance / MB_PARTS / FRACTION;
	experience->fixed = experience->alone > fixed ? experience->alone - fixed : 0;
}

/* True if the read is to be left out: it stands alone with what it took. */
static bool is_outlier(struct mb_experience *experience, u32 us)
{
	bool doubted = experience->doubted;

	experience->doubted = 0;
	if (experience->samples < FAR_BEYOND || us / FAR_BEYOND < experience->alone)
		return false;
	experience->doubted = us;
	return !doubted;
}

bool mb_experience_alone(struct mb_experience *experience, u32 distance, u32 us)
{
	u64 time;

	if (us > LONGEST_US)
		us = LONGEST_US;
	if (is_outlier(experience, us))
		return false;
	/* Two accidents in a row are still not the rule. */
	if (experience->samples >= FAR_BEYOND && us / FAR_BEYOND > experience->alone)
		us = experience->alone * FAR_BEYOND;
	time = (u64)us * FRACTION;
	if (!experience->samples++) {
		experience->distance = (u64)distance * FRACTION;
		experience->time = time;
		experience->distance_squared = (u64)distance * distance * FRACTION;
		experience->distance_time = distance * time;
		experience->recent = time;
	} else {
		experience->distance = moved(experience->distance, distance, MOMENT_SHIFT);
		experience->time = moved(experience->time, us, MOMENT_SHIFT);
		experience->distance_squared = moved(experience->distance_squared,
						     (u64)distance * distance, MOMENT_SHIFT);
		experience->distance_time = moved(experience->distance_time,
						  (u64)distance * us, MOMENT_SHIFT);
		experience->recent = moved(experience->recent, us, LEVEL_SHIFT);
	}
	experience->alone = experience->recent / FRACTION;
	if (experience->samples > ENOUGH)
		experience->samples = ENOUGH;
	draw_line(experience);
	return true;
}

static void set_queued(struct mb_experience *experience, u64 in_queues)
{
	experience->in_queues = in_queues;
	experience->queued = in_queues / FRACTION;
}

void mb_experience_forgive(struct mb_experience *experience)
{
	set_queued(experience, experience->in_queues - (experience->in_queues >> QUEUED_SHIFT));
}

void mb_experience_queued(struct mb_experience *experience, u32 in_flight, u32 us)
{
	u32 queue = in_flight + 1;
	u64 each = (us < LONGEST_US ? us : LONGEST_US) / queue + 1;

	each += each * mb_log2_in_16ths(queue) * GAIN_16THS / 256;
	/* A drive that stalls once is not slow. */
	if (experience->queued && each > (u64)experience->queued * FAR_BEYOND)
		each = (u64)experience->queued * FAR_BEYOND;
	set_queued(experience, experience->queued ?
		   moved(experience->in_queues, each, QUEUED_SHIFT) : each * FRACTION);
}
