// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "alloc.h"
#include "port.h"
#include "text.h"

/* Bytes of a character by the first of them; 0 for none that begins one. */
static size_t length_of(u8 first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first < 0xe0)
		return 2;
	if (first >= 0xe0 && first < 0xf0)
		return 3;
	return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/* What encodes no character although its bits are in order: overlong, surrogate, beyond the last. */
static bool is_forbidden(u8 first, u8 second)
{
	return (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
	       (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
}

/* Both ranges of control characters. */
static bool is_control(const u8 *at)
{
	return at[0] < 0x20 || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
}

/* Bytes of the character at @at if it may be shown; 0 if not. */
static size_t shown_length(const u8 *at)
{
	size_t length = length_of(at[0]), i;

	/* The zero at the end is no continuation, so nothing is read behind it. */
	for (i = 1; i < length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	if (!length || is_control(at) || (length > 2 && is_forbidden(at[0], at[1])))
		return 0;
	return length;
}

void text_clean(char *text)
{
	while (*text) {
		size_t length = shown_length((const u8 *)text);

		if (!length)
			*text = '?';
		text += length ? length : 1;
	}
}

char *text_cleaned(const char *text)
{
	char *copy = xstrdup(text);

	text_clean(copy);
	return copy;
}

void text_copy(char *to, const char *from, size_t room)
{
	size_t length = strlen(from);

	if (length > room) {
		/* Back to the first byte of the character that does not fit. */
		for (length = room; length && ((u8)from[length] & 0xc0) == 0x80; length--)
			;
	}
	memcpy(to, from, length);
	memset(to + length, 0, room + 1 - length);
}
