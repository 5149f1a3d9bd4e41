/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes as people write and read them. */
#ifndef MB_SIZE_H
#define MB_SIZE_H

#include "port.h"

#define SIZE_TEXT_LEN 32

/**
 * size_parse - "512K", "1.5G", "4MiB", "1024s" (sectors), "4096B"
 * @text: as typed; a unit must be given
 * @bytes: receives the size
 *
 * Return: NULL, or what is wrong.
 */
const char *size_parse(const char *text, u64 *bytes);

/* "3.7 GiB", or "512 KiB" where it is a whole number; returns @text. */
const char *size_text(char text[SIZE_TEXT_LEN], u64 bytes);

#endif /* MB_SIZE_H */
