// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <stddef.h>

#include "interrupt.h"
#include "port.h"

static volatile sig_atomic_t arrived;

static void remember(int number)
{
	arrived = number;
}

void interrupt_ignore_pipe(void)
{
	/* A reader that went away is a write error, not the end of what has begun. */
	signal(SIGPIPE, SIG_IGN);
}

void interrupt_catch(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	/* Without SA_RESTART: a sleep ends at once. */
	struct sigaction action = { .sa_handler = remember }, old;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		/* nohup's wish, or the shell's for what runs in the background, stands. */
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	interrupt_ignore_pipe();
}

bool interrupted(void)
{
	return arrived;
}
