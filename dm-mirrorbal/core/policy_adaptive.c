// SPDX-License-Identifier: GPL-2.0-only
/*
 * adaptive [<window sectors>]: the candidate that would finish this read first.
 *
 * What a read costs on each leg has been learned: by the core where nothing
 * moves, else here (experience.h). A leg with heads that is busy is waited for:
 *
 *   - for less than half a read, since the one being served is half done on
 *     average;
 *   - for little more if more is queued: a drive with a queue takes what lies on
 *     its way, so that a longer one makes each read cheaper;
 *   - in full, if reads in its queue take several times as long as elsewhere.
 *
 * The way of a head is measured from where the leg's last read ended. In which
 * order a drive serves a queue is not known; there the way is measured from the
 * middle of what the leg was given lately. So each leg keeps to a part of the
 * address space, without boundaries that would have to be moved (it is k-means
 * on line).
 *
 * Streams are recognised as by sequential-affinity, and single reads keep off
 * the legs that serve them. Large reads are shared out among idle heads
 * (fan_out.h). A leg that has not been chosen for long is tried when
 * reads elsewhere have taken many times as long as one there would: so it is
 * noticed when a leg gets better, and trying costs a fixed share of the time.
 */
#include "experience.h"
#include "fan_out.h"
#include "streams.h"
#include "window.h"

/* A leg is tried when reads elsewhere have taken so many times what one there would. */
#define TRY_AFTER 64
/* A leg's middle moves by so much of the way to each of its reads: 1/16. */
#define MIDDLE_SHIFT 4
/* With so many reads in flight for each candidate only the middle counts. */
#define DEEP 2
/* Legs are apart if what they serve alone takes twice as long, or in queues four times. */
#define ALONE_APART(best) ((best) * 2)
#define QUEUED_APART(best) ((best) * 4)
/*
 * Beside writes, when they are so much of what is in flight on average, in 1/256.
 * A drive that takes what is near would serve the reads of its own part and let
 * the writes wait, which go to all legs and everywhere.
 */
#define BESIDE_WRITES 24
#define MANY_WRITES 112
/* In flight for each candidate: */
#define LONG_QUEUES 4
#define WRITES_SHIFT 6
/* Larger reads do not tell what a head's way costs. */
#define SAMPLE_SECTORS 256
/* Where a stream is served, a read is as bad as so many. */
#define STREAM_READS 8

struct adaptive_leg {
	struct mb_experience experience;
	bool apart;		/* not about as good as the best of its kind: small differences are chance */
	bool was_alone;		/* the last read found nothing in flight */
	bool way_known;		/* so did the one before it, whose end is where the head was */
	u64 middle;		/* sector: of what it was given lately */
	u64 passed_over;	/* what reads elsewhere have taken since its last one */
};

struct adaptive_state {
	bool rotational;		/* some leg is */
	enum mb_layout_kind layout;
	u32 part_sectors_shift;		/* a leg has up to MB_PARTS parts of 2^this sectors */
	u32 turn[MB_MAX_LEGS];		/* by first_leg: which of equals is next */
	u32 nr_legs;
	u32 written;			/* part of writes in flight, 1/65536, moving average */
	/* By kind, solid and with heads: */
	u32 best_queued[2];		/* us */
	struct mb_experience together[2];	/* of all legs about as good as the best */
	struct adaptive_leg legs[MB_MAX_LEGS];
	struct mb_streams streams;
	struct mb_fan_out fan_out;
};

static int adaptive_configure(void *config, const struct mb_layout *layout, u32 argc, char **argv,
			      struct mb_error *error)
{
	return mb_window_configure("adaptive", config, layout, argc, argv, error);
}

static int adaptive_set(void *config, const char *key, const char *value, struct mb_error *error)
{
	return mb_window_set("adaptive", config, key, value, error);
}

static u32 adaptive_print_args(const void *config, char *text, size_t size)
{
	return mb_window_print(config, text, size);
}

