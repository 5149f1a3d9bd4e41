/* SPDX-License-Identifier: GPL-2.0-only */
/* How far long work has come: a bar on a terminal, a line now and then elsewhere. */
#ifndef MB_PROGRESS_H
#define MB_PROGRESS_H

#include "port.h"

struct progress {
	const char *what;
	u64 total;		/* bytes */
	bool terminal;
	double started;		/* seconds */
	double shown;
	u64 shown_done;
	double rate;		/* bytes a second, moving average */
	int next_percent;	/* without a terminal: when to say the next line */
};

void progress_start(struct progress *progress, const char *what, u64 total);
void progress_show(struct progress *progress, u64 done);

/* Ends the line; @complete or broken off. */
void progress_end(struct progress *progress, u64 done, bool complete);

#endif /* MB_PROGRESS_H */
