// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <stddef.h>

#include "interrupt.h"

static volatile sig_atomic_t arrived;

static void remember(int number)
{
	arrived = number;
}

void interrupt_catch(void)
{
	/* Without SA_RESTART: a sleep ends at once. */
	struct sigaction action = { .sa_handler = remember };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

bool interrupted(void)
{
	return arrived;
}