static u32 adaptive_window(const void *config)
{
	const struct mb_window *window = config;

	return window->sectors;
}

static u32 kind_of(const struct adaptive_leg *leg)
{
	return leg->experience.rotational;
}

static bool is_slow_in_queues(const struct adaptive_state *memory, const struct adaptive_leg *leg)
{
	return leg->experience.queued > QUEUED_APART((u64)memory->best_queued[kind_of(leg)]);
}

static void tell_apart(struct adaptive_state *memory)
{
	u32 best_alone[2] = { (u32)-1, (u32)-1 }, i;

	memory->best_queued[0] = memory->best_queued[1] = (u32)-1;
	for (i = 0; i < memory->nr_legs; i++) {
		const struct adaptive_leg *leg = &memory->legs[i];
		u32 *alone = &best_alone[kind_of(leg)];
		u32 *queued = &memory->best_queued[kind_of(leg)];

		if (leg->experience.alone < *alone)
			*alone = leg->experience.alone;
		if (leg->experience.queued && leg->experience.queued < *queued)
			*queued = leg->experience.queued;
	}
	for (i = 0; i < memory->nr_legs; i++) {
		struct adaptive_leg *leg = &memory->legs[i];

		leg->apart = leg->experience.alone > ALONE_APART((u64)best_alone[kind_of(leg)]) ||
			     is_slow_in_queues(memory, leg);
	}
}

static void adaptive_init_state(const void *config, const struct mb_policy_array *array,
				void *state)
{
	struct adaptive_state *memory = state;
	u64 leg_sectors = 0;
	u32 leg;

	for (leg = 0; leg < array->layout->shape.legs; leg++) {
		u64 sectors = mb_layout_leg_sectors(array->layout, leg);
		bool rotational = array->rotational_legs & 1u << leg;

		mb_experience_init(&memory->legs[leg].experience, rotational);
		if (leg_sectors < sectors)
			leg_sectors = sectors;
	}
	memory->rotational = array->rotational_legs;
	memory->layout = array->layout->shape.kind;
	mb_streams_init(&memory->streams, array->layout);
	memory->nr_legs = array->layout->shape.legs;
	mb_experience_init(&memory->together[0], false);
	mb_experience_init(&memory->together[1], true);
	tell_apart(memory);
	while (leg_sectors >> memory->part_sectors_shift >= MB_PARTS)
		memory->part_sectors_shift++;
}

/* Non-rotational legs: the latency, and half as much for each read beyond what the leg serves at once. */
static __always_inline u64 solid_cost(const struct mb_leg_view *view)
{
	u32 in_flight = mb_view_in_flight(view);
	u64 cost = view->latency;

	if (in_flight >= view->at_once)
		cost += (u64)view->latency * (in_flight - view->at_once + 1) / 2;
	return cost << 16 | (in_flight < 0xffff ? in_flight : 0xffff);
}

/* A leg whose turn has come though it is not the best, or nr_candidates. */
static noinline u32 solid_to_try(struct adaptive_state *memory, const struct mb_read *read,
				 u32 best)
{
	const struct mb_leg_view *views = read->views;
	u32 latency = views[read->candidates[best].leg].latency, i;

	memory->legs[read->candidates[best].leg].passed_over = 0;
	for (i = 0; i < read->nr_candidates; i++) {
		struct adaptive_leg *leg = &memory->legs[read->candidates[i].leg];

		if (i == best)
			continue;
		leg->passed_over += latency;
		if (leg->passed_over > (u64)TRY_AFTER * views[read->candidates[i].leg].latency) {
			leg->passed_over = 0;
			return i;
		}
	}
	return best;
}

