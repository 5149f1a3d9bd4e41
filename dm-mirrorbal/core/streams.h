/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams: reads of which each continues where the last one ended. A stream
 * stays on its side of the array (layout.h), so that every head has one place to
 * read from and each drive's own read-ahead works. Where there are more sides than
 * streams, and nobody else reads, each stream has several and is handed to the
 * next of them each time it enters another window of the address space: a reader
 * whose read-ahead spans several windows then keeps several sides reading at once.
 * Beside other reads it stays where it is: they have the other legs.
 *
 * A stream keeps a side, not a leg: the next chunk lies on another leg of the same
 * side. Reads that continue nothing are remembered as possible beginnings of a
 * stream.
 *
 * For a policy: mb_streams_look_up() says whether the streams want a side; if
 * they do not care, the policy chooses; mb_streams_note() takes in what was
 * chosen. The same locking as the policy's state, of which this is a part.
 */
#ifndef MB_STREAMS_H
#define MB_STREAMS_H

#include "policy.h"

/* Streams recognised at once; with more readers the longest unused is forgotten. */
#define MB_MAX_STREAMS 16
/* Possible beginnings of streams, hashed by where they would go on. */
#define MB_BEGINNINGS_BITS 6

/* Any candidate will do. */
#define MB_ANY_SIDE (-1)

struct mb_stream {
	u64 next;	/* sector of the array at which it goes on */
	u64 window_end;	/* sector of the array at which its window ends */
	u64 last_use;	/* in reads */
	u64 window_singles;	/* singles when it entered its window */
	u32 last_use_ms;
	u32 pause_ms;		/* the longest between two of its reads, not long ago */
	u8 calm;		/* windows in which only streams were read, more or less */
	u8 side;
	u8 leg;		/* that served its last read */
};

struct mb_beginning {
	u64 next;
	u8 length;	/* reads in a row, 0: free */
	u8 leg;		/* that served the last one; its side is looked up if there is a next */
};

/*
 * Streams and beginnings are apart so that random reads, which all may be
 * beginnings, cost one look-up, and streams only as many as there are.
 */
struct mb_streams {
	const struct mb_layout *layout;	/* of the array, which lives longer */
	u64 reads;	/* counts up: a clock by which streams end, besides the one on the wall */
	u64 singles;	/* reads of no stream, counts up */
	u32 nr;
	struct mb_stream stream[MB_MAX_STREAMS];
	struct mb_beginning beginnings[1 << MB_BEGINNINGS_BITS];
};

/*
 * What a read turned out to be, between look-up and note. Handed on by value, in
 * two registers: on the stack it would cost each read a canary.
 */
struct mb_stream_read {
	struct mb_stream *stream;	/* NULL: part of none */
	u32 length;			/* of what may become a stream, with this read */
	s32 side;			/* that it should be served by, or MB_ANY_SIDE */
};

/**
 * mb_streams_init - nothing is remembered
 * @streams: zeroes
 * @layout: of the array; must live longer
 *
 * Context: any.
 */
static inline void mb_streams_init(struct mb_streams *streams, const struct mb_layout *layout)
{
	streams->layout = layout;
}

static __always_inline struct mb_beginning *mb_beginning_at(struct mb_streams *streams, u64 sector)
{
	/* Multiplying by 2^64 / golden ratio spreads neighbours (Knuth). */
	return &streams->beginnings[(sector * 0x9e3779b97f4a7c15ull) >> (64 - MB_BEGINNINGS_BITS)];
}

/* For mb_streams_look_up(): where there are streams, or a beginning fits. */
struct mb_stream_read mb_streams_look_closer(struct mb_streams *streams, u32 window,
					     const struct mb_read *read);

/**
 * mb_streams_look_up - is a read part of a stream, or the beginning of one?
 * @streams: what is remembered
 * @window: sectors after which a stream is handed over; 0: never
 * @read: the read
 *
 * Reads that continue nothing are the ones that should cost little.
 *
 * Context: as the policy's select().
 */
static __always_inline struct mb_stream_read
mb_streams_look_up(struct mb_streams *streams, u32 window, const struct mb_read *read)
{
	struct mb_beginning *beginning = mb_beginning_at(streams, read->sector);

	if (unlikely(streams->nr || (beginning->next == read->sector && beginning->length)))
		return mb_streams_look_closer(streams, window, read);
	return (struct mb_stream_read){ .length = 1, .side = MB_ANY_SIDE };
}

/**
 * mb_streams_look_up_rest - the same for a part of a read, but for its first
 * @streams: what is remembered
 * @read: the part, which continues no stream
 *
 * Parts of one read are not several in a row.
 *
 * Context: as the policy's select().
 */
struct mb_stream_read mb_streams_look_up_rest(struct mb_streams *streams,
					      const struct mb_read *read);

/* For mb_streams_note(): a read of a stream. */
void mb_streams_note_stream(struct mb_streams *streams, struct mb_stream *stream,
			    const struct mb_read *read, const struct mb_place *chosen);

/**
 * mb_streams_note - remember where a read went
 * @streams: what is remembered
 * @found: what mb_streams_look_up() has said of it
 * @read: the read
 * @chosen: one of its candidates
 *
 * Context: as the policy's select().
 */
static __always_inline void mb_streams_note(struct mb_streams *streams,
					    struct mb_stream_read found,
					    const struct mb_read *read,
					    const struct mb_place *chosen)
{
	struct mb_beginning *beginning;
	u64 next;

	streams->reads++;
	if (found.stream) {
		mb_streams_note_stream(streams, found.stream, read, chosen);
		return;
	}
	streams->singles++;
	next = read->sector + read->sectors;
	beginning = mb_beginning_at(streams, next);
	beginning->next = next;
	beginning->length = found.length;
	beginning->leg = chosen->leg;
}

/**
 * mb_streams_cut - how much of a read may go to one leg
 * @streams: what is remembered
 * @window: as for mb_streams_look_up()
 * @read: the read
 *
 * Only large reads of a stream that is about to be handed over are cut, at its
 * windows: a drive may serve the pieces in any order.
 *
 * Context: as the policy's select().
 * Return: sectors, at least 1.
 */
u32 mb_streams_cut(const struct mb_streams *streams, u32 window, const struct mb_read *read);

/* Does a read continue a stream? Context: as the policy's select(). */
bool mb_streams_continues(const struct mb_streams *streams, const struct mb_read *read);

/**
 * mb_streams_beside - how many streams a read would meet
 * @streams: what is remembered
 * @candidate: where it would go
 *
 * A stream that keeps to a side has all legs of it in turn.
 *
 * Context: as the policy's select().
 * Return: streams that were last served by the candidate's side, or by its leg
 * where sides share legs.
 */
u32 mb_streams_beside(const struct mb_streams *streams, const struct mb_place *candidate);

#endif /* MB_STREAMS_H */
