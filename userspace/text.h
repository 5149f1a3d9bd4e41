/* SPDX-License-Identifier: GPL-2.0-only */
/* Text that disks and other programs gave, before it reaches a terminal or JSON. */
#ifndef MB_TEXT_H
#define MB_TEXT_H

#include <stddef.h>

/*
 * Put '?' for each byte of a control character and of what is not UTF-8. A label
 * could otherwise steer the terminal, and JSON that is not UTF-8 is none.
 */
void text_clean(char *text);

/* A new text, cleaned. */
char *text_cleaned(const char *text);

/* Copy as much of @from as @room bytes hold without cutting a character; @to has one byte more. */
void text_copy(char *to, const char *from, size_t room);

#endif /* MB_TEXT_H */