static u32 select_solid(struct adaptive_state *memory, const struct mb_read *read)
{
	u32 *turn = &memory->turn[read->first_leg];
	const struct mb_leg_view *views = read->views;
	u32 i, best, at;
	bool apart;
	u64 cost, least;

	if (*turn >= read->nr_candidates)
		*turn = 0;
	best = at = *turn;
	apart = views[read->candidates[at].leg].apart;
	least = solid_cost(&views[read->candidates[at].leg]);
	for (i = 1; i < read->nr_candidates; i++) {
		const struct mb_leg_view *view;

		if (++at == read->nr_candidates)
			at = 0;
		view = &views[read->candidates[at].leg];
		apart |= view->apart;
		cost = solid_cost(view);
		if (cost < least) {
			least = cost;
			best = at;
		}
	}
	*turn = best + 1;
	if (unlikely(apart))
		return solid_to_try(memory, read, best);
	return best;
}

static u32 parts(const struct adaptive_state *memory, u64 from, u64 to)
{
	return (from > to ? from - to : to - from) >> memory->part_sectors_shift;
}

/* us to wait until a leg with so much in flight takes a read. */
static u32 wait_us(const struct mb_experience *experience, u32 in_flight)
{
	if (!in_flight)
		return 0;
	/* Two fifths of a read, and a sixteenth for each doubling of the queue. */
	return (u64)experience->alone * (102 + mb_log2_in_16ths(in_flight)) / 256;
}

static u32 in_flight_of_all(const struct mb_read *read)
{
	u32 sum = 0, i;

	for (i = 0; i < read->nr_candidates; i++)
		sum += mb_candidate_in_flight(read, &read->candidates[i]);
	return sum;
}

/* The way of the head in parts, from its last read and from its middle, as depth has it. */
static u32 way(const struct adaptive_state *memory, const struct mb_read *read,
	       const struct mb_place *candidate, u32 in_flight)
{
	u32 deep = DEEP * read->nr_candidates;
	u32 from_end = parts(memory, read->views[candidate->leg].last_end, candidate->sector);
	u32 from_middle = parts(memory, memory->legs[candidate->leg].middle, candidate->sector);

	if (in_flight >= deep)
		return from_middle;
	return (from_end * (deep - in_flight) + from_middle * in_flight) / deep;
}

/* us until a candidate would have done the read. */
static u64 cost_us(const struct adaptive_state *memory, const struct mb_read *read,
		   const struct mb_place *candidate, u32 in_flight_of_all)
{
	const struct adaptive_leg *leg = &memory->legs[candidate->leg];
	const struct mb_experience *experience = leg->apart ? &leg->experience :
		&memory->together[kind_of(leg)];
	u32 in_flight = mb_candidate_in_flight(read, candidate);
	u64 cost = mb_experience_cost(experience, way(memory, read, candidate, in_flight_of_all)) +
		   wait_us(experience, in_flight);

	if (is_slow_in_queues(memory, leg))
		cost += (u64)leg->experience.queued * in_flight;
	if (memory->streams.nr)
		cost += (u64)mb_streams_beside(&memory->streams, candidate) *
			STREAM_READS * experience->alone;
	return cost;
}

static void note_writes(struct adaptive_state *memory, const struct mb_read *read, u32 in_flight)
{
	u32 writes = 0, i;

	for (i = 0; i < read->nr_candidates; i++)
		writes += read->views[read->candidates[i].leg].writes_in_flight;
	if (in_flight)
		memory->written += (s32)(writes * 65536ull / in_flight - memory->written) /
				   (1 << WRITES_SHIFT);
}

/* The shortest queue if many writes wait in long ones; else the nearest head, idle legs first. */
static u32 select_beside_writes(struct adaptive_state *memory, const struct mb_read *read,
				u32 in_flight)
{
	if (memory->written < MANY_WRITES << 8 || in_flight < LONG_QUEUES * read->nr_candidates)
		return mb_nearest_head(read);
	return mb_shortest_queue(&memory->turn[read->first_leg], read);
}

