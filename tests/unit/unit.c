// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#define SEED 0x9e3779b97f4a7c15ull

static u64 random_state = SEED;

void random_restart(void)
{
	random_state = SEED;
}

/* xorshift64* */
u64 random_below(u64 limit)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return ((random_state * 0x2545f4914f6cdd1dull) >> 1) % limit;
}

void assert_text(const char *text, const char *part, const char *file, int line)
{
	if (strstr(text, part))
		return;
	print_error("'%s'\ndoes not contain '%s'\n", text, part);
	_fail(file, line);
}
