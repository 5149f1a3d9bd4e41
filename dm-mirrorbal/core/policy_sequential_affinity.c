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

/* Streams recognised at once; with more readers the longest unused is forgotten. */
#define MAX_STREAMS 16
/* Reads in a row before something is called a stream. */
#define STREAM_LENGTH 3
/* A stream that had none of the last so many reads is over. */
#define STREAM_IDLE_READS 256
/* Concurrent readers of one file arrive slightly out of order. */
#define REORDER_SECTORS 2048
/* Possible beginnings of streams, hashed by where they would go on. */
#define BEGINNINGS_BITS 6

#define DEFAULT_WINDOW_SECTORS (16u << 11)	/* 16 MiB */
#define MAX_WINDOW_SECTORS (1u << 31)

struct sequential_affinity_config {
	u32 window_sectors;
};

struct stream {
	u64 next;	/* sector of the array at which it goes on */
	u64 window_end;	/* sector of the array at which its window ends */
	u64 last_use;	/* in reads of this state */
	u8 copy;
	u8 leg;		/* that served its last read */
};

struct beginning {
	u64 next;
	u8 length;	/* reads in a row, 0: free */
	u8 copy;
};

/*
 * Streams and beginnings are apart so that random reads, which all may be
 * beginnings, cost one look-up, and streams only as many as there are.
 */
