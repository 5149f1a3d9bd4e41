// SPDX-License-Identifier: GPL-2.0-only
/*
 * sequential-affinity [<window sectors>]: a stream of reads, each continuing
 * where the last one ended, stays on its copy, so that every head has one
 * place to read from and each drive's own read-ahead works. New streams go to
 * the leg that serves the fewest. A stream that runs alone is handed to the
 * next copy each time it enters another window of the address space: a reader
 * whose read-ahead spans several windows then keeps all legs reading at once.
 * Window 0 never hands over.
 *
 * A stream keeps a copy, not a leg: where copies are striped over more legs,
 * copy i of the next chunk lies on another leg of the same quality. Reads that
 * continue nothing go where a new stream would go, and are remembered as
 * possible beginnings of one.
 */
#include "number.h"
#include "policy.h"

#define NR_STREAMS 32
/* Reads in a row before something is called a stream. */
#define STREAM_LENGTH 3
/* A stream that had none of the last so many reads is over. */
#define STREAM_IDLE_READS 256
/* Concurrent readers of one file arrive slightly out of order. */
#define REORDER_SECTORS 2048

#define DEFAULT_WINDOW_SECTORS (16u << 11)	/* 16 MiB */
#define MAX_WINDOW_SECTORS (1u << 31)

struct sequential_affinity_config {
	u32 window_sectors;
};

struct stream {
	u64 next;	/* sector of the array at which it goes on */
	u64 last_use;	/* in reads of this state, 0: slot is free */
	u32 length;	/* reads in a row, saturating at STREAM_LENGTH */
	u8 copy;
	u8 leg;		/* that served its last read */
};

struct sequential_affinity_state {
	u64 reads;	/* counts up: the clock of this policy */
	struct stream streams[NR_STREAMS];
};

static int parse_window(struct sequential_affinity_config *config, const char *word,
			struct mb_error *error)
{
	u64 window;

	if (!mb_number_parse(word, MAX_WINDOW_SECTORS, &window))
		return mb_error_set(error,
				    "sequential-affinity: window of '%s' sectors; allowed are 0 (never hand over) to %u",
				    word, MAX_WINDOW_SECTORS);
	config->window_sectors = window;
	return 0;
}

static int sequential_affinity_configure(void *config, const struct mb_layout *layout, u32 argc,
					 char **argv, struct mb_error *error)
{
	struct sequential_affinity_config *settings = config;

	if (argc > 1)
		return mb_error_set(error,
				    "sequential-affinity takes at most 1 argument (window in sectors), not %u",
				    argc);
	settings->window_sectors = DEFAULT_WINDOW_SECTORS;
	return argc ? parse_window(settings, argv[0], error) : 0;
}

static int sequential_affinity_set(void *config, const char *key, const char *value,
				   struct mb_error *error)
{
	if (strcmp(key, "window"))
		return mb_error_set(error,
				    "policy_set: sequential-affinity has no setting '%s', only window",
				    key);
	return parse_window(config, value, error);
}

static u32 sequential_affinity_print_args(const void *config, char *text, size_t size)
{
	const struct sequential_affinity_config *settings = config;

	text[0] = '\0';
	if (settings->window_sectors == DEFAULT_WINDOW_SECTORS)
		return 0;
	snprintf(text, size, "%u", settings->window_sectors);
	return 1;
}

static bool in_use(const struct sequential_affinity_state *memory, const struct stream *stream)
{
	return stream->last_use && memory->reads - stream->last_use < STREAM_IDLE_READS;
}

static bool is_stream(const struct sequential_affinity_state *memory, const struct stream *stream)
{
	return stream->length >= STREAM_LENGTH && in_use(memory, stream);
}

/* The stream that this read continues, or NULL. */
static struct stream *find_stream(struct sequential_affinity_state *memory,
				  const struct mb_read *read)
{
	struct stream *found = NULL;
	u32 i;

	for (i = 0; i < NR_STREAMS; i++) {
		struct stream *stream = &memory->streams[i];

		if (!stream->last_use)
			continue;
		if (stream->next == read->sector)
			return stream;
		if (stream->length >= STREAM_LENGTH &&
		    read->sector + REORDER_SECTORS >= stream->next &&
		    read->sector <= stream->next + REORDER_SECTORS)
			found = stream;
	}
	return found;
}

/* Free slots first, then the longest unused; what is no stream before streams. */
static struct stream *slot_to_reuse(struct sequential_affinity_state *memory)
{
	struct stream *oldest = NULL, *oldest_stream = &memory->streams[0];
	u32 i;

