/* SPDX-License-Identifier: GPL-2.0-only */
/* Recorded I/O: fio's iolog (versions 2 and 3) and blkparse's text. */
#ifndef MB_TRACE_H
#define MB_TRACE_H

#include <stdio.h>

#include "replay.h"

struct trace {
	struct replay_request *requests;	/* in the order of their times */
	u64 nr;
	u64 end;		/* sector behind the last one that is touched */
	bool timed;		/* it says when requests came */
};

/**
 * trace_read - read a recording
 * @from: the text
 * @trace: is filled; trace_free() frees it
 * @line: receives the number of the line that is wrong
 *
 * What is neither a read nor a write is left out. Of blkparse's text the queued
 * requests (Q) are taken, and if there are none, the issued ones (D). Requests
 * become whole sectors.
 *
 * Return: NULL, or what is wrong.
 */
const char *trace_read(FILE *from, struct trace *trace, u64 *line);
void trace_free(struct trace *trace);

#endif /* MB_TRACE_H */
