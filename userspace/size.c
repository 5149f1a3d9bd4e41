// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "size.h"

static const char units[] = "BKMGTP";

/* log2 of the unit, or -1 */
static int unit_shift(const char *unit)
{
	const char *found;

	if (!strcmp(unit, "s"))
		return 9;
	if (!*unit || !(found = strchr(units, toupper((unsigned char)*unit))))
		return -1;
	if (unit[1] && strcasecmp(unit + 1, "iB") && strcasecmp(unit + 1, "i"))
		return -1;
	if (found == units && unit[1])
		return -1;
	return 10 * (int)(found - units);
}

const char *size_parse(const char *text, u64 *bytes)
{
	char *unit;
	double number;
	int shift;

	if (!isdigit((unsigned char)*text))
		return "is no size; write it as 512K, 4M, 10G or 1024s (sectors of 512 bytes)";
	errno = 0;
	number = strtod(text, &unit);
	if (!*unit)
		return "has no unit; write it as 512K, 4M, 10G or 1024s (sectors of 512 bytes)";
	shift = unit_shift(unit);
	if (shift < 0)
		return "has an unknown unit; known are B, s (sectors of 512 bytes), K, M, G, T and P (powers of 1024)";
	number = ldexp(number, shift);
	if (errno || number >= ldexp(1.0, 63))
		return "is too large";
	if (number != floor(number))
		return "is not a whole number of bytes";
	*bytes = (u64)number;
	return NULL;
}

const char *size_text(char text[SIZE_TEXT_LEN], u64 bytes)
{
	double number = bytes;
	int unit = 0;

	while (number >= 1024 && units[unit + 1]) {
		number /= 1024;
		unit++;
	}
	if (!unit)
		snprintf(text, SIZE_TEXT_LEN, "%llu B", (unsigned long long)bytes);
	else
		snprintf(text, SIZE_TEXT_LEN, "%.*f %ciB", number == floor(number) ? 0 : 1, number,
			 units[unit]);
	return text;
}
