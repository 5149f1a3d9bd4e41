/* SPDX-License-Identifier: GPL-2.0-only */
/* How far long work has come: a bar on a terminal, a line now and then elsewhere. */
#ifndef MB_PROGRESS_H
#define MB_PROGRESS_H

#include "port.h"

struct progress {
	const char *what;
	u64 total;		/* bytes, or whatever else is counted */
	bool terminal;
	double started;		/* seconds */
	double shown;
	u64 shown_done;
	double rate;		/* a second, moving average */
	int next_percent;	/* without a terminal: when to say the next line */
};

void progress_start(struct progress *progress, const char *what, u64 total);

/* What is counted are bytes. */
void progress_show(struct progress *progress, u64 done);

/* What is counted says nothing to a person; @step, what is being done, does. */
void progress_show_step(struct progress *progress, u64 done, const char *step);

/* Ends the line of bytes; @complete or broken off. */
void progress_end(struct progress *progress, u64 done, bool complete);

/* Takes the line away, for what comes to stand in its place. */
void progress_clear(const struct progress *progress);

#endif /* MB_PROGRESS_H */
