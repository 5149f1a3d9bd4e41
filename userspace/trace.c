// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "alloc.h"
#include "trace.h"

#define SECTOR 512
/* No request is larger: what says so is no trace. */
#define MOST_BYTES (1ull << 30)
#define MOST_OFFSET (1ull << 62)

/* What a line says of a request. */
struct record {
	u64 at_ns;
	u64 offset;	/* bytes */
	u64 bytes;
	bool write;
	char stage;	/* blkparse: what happened to it */
};

enum found { NOTHING, REQUEST, WRONG };

static void append(struct trace *trace, u64 *room, const struct record *record)
{
	u64 first = record->offset / SECTOR;
	u64 end = (record->offset + record->bytes + SECTOR - 1) / SECTOR;

	if (trace->nr == *room) {
		*room = *room ? *room * 2 : 1024;
		trace->requests = xrealloc(trace->requests, *room * sizeof(*trace->requests));
	}
	trace->requests[trace->nr++] = (struct replay_request){
		.at_ns = record->at_ns,
		.sector = first,
		.sectors = end - first,
		.write = record->write,
	};
	if (trace->end < end)
		trace->end = end;
}

static bool is_sane(const struct record *record)
{
	return record->bytes && record->bytes <= MOST_BYTES && record->offset <= MOST_OFFSET;
}

/* "[<us>] <file> <action> [<offset> <bytes>]" */
static enum found parse_iolog(const char *line, bool timed, struct record *record)
{
	unsigned long long us = 0, offset, bytes;
	char action[16];
	int got;

	if (timed)
		got = sscanf(line, "%llu %*s %15s %llu %llu", &us, action, &offset, &bytes) - 1;
	else
		got = sscanf(line, "%*s %15s %llu %llu", action, &offset, &bytes);
	if (got < 1)
		return WRONG;
	if (strcmp(action, "read") && strcmp(action, "write"))
		return NOTHING;
	*record = (struct record){
		.at_ns = us * 1000,
		.offset = offset,
		.bytes = bytes,
		.write = *action == 'w',
	};
	return got == 3 && is_sane(record) ? REQUEST : WRONG;
}

/*
 * "<major>,<minor> <cpu> <number> <seconds>.<ns> <pid> <stage> <kind> <sector> + <sectors> ...";
 * a summary follows the last of them.
 */
static enum found parse_blkparse(const char *line, struct record *record)
{
	unsigned long long seconds, ns, sector, sectors;
	char stage[8], kind[16];

	if (sscanf(line, " %*u,%*u %*u %*u %llu.%9llu %*u %7s %15s %llu + %llu", &seconds, &ns, stage,
		   kind, &sector, &sectors) != 6)
		return NOTHING;
	if ((*stage != 'Q' && *stage != 'D') || !strpbrk(kind, "RW") || strchr(kind, 'D') || !sectors)
		return NOTHING;
	*record = (struct record){
		.at_ns = seconds * 1000000000 + ns,
		.offset = sector < MOST_OFFSET / SECTOR ? sector * SECTOR : MOST_OFFSET + 1,
		.bytes = sectors < MOST_BYTES ? sectors * SECTOR : 0,
		.write = strchr(kind, 'W'),
		.stage = *stage,
	};
	return is_sane(record) ? REQUEST : WRONG;
}

static int by_time(const void *a, const void *b)
{
	const struct replay_request *one = a, *other = b;

	return one->at_ns < other->at_ns ? -1 : one->at_ns > other->at_ns;
}

static const char *read_iolog(FILE *from, bool timed, struct trace *trace, u64 *number)
{
	struct record record;
	size_t size = 0;
	char *line = NULL;
	u64 room = 0;
	const char *wrong = NULL;

	while (!wrong && getline(&line, &size, from) >= 0) {
		enum found found = NOTHING;

		++*number;
		if (line[strspn(line, " \t\r\n")])
			found = parse_iolog(line, timed, &record);
		if (found == WRONG)
			wrong = "neither a read or write with offset and length, nor any other action";
		if (found == REQUEST)
			append(trace, &room, &record);
	}
	free(line);
	return wrong;
}

/* @line has the first line already. Requests of both stages, of which one is kept. */
static const char *read_blkparse(FILE *from, char **line, size_t *size, struct trace *trace,
				 u64 *number)
{
	struct trace issued = { 0 };
	u64 room = 0, issued_room = 0;
	struct record record;

	do {
		enum found found = parse_blkparse(*line, &record);

		if (found == WRONG) {
			trace_free(&issued);
			return "a request that is too large or too far out";
		}
		if (found == REQUEST && record.stage == 'Q')
			append(trace, &room, &record);
		else if (found == REQUEST)
			append(&issued, &issued_room, &record);
		++*number;
	} while (getline(line, size, from) >= 0);
	if (!trace->nr) {
		trace_free(trace);
		*trace = issued;
	} else {
		trace_free(&issued);
	}
	return NULL;
}

static const char *read_any(FILE *from, struct trace *trace, u64 *number)
{
	const char *wrong;
	char *line = NULL;
	size_t size = 0;
	unsigned int version;

	*number = 1;
	if (getline(&line, &size, from) < 0) {
		free(line);
		return "the file is empty";
	}
	if (sscanf(line, "fio version %u iolog", &version) == 1) {
		trace->timed = version == 3;
		wrong = version == 2 || version == 3 ?
			read_iolog(from, trace->timed, trace, number) :
			"this version of fio's iolog is not known; 2 and 3 are";
	} else {
		trace->timed = true;
		wrong = read_blkparse(from, &line, &size, trace, number);
	}
	free(line);
	if (!wrong && !trace->nr)
		wrong = "no reads and writes in it; wanted is fio's iolog (--write_iolog), or blkparse's text";
	return wrong;
}

const char *trace_read(FILE *from, struct trace *trace, u64 *line)
{
	const char *wrong;
	u64 first, i;

	*trace = (struct trace){ 0 };
	wrong = read_any(from, trace, line);
	if (wrong) {
		trace_free(trace);
		return wrong;
	}
	/* blkparse sorts by CPU in parts, and fio's threads write as they come. */
	qsort(trace->requests, trace->nr, sizeof(*trace->requests), by_time);
	first = trace->requests[0].at_ns;
	for (i = 0; i < trace->nr; i++)
		trace->requests[i].at_ns -= first;
	return NULL;
}

void trace_free(struct trace *trace)
{
	free(trace->requests);
	*trace = (struct trace){ 0 };
}
