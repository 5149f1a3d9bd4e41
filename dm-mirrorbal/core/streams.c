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
/* After so many windows in which only streams were read, several legs may work for one. */
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

/* The stream that a read there continues, or MB_MAX_STREAMS. */
static u32 find_stream(const struct mb_streams *streams, u64 sector)
{
	u32 found = MB_MAX_STREAMS, i;

	for (i = 0; i < streams->nr; i++) {
		if (streams->stream[i].next == sector)
			return i;
		if (is_near(&streams->stream[i], sector))
			found = i;
	}
	return found;
}

/* Streams on a leg, and on its side if that has legs of its own. */
static u32 count_streams(const struct mb_streams *streams, u32 leg, u32 side)
{
	u32 count = 0, i;

	for (i = 0; i < streams->nr; i++)
		count += streams->layout->sides_apart ? streams->stream[i].side == side :
			 streams->stream[i].leg == leg;
	return count;
}

u32 mb_streams_beside(const struct mb_streams *streams, const struct mb_place *candidate)
{
	return count_streams(streams, candidate->leg, mb_side(streams->layout, candidate));
}

/*
 * Sides are dealt out evenly among the streams, or streams among the sides if
 * they are more: where the share of the nth stream begins.
 */
static u32 share(const struct mb_streams *streams, u32 nth, u32 sides)
{
	return nth * sides / streams->nr;
}

static u32 sides_of(const struct mb_streams *streams, u32 nth, u32 sides)
{
	u32 width = share(streams, nth + 1, sides) - share(streams, nth, sides);

	return width ? width : 1;
}

/* Windows of the nth stream: larger where fewer sides are read at once. 0: there are none. */
static u32 own_window(const struct mb_streams *streams, u32 nth, u32 window, u32 sides)
{
	u64 own = div_u64((u64)window * sides, sides_of(streams, nth, sides));

	return own < (u32)-1 ? own : (u32)-1;
}

static u64 end_of_window(u32 window, u64 sector)
{
	return window ? (div_u64(sector, window) + 1) * window : (u64)-1;
}

/* A stream leaves a window: were only streams read meanwhile? */
static void judge_window(const struct mb_streams *streams, struct mb_stream *stream)
{
	u64 singles = streams->singles - stream->window_singles;

	if (!singles)
		stream->calm += stream->calm < MOST_CALM;
	else
		stream->calm = singles == 1 && stream->calm > FORGIVEN ?
			       stream->calm - FORGIVEN : 0;
}

static void enter_window(const struct mb_streams *streams, struct mb_stream *stream, u32 window,
			 const struct mb_read *read)
{
	u32 own = own_window(streams, stream - streams->stream, window, read->nr_candidates);

	stream->window_end = end_of_window(own, read->sector);
	stream->window_singles = streams->singles;
	/* What was long once need not be now. */
	stream->pause_ms -= stream->pause_ms / 8;
}

/* All that is read is streams, and there are enough sides: the nth stream has several. */
static bool is_handed_over(const struct mb_streams *streams, u32 nth, u32 sides)
{
	return streams->stream[nth].calm >= CALM && sides_of(streams, nth, sides) > 1;
}

bool mb_streams_continues(const struct mb_streams *streams, const struct mb_read *read)
{
	return find_stream(streams, read->sector) != MB_MAX_STREAMS;
}

u32 mb_streams_cut(const struct mb_streams *streams, u32 window, const struct mb_read *read)
{
	u32 nth = find_stream(streams, read->sector);
	u32 own;
	u64 rest;

	if (nth == MB_MAX_STREAMS || !is_handed_over(streams, nth, read->nr_candidates))
		return read->sectors;
	own = own_window(streams, nth, window, read->nr_candidates);
	/* Small ones go whole: of their pieces a drive might serve the second first. */
	if (read->sectors <= own / 2)
		return read->sectors;
	rest = end_of_window(own, read->sector) - read->sector;
	return read->sectors < rest ? read->sectors : rest;
}

static u32 readable_sides(const struct mb_streams *streams, const struct mb_read *read)
{
	u32 sides = 0, i;

	for (i = 0; i < read->nr_candidates; i++)
		sides |= 1u << mb_side(streams->layout, &read->candidates[i]);
	return sides;
}

