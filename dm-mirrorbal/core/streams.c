// SPDX-License-Identifier: GPL-2.0-only
#include "streams.h"

/* Reads in a row before something is called a stream. */
#define STREAM_LENGTH 3
/* A stream that pauses for several times as long as it used to, and so long more, is over. */
#define PAUSES 4
#define LONGER_MS 20
/* As long as little is known: what a reader takes for what it has read ahead. */
#define FIRST_PAUSE_MS 60
#define LONGEST_PAUSE_MS 1000
/* Where time is not told, one that had none of the last so many reads is over. */
#define STREAM_IDLE_READS 256
/* After so many windows in which nobody else read, all legs may work for a stream. */
#define CALM 8
#define MOST_CALM 16
/* A filesystem looks things up now and then: one read of another is forgiven. */
#define FORGIVEN 4
/* Concurrent readers of one file arrive slightly out of order. */
#define REORDER_SECTORS 2048

static bool is_over(const struct mb_streams *streams, const struct mb_stream *stream, u32 ms)
{
	if (!ms)
		return streams->reads - stream->last_use >= STREAM_IDLE_READS;
	return ms - stream->last_use_ms > stream->pause_ms * PAUSES + LONGER_MS;
}

static void forget_streams_that_are_over(struct mb_streams *streams, u32 ms)
{
	u32 i = 0;

	while (i < streams->nr) {
		if (is_over(streams, &streams->stream[i], ms))
			streams->stream[i] = streams->stream[--streams->nr];
		else
			i++;
	}
}

static bool is_near(const struct mb_stream *stream, u64 sector)
{
	return sector + REORDER_SECTORS >= stream->next &&
	       sector <= stream->next + REORDER_SECTORS;
}

/* The stream that this read continues, or NULL. */
static struct mb_stream *find_stream(struct mb_streams *streams, const struct mb_read *read)
{
	struct mb_stream *found = NULL;
	u32 i;

	for (i = 0; i < streams->nr; i++) {
		struct mb_stream *stream = &streams->stream[i];

		if (stream->next == read->sector)
			return stream;
		if (is_near(stream, read->sector))
			found = stream;
	}
	return found;
}

u32 mb_streams_on_leg(const struct mb_streams *streams, u32 leg)
{
	u32 count = 0, i;

	for (i = 0; i < streams->nr; i++)
		count += streams->stream[i].leg == leg;
	return count;
}

u32 mb_streams_candidate(const struct mb_read *read, u32 copy)
{
	u32 i;

	for (i = 0; i < read->nr_candidates; i++)
		if (read->candidates[i].copy == copy)
			break;
	return i;
}

/* The next copy that can be read, after @copy, around. */
static u32 next_copy(const struct mb_read *read, u32 copy)
{
	u32 i;

	for (i = 0; i < read->nr_candidates; i++)
		if (read->candidates[i].copy > copy)
			return read->candidates[i].copy;
	return read->candidates[0].copy;
}

static u64 window_end(u32 window, u64 sector)
{
	return window ? (div_u64(sector, window) + 1) * window : (u64)-1;
}

/* Reads that were not this stream's since it entered its window. */
static u64 others_in_window(const struct mb_streams *streams, const struct mb_stream *stream)
{
	return streams->reads - stream->window_began - stream->window_reads;
}

/* A stream leaves a window: was it alone there? */
static void judge_window(const struct mb_streams *streams, struct mb_stream *stream)
{
	u64 others = others_in_window(streams, stream);

	if (!others)
		stream->calm += stream->calm < MOST_CALM;
	else
		stream->calm = others == 1 && stream->calm > FORGIVEN ?
			       stream->calm - FORGIVEN : 0;
}

static void enter_window(const struct mb_streams *streams, struct mb_stream *stream, u32 window,
			 u64 sector)
{
	stream->window_end = window_end(window, sector);
	stream->window_began = streams->reads;
	stream->window_reads = 0;
	/* What was long once need not be now. */
	stream->pause_ms -= stream->pause_ms / 8;
}

/* Nobody else reads: all legs may work for this stream. */
static bool is_alone(const struct mb_streams *streams, const struct mb_stream *stream)
{
	return streams->nr == 1 && stream->calm >= CALM;
}

