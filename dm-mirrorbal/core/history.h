/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which of two legs has missed what the other has seen. A generation alone
 * does not tell: of an array of which each half has been started without the
 * other, both halves count on. So whoever starts an array without a leg that
 * was in sync begins a new history, and notes where he left the old one: what a
 * leg has seen is all past to another one only if it ends before that.
 */
#ifndef MB_HISTORY_H
#define MB_HISTORY_H

#include "port.h"

#define MB_UUID_BYTES 16u
#define MB_ANCESTORS 7u

struct mb_ancestor {
	u8 uuid[MB_UUID_BYTES];	/* all zero: none */
	u64 left_at;		/* its last generation that the descendant has seen */
};

struct mb_history {
	u8 uuid[MB_UUID_BYTES];
	struct mb_ancestor ancestors[MB_ANCESTORS];	/* the parent first */
};

enum mb_kinship {
	MB_KIN_SAME,	/* they have seen the same */
	MB_KIN_PAST,	/* the other one has seen all of it, and more */
	MB_KIN_FUTURE,	/* the other way round */
	MB_KIN_APART,	/* each has seen something that the other has not */
};

/**
 * mb_history_compare - what is one leg's state to another's?
 * @history: of the one
 * @generation: that it has seen last
 * @other: history of the other
 * @other_generation: likewise
 *
 * A history that was left more than MB_ANCESTORS histories ago is forgotten, and
 * its legs count as apart.
 *
 * Context: any.
 * Return: what the one is to the other.
 */
enum mb_kinship mb_history_compare(const struct mb_history *history, u64 generation,
				   const struct mb_history *other, u64 other_generation);

/**
 * mb_history_branch - begin a new history
 * @history: is changed
 * @uuid: of the new one, random
 * @generation: the last one of what has been
 *
 * Context: any.
 */
void mb_history_branch(struct mb_history *history, const u8 *uuid, u64 generation);

#endif /* MB_HISTORY_H */