/* Are legs alike, so that only their queues matter? */
static bool none_is_apart(const struct adaptive_state *memory, const struct mb_read *read)
{
	const struct adaptive_leg *legs = memory->legs;
	u32 kind = kind_of(&legs[read->candidates[0].leg]), i;

	for (i = 0; i < read->nr_candidates; i++) {
		const struct adaptive_leg *leg = &legs[read->candidates[i].leg];

		if (leg->apart || kind_of(leg) != kind ||
		    mb_streams_beside(&memory->streams, &read->candidates[i]))
			return false;
	}
	return true;
}

static u32 select_by_cost(struct adaptive_state *memory, const struct mb_read *read)
{
	u32 in_flight = in_flight_of_all(read);
	u64 cost[MB_MAX_LEGS];
	u32 best = 0, i;

	note_writes(memory, read, in_flight);
	if (memory->written > BESIDE_WRITES << 8 && none_is_apart(memory, read))
		return select_beside_writes(memory, read, in_flight);
	for (i = 0; i < read->nr_candidates; i++) {
		cost[i] = cost_us(memory, read, &read->candidates[i], in_flight);
		if (cost[i] < cost[best])
			best = i;
	}
	for (i = 0; i < read->nr_candidates; i++) {
		struct adaptive_leg *leg = &memory->legs[read->candidates[i].leg];

		leg->passed_over += cost[best];
		if (i != best && leg->passed_over > TRY_AFTER * cost[i]) {
			best = i;
			break;
		}
	}
	return best;
}

/*
 * Is a stream to keep its side, or those that it has as its share? Yes where each
 * side has legs of its own, and where one side alone is in sequence on all legs.
 * Else the head that is nearest is the better choice (by the simulator, up to
 * eight readers).
 */
static bool keeps_side(const struct adaptive_state *memory)
{
	switch (memory->layout) {
	case MB_LAYOUT_FAR:
		return true;
	case MB_LAYOUT_OFFSET:
		return memory->streams.layout->sides_apart || memory->streams.nr == 1;
	default:
		return memory->streams.layout->sides_apart;
	}
}

/* A read of a stream; @side as mb_streams_look_up() has said. May be nr_candidates. */
static u32 select_for_stream(const struct adaptive_state *memory, const struct mb_read *read,
			     s32 side)
{
	if (!keeps_side(memory))
		return mb_nearest_head(read);
	if (side != MB_ANY_SIDE)
		return mb_side_candidate(memory->streams.layout, read, side);
	/* Where all legs are on each side, the first copy lies furthest out. */
	return memory->streams.layout->sides_apart ? read->nr_candidates : 0;
}

/* What is left of a read that is being shared out, unless it has turned out to be a stream? */
static bool is_rest(const struct adaptive_state *memory, const struct mb_read *read)
{
	return mb_fan_out_is_rest(&memory->fan_out, read->sector) &&
	       !mb_streams_continues(&memory->streams, read);
}

/* A part of a read that is shared out among idle legs; nr_candidates if none is left. */
static u32 select_for_part(struct adaptive_state *memory, const struct mb_read *read)
{
	u32 best = read->nr_candidates, i;
	u64 least = (u64)-1;

	mb_fan_out_take(&memory->fan_out, read->sectors);
	for (i = 0; i < read->nr_candidates; i++) {
		u64 cost;

		if (mb_candidate_in_flight(read, &read->candidates[i]))
			continue;
		cost = cost_us(memory, read, &read->candidates[i], 0);
		if (cost < least) {
			least = cost;
			best = i;
		}
	}
	return best;
}

static u32 select_with_heads(const struct mb_window *window,
			     struct adaptive_state *memory, const struct mb_read *read)
{
	u32 choice = read->nr_candidates;
	const struct mb_place *chosen;
	struct mb_stream_read found;
	struct adaptive_leg *leg;

