/* SPDX-License-Identifier: GPL-2.0-only */
/* Words of commands that are printed to be typed into a shell. */
#ifndef MB_SHELL_H
#define MB_SHELL_H

/* A new text that a shell reads as this one word; quoted only where it must be. */
char *shell_word(const char *word);

/* As xappend(), a blank and the word quoted like that. */
void shell_append(char **command, const char *word);

#endif /* MB_SHELL_H */
