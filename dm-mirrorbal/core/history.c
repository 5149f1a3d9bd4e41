// SPDX-License-Identifier: GPL-2.0-only
#include "history.h"

static bool is_same(const u8 *uuid, const u8 *other)
{
	return !memcmp(uuid, other, MB_UUID_BYTES);
}

/* Is what was seen up to @generation of a history part of what the other has seen? */
static bool is_known_to(const u8 *uuid, u64 generation, const struct mb_history *other,
			u64 other_generation)
{
	u32 i;

	if (is_same(uuid, other->uuid))
		return generation <= other_generation;
	for (i = 0; i < MB_ANCESTORS; i++)
		if (is_same(uuid, other->ancestors[i].uuid))
			return generation <= other->ancestors[i].left_at;
	return false;
}

enum mb_kinship mb_history_compare(const struct mb_history *history, u64 generation,
				   const struct mb_history *other, u64 other_generation)
{
	bool known = is_known_to(history->uuid, generation, other, other_generation);
	bool knows = is_known_to(other->uuid, other_generation, history, generation);

	if (known)
		return knows ? MB_KIN_SAME : MB_KIN_PAST;
	return knows ? MB_KIN_FUTURE : MB_KIN_APART;
}

void mb_history_branch(struct mb_history *history, const u8 *uuid, u64 generation)
{
	u32 i;

	for (i = MB_ANCESTORS - 1; i; i--)
		history->ancestors[i] = history->ancestors[i - 1];
	memcpy(history->ancestors[0].uuid, history->uuid, MB_UUID_BYTES);
	history->ancestors[0].left_at = generation;
	memcpy(history->uuid, uuid, MB_UUID_BYTES);
}
