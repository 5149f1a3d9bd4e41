// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "shell.h"

/* '#' begins a comment only where it is a word's first character. */
static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "+-.:=@_/,%#";

	return *word && *word != '#' && strspn(word, plain) == strlen(word);
}

char *shell_word(const char *word)
{
	char *text;

	if (is_plain(word))
		return xstrdup(word);
	text = xstrdup("'");
	for (; *word; word++)
		if (*word == '\'')
			xappend(&text, "", "'\\''");
		else
			xappend(&text, "", "%c", *word);
	xappend(&text, "", "'");
	return text;
}

void shell_append(char **command, const char *word)
{
	char *quoted = shell_word(word);

	xappend(command, " ", "%s", quoted);
	free(quoted);
}
