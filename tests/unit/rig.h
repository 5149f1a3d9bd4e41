/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An array in miniature: reads go through the layout to a policy, and legs
 * have heads and queues, so that a policy sees what it would see in the
 * module.
 */
#ifndef RIG_H
#define RIG_H

#include "policy.h"

#define RIG_MAX_DEPTH 128

struct rig {
	struct mb_layout layout;
	const struct mb_policy_ops *ops;
	void *config;
	void *state;
	u32 readable;			/* bit mask of legs */
	u32 ms;				/* when the next read comes; 0: no time is told */
	u32 depth;			/* reads in flight at a time */
	u32 queue[RIG_MAX_DEPTH];	/* legs of the reads in flight, a ring */
	u32 oldest;
	u32 queued;
	struct mb_leg_view views[MB_MAX_LEGS];
	u64 reads[MB_MAX_LEGS];
};

/**
 * rig_start - build an array
 * @name: layout, as in a table
 * @legs: number of legs
 * @chunk_sectors: chunk
 * @ops: the policy
 * @args: its arguments, separated by blanks
 */
void rig_start(struct rig *rig, const char *name, u32 legs, u32 chunk_sectors,
	       const struct mb_policy_ops *ops, const char *args);
void rig_stop(struct rig *rig);

/* These legs have heads; the policy begins anew. */
void rig_set_rotational(struct rig *rig, u32 legs);

/**
 * rig_read - one read, which must not cross the end of a chunk
 *
 * It stays in flight until rig->depth others have been submitted: the legs are
 * equally fast.
 *
 * Return: the leg that served it.
 */
u32 rig_read(struct rig *rig, u64 sector, u32 sectors);

/* Sectors of a read that the policy would have one leg serve; it must have cut(). */
u32 rig_cut(struct rig *rig, u64 sector, u32 sectors);

/* All that is in flight is done. */
void rig_finish(struct rig *rig);

/* Forget how many reads each leg has served. */
void rig_reset_counts(struct rig *rig);

/**
 * rig_imbalance - how unequal the legs' shares are
 *
 * Return: most minus fewest reads of a leg, in thousandths of the mean.
 */
u32 rig_imbalance(const struct rig *rig);

#define RIG_MAX_WORDS 8

/* Arguments as a policy gets them, from one text. */
struct rig_words {
	char text[128];
	char *word[RIG_MAX_WORDS];
	u32 count;
};

void rig_split_words(struct rig_words *words, const char *text);

#endif /* RIG_H */
