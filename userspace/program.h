/* SPDX-License-Identifier: GPL-2.0-only */
/* Other programs that are run. */
#ifndef MB_PROGRAM_H
#define MB_PROGRAM_H

#include <sys/types.h>

/* Exit statuses that stand for a program that did not end by itself, as shells have them. */
enum { PROGRAM_NOT_FOUND = 127, PROGRAM_BY_SIGNAL = 128 };

struct program {
	pid_t pid;
	int output;	/* what it says, on standard output and error; close-on-exec */
};

/**
 * program_start - run a program
 * @program: receives it
 * @argv: its name and arguments, NULL at the end; it is looked for where root's
 *        programs are, not where the caller's PATH leads
 *
 * It is out of reach of the terminal's Ctrl-C, which is ours to act on, and ends
 * when this command does.
 *
 * Return: 0, or -1 with errno set.
 */
int program_start(struct program *program, const char *const argv[]);

/* Waits for its end; its exit status, or PROGRAM_BY_SIGNAL and the signal's number. */
int program_end(struct program *program);

/**
 * program_run - run a program to its end
 * @argv: as for program_start()
 * @status: receives what program_end() gives
 *
 * Return: a new text, what it said; "" for nothing.
 */
char *program_run(const char *const argv[], int *status);

#endif /* MB_PROGRAM_H */