struct sequential_affinity_state {
	u64 reads;	/* counts up: the clock of this policy */
	u32 nr_streams;
	struct stream streams[MAX_STREAMS];
	struct beginning beginnings[1 << BEGINNINGS_BITS];
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

static bool is_over(const struct sequential_affinity_state *memory, const struct stream *stream)
{
	return memory->reads - stream->last_use >= STREAM_IDLE_READS;
}

static void forget_streams_that_are_over(struct sequential_affinity_state *memory)
{
	u32 i = 0;

	while (i < memory->nr_streams) {
		if (is_over(memory, &memory->streams[i]))
			memory->streams[i] = memory->streams[--memory->nr_streams];
		else
			i++;
	}
}

/* The stream that this read continues, or NULL. */
static struct stream *find_stream(struct sequential_affinity_state *memory,
				  const struct mb_read *read)
{
	struct stream *found = NULL;
	u32 i;

	for (i = 0; i < memory->nr_streams; i++) {
		struct stream *stream = &memory->streams[i];

		if (stream->next == read->sector)
			return stream;
		if (read->sector + REORDER_SECTORS >= stream->next &&
		    read->sector <= stream->next + REORDER_SECTORS)
			found = stream;
	}
	return found;
}

static u32 streams_on_leg(const struct sequential_affinity_state *memory, u32 leg)
{
	u32 count = 0, i;

	for (i = 0; i < memory->nr_streams; i++)
		count += memory->streams[i].leg == leg;
	return count;
}

/*
 * What to compare, in one number: streams, then I/O in flight, then the way of
 * the head. Distances need 54 bits (MB_MAX_LENGTH), streams 5; so I/O in
 * flight counts up to 31 and is all the same beyond. @streams is NULL where
 * there are none.
 */
static __always_inline u64 load(const struct sequential_affinity_state *streams,
				const struct mb_read *read, const struct mb_place *candidate)
{
	u32 in_flight = mb_candidate_in_flight(read, candidate);
	u64 load = mb_candidate_distance(read, candidate);

	load |= (u64)(in_flight < 31 ? in_flight : 31) << 54;
	if (streams)
		load |= (u64)streams_on_leg(streams, candidate->leg) << 59;
	return load;
}

static __always_inline const struct mb_place *
least_loaded(const struct sequential_affinity_state *streams, const struct mb_read *read)
{
	const struct mb_place *candidate = read->candidates;
	const struct mb_place *end = candidate + read->nr_candidates;
	const struct mb_place *best = candidate;
	u64 least = load(streams, read, best);

	/* There are two at least. */
	candidate++;
	do {
		u64 this_load = load(streams, read, candidate);

		if (this_load < least) {
			least = this_load;
			best = candidate;
		}
	} while (++candidate < end);
	return best;
}

static noinline u32 least_used(const struct sequential_affinity_state *memory,
			       const struct mb_read *read)
{
	return least_loaded(memory, read) - read->candidates;
}

/* The candidate with this copy; where it cannot be read, as for a new stream. */
static u32 stay_on_copy(const struct sequential_affinity_state *memory, const struct mb_read *read,
			u32 copy)
{
	u32 i;

	for (i = 0; i < read->nr_candidates; i++)
		if (read->candidates[i].copy == copy)
			return i;
	return least_used(memory, read);
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

static u64 window_end(const struct sequential_affinity_config *settings, u64 sector)
{
	u32 window = settings->window_sectors;

	return window ? (div_u64(sector, window) + 1) * window : (u64)-1;
}

static u64 end_of(const struct mb_read *read)
{
	return read->sector + read->sectors;
}

static u32 continue_stream(const struct sequential_affinity_config *settings,
			   struct sequential_affinity_state *memory, struct stream *stream,
			   const struct mb_read *read)
{
	bool enters_window = read->sector >= stream->window_end;
	u32 choice;

	if (enters_window && memory->nr_streams == 1)
		choice = next_copy(read, stream->copy);
	else
		choice = stay_on_copy(memory, read, stream->copy);

	if (enters_window)
		stream->window_end = window_end(settings, read->sector);
	if (stream->next < end_of(read))
		stream->next = end_of(read);
	stream->last_use = memory->reads;
	stream->copy = read->candidates[choice].copy;
	stream->leg = read->candidates[choice].leg;
	return choice;
}

/* A free slot, else the one that was unused for longest. */
static struct stream *stream_slot(struct sequential_affinity_state *memory)
{
	struct stream *oldest = &memory->streams[0];
	u32 i;

	if (memory->nr_streams < MAX_STREAMS)
		return &memory->streams[memory->nr_streams++];
	for (i = 1; i < MAX_STREAMS; i++)
		if (memory->streams[i].last_use < oldest->last_use)
			oldest = &memory->streams[i];
	return oldest;
}

/* Now it is a stream: its beginnings were placed before it counted. */
static u32 start_stream(const struct sequential_affinity_config *settings,
			struct sequential_affinity_state *memory, const struct mb_read *read)
{
	u32 choice = least_used(memory, read);
	struct stream *stream = stream_slot(memory);

	stream->next = end_of(read);
	stream->window_end = window_end(settings, read->sector);
	stream->last_use = memory->reads;
	stream->copy = read->candidates[choice].copy;
	stream->leg = read->candidates[choice].leg;
	return choice;
}

static struct beginning *beginning_at(struct sequential_affinity_state *memory, u64 sector)
{
	/* Multiplying by 2^64 / golden ratio spreads neighbours (Knuth). */
	return &memory->beginnings[(sector * 0x9e3779b97f4a7c15ull) >> (64 - BEGINNINGS_BITS)];
}

static __always_inline void remember_beginning(struct sequential_affinity_state *memory,
					       const struct mb_read *read,
					       const struct mb_place *chosen, u32 length)
{
	u64 next = end_of(read);
	struct beginning *beginning = beginning_at(memory, next);

	beginning->next = next;
	beginning->length = length;
	beginning->copy = chosen->copy;
}

static noinline u32 extend_beginning(const struct sequential_affinity_config *settings,
				     struct sequential_affinity_state *memory,
				     struct beginning *beginning, const struct mb_read *read)
{
	u32 length = beginning->length + 1, choice;

	beginning->length = 0;
	if (length == STREAM_LENGTH)
		return start_stream(settings, memory, read);
	choice = stay_on_copy(memory, read, beginning->copy);
	remember_beginning(memory, read, &read->candidates[choice], length);
	return choice;
}

/* A read that continues no stream; @streams is NULL where there are none. */
static __always_inline u32 place_single(const struct sequential_affinity_config *settings,
					struct sequential_affinity_state *memory,
					const struct sequential_affinity_state *streams,
					const struct mb_read *read)
{
	struct beginning *beginning = beginning_at(memory, read->sector);
	const struct mb_place *chosen;

	if (unlikely(beginning->next == read->sector) && beginning->length)
		return extend_beginning(settings, memory, beginning, read);
	chosen = least_loaded(streams, read);
	remember_beginning(memory, read, chosen, 1);
	return chosen - read->candidates;
}

static noinline u32 select_beside_streams(const struct sequential_affinity_config *settings,
					  struct sequential_affinity_state *memory,
					  const struct mb_read *read)
{
	struct stream *stream;

	forget_streams_that_are_over(memory);
	stream = find_stream(memory, read);
	if (stream)
		return continue_stream(settings, memory, stream, read);
	return place_single(settings, memory, memory, read);
}

/* Reads that continue nothing are the ones that should cost little. */
static u32 sequential_affinity_select(const void *config, void *state, const struct mb_read *read)
{
	struct sequential_affinity_state *memory = state;

	memory->reads++;
	if (memory->nr_streams)
		return select_beside_streams(config, memory, read);
	return place_single(config, memory, NULL, read);
}

const struct mb_policy_ops mb_sequential_affinity_ops = {
	.name = "sequential-affinity",
	.wants = MB_POLICY_WANTS_IN_FLIGHT,
	.config_size = sizeof(struct sequential_affinity_config),
	.state_size = sizeof(struct sequential_affinity_state),
	.configure = sequential_affinity_configure,
	.set = sequential_affinity_set,
	.print_args = sequential_affinity_print_args,
	.select = sequential_affinity_select,
};