	for (i = 0; i < NR_STREAMS; i++) {
		struct stream *stream = &memory->streams[i];

		if (stream->last_use < oldest_stream->last_use)
			oldest_stream = stream;
		if (is_stream(memory, stream))
			continue;
		if (!oldest || stream->last_use < oldest->last_use)
			oldest = stream;
	}
	return oldest ? oldest : oldest_stream;
}

static u32 streams_on_leg(const struct sequential_affinity_state *memory, u32 leg)
{
	u32 count = 0, i;

	for (i = 0; i < NR_STREAMS; i++)
		if (memory->streams[i].leg == leg && is_stream(memory, &memory->streams[i]))
			count++;
	return count;
}

static bool alone(const struct sequential_affinity_state *memory, const struct stream *self)
{
	u32 i;

	for (i = 0; i < NR_STREAMS; i++)
		if (&memory->streams[i] != self && is_stream(memory, &memory->streams[i]))
			return false;
	return true;
}

/* Fewest streams, then fewest in flight, then the nearest head. */
static u32 least_used(const struct sequential_affinity_state *memory, const struct mb_read *read)
{
	u64 best_distance = 0;
	u32 best_streams = 0, best = 0, i;

	for (i = 0; i < read->nr_candidates; i++) {
		const struct mb_candidate *now = &read->candidates[i];
		u32 streams = streams_on_leg(memory, now->leg);
		u64 distance = now->sector > now->last_end ? now->sector - now->last_end :
			       now->last_end - now->sector;
		u32 best_in_flight = read->candidates[best].in_flight;

		if (i && (streams > best_streams ||
			  (streams == best_streams &&
			   (now->in_flight > best_in_flight ||
			    (now->in_flight == best_in_flight && distance >= best_distance)))))
			continue;
		best = i;
		best_streams = streams;
		best_distance = distance;
	}
	return best;
}

static u32 index_of_copy(const struct mb_read *read, u32 copy)
{
	u32 i;

	for (i = 0; i < read->nr_candidates; i++)
		if (read->candidates[i].copy == copy)
			return i;
	return read->nr_candidates;
}

/* The next copy that can be read, after @copy, around. */
static u32 next_copy(const struct mb_read *read, u32 copy)
{
	u32 i;

	for (i = 0; i < read->nr_candidates; i++)
		if (read->candidates[i].copy > copy)
			return i;
	return 0;
}

/* The window changes between the stream's last read and this one. */
static bool enters_window(const struct sequential_affinity_config *settings,
			  const struct stream *stream, const struct mb_read *read)
{
	u32 window = settings->window_sectors;

	if (!window || read->sector < stream->next)
		return false;
	return div_u64(read->sector, window) != div_u64(stream->next - 1, window);
}

static u32 continue_stream(const struct sequential_affinity_config *settings,
			   struct sequential_affinity_state *memory, struct stream *stream,
			   const struct mb_read *read)
{
	u32 choice;

	/* Now it is a stream: its beginnings were placed before it counted. */
	if (stream->length + 1 == STREAM_LENGTH)
		return least_used(memory, read);
	if (stream->length >= STREAM_LENGTH && enters_window(settings, stream, read) &&
	    alone(memory, stream))
		return next_copy(read, stream->copy);
	choice = index_of_copy(read, stream->copy);
	return choice < read->nr_candidates ? choice : least_used(memory, read);
}

static void remember(struct sequential_affinity_state *memory, struct stream *stream,
		     const struct mb_read *read, u32 choice)
{
	u64 end = read->sector + read->sectors;

	stream->last_use = memory->reads;
	if (stream->next < end)
		stream->next = end;
	if (stream->length < STREAM_LENGTH)
		stream->length++;
	stream->copy = read->candidates[choice].copy;
	stream->leg = read->candidates[choice].leg;
}

static u32 sequential_affinity_select(const void *config, void *state, const struct mb_read *read)
{
	struct sequential_affinity_state *memory = state;
	struct stream *stream = find_stream(memory, read);
	u32 choice;

	memory->reads++;
	if (stream) {
		choice = continue_stream(config, memory, stream, read);
	} else {
		choice = least_used(memory, read);
		stream = slot_to_reuse(memory);
		memset(stream, 0, sizeof(*stream));
	}
	remember(memory, stream, read, choice);
	return choice;
}

const struct mb_policy_ops mb_sequential_affinity_ops = {
	.name = "sequential-affinity",
	.wants = MB_POLICY_WANTS_POSITION | MB_POLICY_WANTS_IN_FLIGHT,
	.config_size = sizeof(struct sequential_affinity_config),
	.state_size = sizeof(struct sequential_affinity_state),
	.configure = sequential_affinity_configure,
	.set = sequential_affinity_set,
	.print_args = sequential_affinity_print_args,
	.select = sequential_affinity_select,
};
