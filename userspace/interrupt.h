/* SPDX-License-Identifier: GPL-2.0-only */
/* Ctrl-C in the middle of something that has to be tidied up. */
#ifndef MB_INTERRUPT_H
#define MB_INTERRUPT_H

#include <stdbool.h>

/*
 * From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT are only remembered, unless
 * they were ignored already, and a broken pipe is an error of the write.
 */
void interrupt_catch(void);

/* A broken pipe alone: for what is said before there is anything to be tidied up. */
void interrupt_ignore_pipe(void);

/* Has one arrived? */
bool interrupted(void);

#endif /* MB_INTERRUPT_H */
