// SPDX-License-Identifier: GPL-2.0-only
#include "number.h"

bool mb_number_parse(const char *word, u64 max, u64 *value)
{
	u64 number = 0;

	if (!*word)
		return false;

	for (; *word; word++) {
		u32 digit = (u32)(*word - '0');

		if (digit > 9)
			return false;
		if (number > div_u64(max, 10))
			return false;
		number *= 10;
		if (digit > max - number)
			return false;
		number += digit;
	}
	*value = number;
	return true;
}