u32 mb_streams_cut(const struct mb_streams *streams, u32 window, u64 sector, u32 sectors)
{
	const struct mb_stream *stream = &streams->stream[0];
	u64 rest;

	if (!window || streams->nr != 1 || !is_near(stream, sector) || !is_alone(streams, stream))
		return sectors;
	rest = window_end(window, sector) - sector;
	return sectors < rest ? sectors : rest;
}

/* The stream's copy; or one on a leg without a stream, if it shares its own. */
static u32 copy_of_its_own(const struct mb_streams *streams, const struct mb_stream *stream,
			   const struct mb_read *read)
{
	u32 i;

	if (mb_streams_on_leg(streams, stream->leg) < 2)
		return stream->copy;
	for (i = 0; i < read->nr_candidates; i++)
		if (!mb_streams_on_leg(streams, read->candidates[i].leg))
			return read->candidates[i].copy;
	return stream->copy;
}

/* The copy with which a stream goes on. */
static u32 continue_stream(const struct mb_streams *streams, struct mb_stream *stream, u32 window,
			   const struct mb_read *read)
{
	if (read->sector < stream->window_end)
		return stream->copy;
	judge_window(streams, stream);
	enter_window(streams, stream, window, read->sector);
	return is_alone(streams, stream) ? next_copy(read, stream->copy) :
	       copy_of_its_own(streams, stream, read);
}

/* A free slot, else the one that was unused for longest. */
static struct mb_stream *stream_slot(struct mb_streams *streams)
{
	struct mb_stream *oldest = &streams->stream[0];
	u32 i;

	if (streams->nr < MB_MAX_STREAMS)
		return &streams->stream[streams->nr++];
	for (i = 1; i < MB_MAX_STREAMS; i++)
		if (streams->stream[i].last_use < oldest->last_use)
			oldest = &streams->stream[i];
	return oldest;
}

/* Now it is a stream: its beginnings were placed before it counted, so it may go anywhere. */
static struct mb_stream *start_stream(struct mb_streams *streams, u32 window,
				      const struct mb_read *read)
{
	struct mb_stream *stream = stream_slot(streams);

	stream->next = read->sector;
	stream->last_use_ms = read->ms;
	enter_window(streams, stream, window, read->sector);
	stream->calm = MOST_CALM;
	stream->pause_ms = FIRST_PAUSE_MS;
	/* It is no load on any leg yet. */
	stream->leg = MB_MAX_LEGS;
	return stream;
}

static struct mb_stream_read extend_beginning(struct mb_streams *streams,
					      struct mb_beginning *beginning, u32 window,
					      const struct mb_read *read)
{
	struct mb_stream_read found = {
		.length = beginning->length + 1,
		.copy = beginning->copy,
	};

	beginning->length = 0;
	if (found.length == STREAM_LENGTH) {
		found.stream = start_stream(streams, window, read);
		found.copy = MB_ANY_COPY;
	}
	return found;
}

noinline struct mb_stream_read mb_streams_look_closer(struct mb_streams *streams, u32 window,
						      const struct mb_read *read)
{
	struct mb_stream_read found = { .length = 1, .copy = MB_ANY_COPY };
	struct mb_beginning *beginning;

	forget_streams_that_are_over(streams, read->ms);
	found.stream = find_stream(streams, read);
	if (found.stream) {
		found.copy = continue_stream(streams, found.stream, window, read);
		return found;
	}
	beginning = mb_beginning_at(streams, read->sector);
	if (beginning->next == read->sector && beginning->length)
		return extend_beginning(streams, beginning, window, read);
	return found;
}

static void note_use(const struct mb_streams *streams, struct mb_stream *stream, u32 ms)
{
	u32 pause = ms - stream->last_use_ms;

	if (pause > stream->pause_ms)
		stream->pause_ms = pause < LONGEST_PAUSE_MS ? pause : LONGEST_PAUSE_MS;
	stream->last_use = streams->reads;
	stream->last_use_ms = ms;
}

noinline void mb_streams_note_stream(struct mb_streams *streams, struct mb_stream *stream,
				     const struct mb_read *read, const struct mb_place *chosen)
{
	u64 next = read->sector + read->sectors;

	/* Reads that are near by chance must not keep alive what has ended. */
	if (read->sector == stream->next)
		note_use(streams, stream, read->ms);
	if (stream->next < next)
		stream->next = next;
	stream->window_reads++;
	stream->copy = chosen->copy;
	stream->leg = chosen->leg;
}