/* The next of a stream's share of the sides that can be read, around. */
static u32 next_of_its_own(const struct mb_streams *streams, const struct mb_stream *stream,
			   const struct mb_read *read)
{
	u32 nth = stream - streams->stream;
	u32 first = share(streams, nth, read->nr_candidates);
	u32 end = share(streams, nth + 1, read->nr_candidates);
	u32 readable = readable_sides(streams, read), lowest = MB_MAX_LEGS, rank = 0, side;

	for (side = 0; rank < end; side++) {
		if (!(readable & 1u << side))
			continue;
		if (rank++ < first)
			continue;
		if (side > stream->side)
			return side;
		if (lowest == MB_MAX_LEGS)
			lowest = side;
	}
	return lowest;
}

/* The stream's side; or that of the leg with the fewest streams, if its own has more to do. */
static u32 side_that_stays(const struct mb_streams *streams, const struct mb_stream *stream,
			   const struct mb_read *read)
{
	u32 fewest = count_streams(streams, stream->leg, stream->side), side = stream->side, i;

	for (i = 0; i < read->nr_candidates; i++) {
		u32 there = mb_streams_beside(streams, &read->candidates[i]) + 1;

		if (there < fewest) {
			fewest = there;
			side = mb_side(streams->layout, &read->candidates[i]);
		}
	}
	return side;
}

/* The side with which a stream goes on. */
static u32 continue_stream(const struct mb_streams *streams, struct mb_stream *stream, u32 window,
			   const struct mb_read *read)
{
	if (read->sector < stream->window_end)
		return stream->side;
	judge_window(streams, stream);
	enter_window(streams, stream, window, read);
	if (is_handed_over(streams, stream - streams->stream, read->nr_candidates))
		return next_of_its_own(streams, stream, read);
	return side_that_stays(streams, stream, read);
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
	enter_window(streams, stream, window, read);
	stream->calm = MOST_CALM;
	stream->pause_ms = FIRST_PAUSE_MS;
	/* It is no load on any leg yet. */
	stream->leg = MB_MAX_LEGS;
	stream->side = MB_MAX_LEGS;
	return stream;
}

/* The side that served what ends before @sector. */
static u32 side_before(const struct mb_streams *streams, u64 sector, u32 leg)
{
	struct mb_place places[MB_MAX_LEGS];
	u32 copy = 0;

	mb_layout_map(streams->layout, sector - 1, places);
	while (places[copy].leg != leg && copy + 1 < streams->layout->shape.copies)
		copy++;
	return mb_side(streams->layout, &places[copy]);
}

static struct mb_stream_read extend_beginning(struct mb_streams *streams,
					      struct mb_beginning *beginning, u32 window,
					      const struct mb_read *read)
{
	struct mb_stream_read found = {
		.length = beginning->length + 1,
		.side = side_before(streams, read->sector, beginning->leg),
	};

	beginning->length = 0;
	if (found.length == STREAM_LENGTH) {
		found.stream = start_stream(streams, window, read);
		found.side = MB_ANY_SIDE;
	}
	return found;
}

noinline struct mb_stream_read mb_streams_look_closer(struct mb_streams *streams, u32 window,
						      const struct mb_read *read)
{
	struct mb_stream_read found = { .length = 1, .side = MB_ANY_SIDE };
	struct mb_beginning *beginning;
	u32 nth;

	forget_streams_that_are_over(streams, read->ms);
	nth = find_stream(streams, read->sector);
	if (nth < MB_MAX_STREAMS) {
		found.stream = &streams->stream[nth];
		found.side = continue_stream(streams, found.stream, window, read);
		return found;
	}
	beginning = mb_beginning_at(streams, read->sector);
	if (beginning->next == read->sector && beginning->length)
		return extend_beginning(streams, beginning, window, read);
	return found;
}

struct mb_stream_read mb_streams_look_up_rest(struct mb_streams *streams,
					      const struct mb_read *read)
{
	struct mb_beginning *beginning = mb_beginning_at(streams, read->sector);
	struct mb_stream_read found = { .length = 1, .side = MB_ANY_SIDE };

	if (beginning->next == read->sector && beginning->length) {
		found.length = beginning->length;
		beginning->length = 0;
	}
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
	stream->side = mb_side(streams->layout, chosen);
	stream->leg = chosen->leg;
}