	if (is_rest(memory, read)) {
		found = mb_streams_look_up_rest(&memory->streams, read);
		choice = select_for_part(memory, read);
	} else {
		found = mb_streams_look_up(&memory->streams, window->sectors, read);
		if (found.stream || found.side != MB_ANY_SIDE)
			choice = select_for_stream(memory, read, found.side);
	}
	if (choice == read->nr_candidates)
		choice = select_by_cost(memory, read);
	chosen = &read->candidates[choice];
	mb_streams_note(&memory->streams, found, read, chosen);

	leg = &memory->legs[chosen->leg];
	leg->passed_over = 0;
	if (!mb_candidate_in_flight(read, chosen)) {
		leg->way_known = leg->was_alone;
		leg->was_alone = true;
	} else {
		leg->was_alone = false;
	}
	if (!found.stream)
		leg->middle += (s64)(chosen->sector - leg->middle) / (1 << MIDDLE_SHIFT);
	return choice;
}

/* Heads that are alike, with nothing to do and no stream to wait for? */
static bool all_are_idle(const struct adaptive_state *memory, const struct mb_read *read)
{
	return read->views[read->candidates[0].leg].rotational && !in_flight_of_all(read) &&
	       none_is_apart(memory, read);
}

static u32 adaptive_cut(const void *config, void *state, const struct mb_read *read)
{
	const struct mb_window *window = config;
	struct adaptive_state *memory = state;

	if (is_rest(memory, read))
		return mb_fan_out_next(&memory->fan_out, read->sectors);
	if (!mb_streams_continues(&memory->streams, read))
		return all_are_idle(memory, read) ?
		       mb_fan_out_begin(&memory->fan_out, read) : read->sectors;
	return keeps_side(memory) ?
	       mb_streams_cut(&memory->streams, window->sectors, read) : read->sectors;
}

static u32 adaptive_select(const void *config, void *state, const struct mb_read *read)
{
	struct adaptive_state *memory = state;

	if (likely(!memory->rotational))
		return select_solid(memory, read);
	return select_with_heads(config, memory, read);
}

static void adaptive_completed(const void *config, void *state, const struct mb_completion *done)
{
	struct adaptive_state *memory = state;
	struct adaptive_leg *leg = &memory->legs[done->leg];
	u64 us = div_u64(done->ns, 1000);
	u32 distance = done->distance >> memory->part_sectors_shift;
	bool alone = false;

	/* What continues the last read, or is long, tells nothing of heads. */
	if (!done->distance || done->sectors > SAMPLE_SECTORS)
		return;
	if (us > (u32)-1)
		us = (u32)-1;
	if (!done->in_flight && is_slow_in_queues(memory, leg))
		mb_experience_forgive(&leg->experience);
	if (done->in_flight) {
		mb_experience_queued(&leg->experience, done->in_flight, us);
	} else if (leg->way_known) {
		alone = mb_experience_alone(&leg->experience, distance, us);
	}
	tell_apart(memory);
	if (alone && !leg->apart)
		mb_experience_alone(&memory->together[kind_of(leg)], distance, us);
}

static u32 adaptive_slow(const void *config, const void *state)
{
	const struct adaptive_state *memory = state;
	u32 slow = 0, leg;

	for (leg = 0; leg < memory->nr_legs; leg++)
		slow |= (u32)memory->legs[leg].apart << leg;
	return slow;
}

const struct mb_policy_ops mb_adaptive_ops = {
	.name = "adaptive",
	.wants = MB_POLICY_WANTS_IN_FLIGHT | MB_POLICY_WANTS_LATENCY,
	.config_size = sizeof(struct mb_window),
	.state_size = sizeof(struct adaptive_state),
	.configure = adaptive_configure,
	.set = adaptive_set,
	.print_args = adaptive_print_args,
	.window = adaptive_window,
	.cut = adaptive_cut,
	.init_state = adaptive_init_state,
	.select = adaptive_select,
	.completed = adaptive_completed,
	.slow = adaptive_slow,
};
