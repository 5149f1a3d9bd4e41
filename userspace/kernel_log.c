// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "kernel_log.h"

int kernel_log_mark(void)
{
	int mark = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (mark >= 0)
		lseek(mark, 0, SEEK_END);
	return mark;
}

/* "6,1234,5678,-;device-mapper: table: 253:0: mirrorbal: <reason>" */
static const char *reason_in(char *record)
{
	static const char name[] = "mirrorbal: ";
	char *text = strchr(record, ';');
	char *found, *last = NULL;

	if (!text || !strstr(text, "device-mapper"))
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	for (found = text; (found = strstr(found, name)); found += sizeof(name) - 1)
		last = found;
	return last ? last + sizeof(name) - 1 : NULL;
}

char *kernel_log_since(int mark)
{
	char record[8192], *reasons = NULL;
	const char *reason;
	ssize_t got;

	if (mark < 0)
		return NULL;
	/* EPIPE: records were overwritten before they were read; go on. */
	while ((got = read(mark, record, sizeof(record) - 1)) > 0 || (got < 0 && errno == EPIPE)) {
		if (got < 0)
			continue;
		record[got] = '\0';
		reason = reason_in(record);
		if (reason)
			xappend(&reasons, "; ", "%s", reason);
	}
	close(mark);
	return reasons;
}
