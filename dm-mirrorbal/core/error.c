// SPDX-License-Identifier: GPL-2.0-only
#include "error.h"

int mb_error_set(struct mb_error *error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, args);
	va_end(args);
	return -1;
}
