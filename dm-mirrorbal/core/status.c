// SPDX-License-Identifier: GPL-2.0-only
#include "health.h"
#include "number.h"
#include "status.h"

static const char *const counter_names[] = {
	[MB_COUNTER_READS] = "reads",
	[MB_COUNTER_SECTORS_READ] = "sectors_read",
	[MB_COUNTER_WRITES] = "writes",
	[MB_COUNTER_SECTORS_WRITTEN] = "sectors_written",
	[MB_COUNTER_SEQUENTIAL_READS] = "sequential_reads",
	[MB_COUNTER_READ_ERRORS] = "read_errors",
	[MB_COUNTER_WRITE_ERRORS] = "write_errors",
	[MB_COUNTER_REDIRECTED_READS] = "redirected_reads",
	[MB_COUNTER_SECTORS_REPAIRED] = "sectors_repaired",
	[MB_COUNTER_READS_IN_FLIGHT] = "reads_in_flight",
	[MB_COUNTER_READ_LATENCY_US] = "read_latency_us",
};

_Static_assert(ARRAY_SIZE(counter_names) == MB_NR_COUNTERS, "every counter has a name");

const char *mb_counter_name(enum mb_counter counter)
{
	return counter_names[counter];
}

/* The longest words: <in_sync>/<total>, health and marks of every leg. */
#define WORD_LEN 48

/* Takes words off the front of a line, and remembers the first trouble. */
struct reader {
	const char *rest;
	char word[WORD_LEN];
	struct mb_error *error;
};

static int next_word(struct reader *reader, const char *what)
{
	size_t length = 0;

	while (*reader->rest == ' ' || *reader->rest == '\n')
		reader->rest++;
	if (!*reader->rest)
		return mb_error_set(reader->error, "status line ends where %s should be", what);
	for (; *reader->rest && *reader->rest != ' ' && *reader->rest != '\n'; reader->rest++) {
		if (length + 1 == sizeof(reader->word))
			return mb_error_set(reader->error, "status line: %s is longer than %u characters",
					    what, WORD_LEN - 1);
		reader->word[length++] = *reader->rest;
	}
	reader->word[length] = '\0';
	return 0;
}

static int wrong_word(struct reader *reader, const char *what)
{
	return mb_error_set(reader->error, "status line: %s is '%s'", what, reader->word);
}

static int next_number(struct reader *reader, const char *what, u64 max, u64 *value)
{
	if (next_word(reader, what))
		return -1;
	if (!mb_number_parse(reader->word, max, value))
		return wrong_word(reader, what);
	return 0;
}

static int read_layout(struct reader *reader, struct mb_status *status)
{
	u64 copies, legs;

	if (next_word(reader, "the layout"))
		return -1;
	if (!mb_layout_kind(reader->word[0], &status->kind) ||
	    !mb_number_parse(reader->word + 1, MB_MAX_LEGS, &copies))
		return wrong_word(reader, "the layout");
	if (next_number(reader, "the number of legs", MB_MAX_LEGS, &legs))
		return -1;
	if (legs < MB_MIN_LEGS || copies < 2 || copies > legs)
		return mb_error_set(reader->error, "status line: %u copies on %u legs", (u32)copies,
				    (u32)legs);
	status->copies = copies;
	status->legs = legs;
	return 0;
}

/* One letter a leg, each of an allowed set. */
static int read_letters(struct reader *reader, const char *what, const char *allowed, u32 legs,
			char *letters)
{
	u32 i;

	if (next_word(reader, what))
		return -1;
	if (strlen(reader->word) != legs)
		return wrong_word(reader, what);
	for (i = 0; i < legs; i++)
		if (!strchr(allowed, reader->word[i]))
			return wrong_word(reader, what);
	memcpy(letters, reader->word, legs + 1);
	return 0;
}

static int read_sync(struct reader *reader, struct mb_status *status)
{
	const char *what = "<in_sync>/<total>";
	char *slash;

	if (next_word(reader, what))
		return -1;
	slash = strchr(reader->word, '/');
	if (!slash)
		return wrong_word(reader, what);
	*slash = '\0';
	if (!mb_number_parse(reader->word, MB_MAX_LENGTH, &status->in_sync) ||
	    !mb_number_parse(slash + 1, MB_MAX_LENGTH, &status->total) ||
	    status->in_sync > status->total) {
		*slash = '/';
		return wrong_word(reader, what);
	}
	return 0;
}

static int read_short_word(struct reader *reader, const char *what, char *to, size_t room)
{
	if (next_word(reader, what))
		return -1;
	if (strlen(reader->word) >= room)
		return wrong_word(reader, what);
	memcpy(to, reader->word, strlen(reader->word) + 1);
	return 0;
}

static int read_counters(struct reader *reader, struct mb_status *status)
{
	u64 given, value;
	u32 leg, i;

	if (next_number(reader, "the number of counters", 1000, &given))
		return -1;
	if (given < MB_NR_COUNTERS)
		return mb_error_set(reader->error, "status line has %u counters a leg; expected %u or more",
				    (u32)given, (u32)MB_NR_COUNTERS);
	for (leg = 0; leg < status->legs; leg++) {
		for (i = 0; i < given; i++) {
			if (next_number(reader, i < MB_NR_COUNTERS ? counter_names[i] : "a counter",
					~0ull, &value))
				return -1;
			if (i < MB_NR_COUNTERS)
				status->counters[leg][i] = value;
		}
	}
	return 0;
}

int mb_status_parse(struct mb_status *status, const char *params, struct mb_error *error)
{
	static const char healths[] = { MB_LEG_IN_SYNC, MB_LEG_NOT_IN_SYNC, MB_LEG_FAILED,
					MB_LEG_MISSING, '\0' };
	static const char marks[] = { MB_MARK_NONE, MB_MARK_WRITE_MOSTLY, MB_MARK_SLOW,
				      MB_MARK_BOTH, '\0' };
	struct reader reader = { .rest = params, .error = error };

	memset(status, 0, sizeof(*status));
	if (read_layout(&reader, status) ||
	    read_letters(&reader, "the health", healths, status->legs, status->health) ||
	    read_sync(&reader, status) ||
	    read_short_word(&reader, "the action", status->action, sizeof(status->action)) ||
	    next_number(&reader, "the number of mismatches", ~0ull, &status->mismatches) ||
	    read_short_word(&reader, "the policy", status->policy, sizeof(status->policy)) ||
	    read_letters(&reader, "the marks", marks, status->legs, status->marks))
		return -1;
	return read_counters(&reader, status);
}
