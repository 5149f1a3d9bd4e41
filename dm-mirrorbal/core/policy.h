/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface of read policies. A policy is shown the copies that the core
 * has already found readable and says which of them is to serve a read. It
 * can rank candidates, never break an invariant: an index out of range is
 * taken as 0.
 *
 * A policy is pure: no lock, no sleeping, no floating point, no allocation, no
 * clock. What it remembers between reads lives in a state that the core hands
 * it. The core keeps calls on one state apart: there is a state for each CPU
 * while all legs are non-rotational, and one state under a lock as soon as a
 * leg is rotational.
 */
#ifndef MB_POLICY_H
#define MB_POLICY_H

#include "error.h"
#include "layout.h"
#include "port.h"

#define MB_POLICY_NAME_LEN 32

/* What a policy is shown of a leg. */
struct mb_leg_view {
	u64 last_end;			/* where its last submitted read ended */
	s32 in_flight_here;		/* I/O started less I/O done, by whom the state serves */
	s32 in_flight_elsewhere;	/* the same by all others, at most 1 ms old */
	/*
	 * What was learned of a leg of a non-rotational array, some ms old, in ns;
	 * 0 until something is known. Legs that are about as good as the
	 * best have its values: small differences are chance.
	 */
	u32 latency;			/* of a read that does not wait */
	u32 at_once;			/* so many in flight do not wait */
	bool apart;			/* not about as good as the best */
	bool rotational;
	u32 writes_in_flight;		/* among what is in flight; 0 where no leg is rotational */
} __attribute__((aligned(32)));		/* never across two cache lines */

/* The read to be placed. */
struct mb_read {
	u64 sector;		/* of the array */
	u32 sectors;
	u32 first_leg;		/* leg of copy 0, readable or not: names the set of copies */
	u32 ms;			/* when it came, to some ms; 0 where no leg is rotational */
	u32 nr_candidates;	/* at least 2 */
	const struct mb_place *candidates;	/* the copies that can be read */
	const struct mb_leg_view *views;	/* by number of leg */
};

/* A read that has been done. */
struct mb_completion {
	u32 leg;
	u32 sectors;
	u64 distance;	/* sectors from where the leg's read before it ended */
	u32 in_flight;	/* what the leg had when it was submitted, without itself */
	u64 ns;		/* from submission to completion */
};

/* What a policy may know of its array from the beginning. */
struct mb_policy_array {
	const struct mb_layout *layout;
	u32 rotational_legs;	/* bit mask */
};

/*
 * The policy looks at what is in flight. It is asked for since it has to be
 * gathered; the rest of a view is always there.
 */
#define MB_POLICY_WANTS_IN_FLIGHT	(1u << 0)
/* It looks at what was learned of legs. Comes with what is in flight. */
#define MB_POLICY_WANTS_LATENCY		(1u << 1)

/* I/O submitted to a leg and not done. */
static inline u32 mb_view_in_flight(const struct mb_leg_view *view)
{
	/* What started here may be done elsewhere: either part may be negative. */
	s32 sum = view->in_flight_here + view->in_flight_elsewhere;

	return sum > 0 ? sum : 0;
}

/* How far the leg's head would move, in sectors. */
static inline u64 mb_candidate_distance(const struct mb_read *read,
					const struct mb_place *candidate)
{
	u64 last_end = read->views[candidate->leg].last_end;

	return candidate->sector > last_end ? candidate->sector - last_end :
	       last_end - candidate->sector;
}

static inline u32 mb_candidate_in_flight(const struct mb_read *read,
					 const struct mb_place *candidate)
{
	return mb_view_in_flight(&read->views[candidate->leg]);
}

/**
 * mb_side_candidate - the candidate on a side
 * @layout: of the array
 * @read: the read
 * @side: number of the side
 *
 * Context: any.
 * Return: its index, or nr_candidates if it cannot be read now.
 */
static inline u32 mb_side_candidate(const struct mb_layout *layout, const struct mb_read *read,
				    u32 side)
{
	u32 i;

	for (i = 0; i < read->nr_candidates; i++)
		if (mb_side(layout, &read->candidates[i]) == side)
			break;
	return i;
}

/**
 * mb_nearest_head - the candidate whose head is nearest, idle legs first
 * @read: the read
 *
 * Context: as select().
 * Return: index into @read->candidates.
 */
u32 mb_nearest_head(const struct mb_read *read);

/**
 * mb_shortest_queue - the candidate with the fewest in flight; equals take turns
 * @turn: where to start looking, kept for each set of copies
 * @read: the read
 *
 * Context: as select().
 * Return: index into @read->candidates.
 */
static __always_inline u32 mb_shortest_queue(u32 *turn, const struct mb_read *read)
{
	u32 i, best, at, fewest;

	if (*turn >= read->nr_candidates)
		*turn = 0;
	best = at = *turn;
	fewest = mb_candidate_in_flight(read, &read->candidates[at]);
	for (i = 1; i < read->nr_candidates; i++) {
		u32 in_flight;

		if (++at == read->nr_candidates)
			at = 0;
		in_flight = mb_candidate_in_flight(read, &read->candidates[at]);
		if (in_flight < fewest) {
			fewest = in_flight;
			best = at;
		}
	}
	*turn = best + 1;
	return best;
}

/**
 * struct mb_policy_ops - one policy
 * @name: how tables and messages call it. Mandatory.
 * @wants: MB_POLICY_WANTS_* bits.
 * @config_size: bytes of its settings; they do not change while reads run.
 * @state_size: bytes of what it remembers; zeroed before @init_state.
 * @configure: turn arguments into settings (zeroed before). May be NULL: then
 *	the policy takes no arguments. Process context. 0, or -1 and @error.
 * @set: change one setting by name, on a copy that no read uses. May be NULL:
 *	nothing can be set. Process context. 0, or -1 and @error.
 * @print_args: write the arguments that @configure would take to get these
 *	settings, words separated by blanks, and return their number. NULL if
 *	and only if @configure is NULL.
 * @window: sectors of the array after which a stream may go on with another
 *	side. May be NULL or give 0: never. Process context.
 * @cut: how much of a read is to go to one leg; at least 1 sector. A large one
 *	would keep one leg busy where others are idle. May be NULL: all of it.
 *	Called before @select, and only where a leg is rotational; as @select.
 *	What is left comes as a read of its own.
 * @init_state: prepare a zeroed state. May be NULL. Process context.
 * @select: choose. Mandatory. Any context, interrupts may be off; must be
 *	short. Returns an index into @read->candidates.
 * @completed: learn from a read that was done well. May be NULL. Called for
 *	every read of an array with a rotational leg, and never else: there the
 *	views have what was learned. Any context, kept apart from @select.
 * @slow: bit mask of the legs that are left alone since others of their kind are
 *	far better, for status. May be NULL: none. Called only where a leg is
 *	rotational; as @completed.
 */
struct mb_policy_ops {
	const char *name;
	u32 wants;
	size_t config_size;
	size_t state_size;
	int (*configure)(void *config, const struct mb_layout *layout, u32 argc, char **argv,
			 struct mb_error *error);
	int (*set)(void *config, const char *key, const char *value, struct mb_error *error);
	u32 (*print_args)(const void *config, char *text, size_t size);
	u32 (*window)(const void *config);
	void (*init_state)(const void *config, const struct mb_policy_array *array, void *state);
	u32 (*cut)(const void *config, void *state, const struct mb_read *read);
	u32 (*select)(const void *config, void *state, const struct mb_read *read);
	void (*completed)(const void *config, void *state, const struct mb_completion *done);
	u32 (*slow)(const void *config, const void *state);
};

extern const struct mb_policy_ops mb_nearest_head_ops;
extern const struct mb_policy_ops mb_round_robin_ops;
extern const struct mb_policy_ops mb_sequential_affinity_ops;
extern const struct mb_policy_ops mb_queue_length_ops;
extern const struct mb_policy_ops mb_split_ops;
extern const struct mb_policy_ops mb_adaptive_ops;

/* As far as a reader reads ahead by default, if its windows are not larger: 8 MiB. */
#define MB_READ_AHEAD_SECTORS (8u << 11)

#define MB_DEFAULT_POLICY "adaptive"

/**
 * mb_policy_builtins - the policies that come with the project
 * @nr: receives their number
 *
 * Context: any.
 * Return: array of @nr pointers.
 */
const struct mb_policy_ops *const *mb_policy_builtins(u32 *nr);

/**
 * mb_policy_configure - check arguments and fill settings
 * @ops: the policy
 * @config: ops->config_size zeroed bytes
 * @layout: of the array
 * @argc: number of arguments
 * @argv: the arguments
 * @error: receives what is wrong
 *
 * Context: process.
 * Return: 0, or -1 with @error set.
 */
int mb_policy_configure(const struct mb_policy_ops *ops, void *config,
			const struct mb_layout *layout, u32 argc, char **argv,
			struct mb_error *error);

/**
 * mb_policy_set - change one setting
 * @ops: the policy
 * @config: a copy of the settings that no read uses
 * @key: name of the setting
 * @value: as typed
 * @error: receives what is wrong
 *
 * Context: process.
 * Return: 0, or -1 with @error set.
 */
int mb_policy_set(const struct mb_policy_ops *ops, void *config, const char *key,
		  const char *value, struct mb_error *error);

/**
 * mb_policy_window - after how much does a policy hand streams over?
 * @ops: the policy
 * @config: its settings
 *
 * Context: process.
 * Return: sectors; 0: never.
 */
static inline u32 mb_policy_window(const struct mb_policy_ops *ops, const void *config)
{
	return ops->window ? ops->window(config) : 0;
}

/**
 * mb_policy_read_ahead - how far must a reader read ahead to keep all legs busy?
 * @ops: the policy
 * @window: mb_policy_window()
 * @layout: of the array
 *
 * The kernel asks for what is read ahead in few large reads, which are done only
 * as a whole: each should give all sides the same to do.
 *
 * Context: any.
 * Return: sectors, whole windows of all sides; 0: it does not matter.
 */
static inline u64 mb_policy_read_ahead(const struct mb_policy_ops *ops, u32 window,
				       const struct mb_layout *layout)
{
	u64 all = (u64)window * layout->shape.copies;

	if (!all)
		return ops->window && !layout->sides_apart ? MB_READ_AHEAD_SECTORS : 0;
	if (all > MB_READ_AHEAD_SECTORS)
		return all;
	return div64_u64(MB_READ_AHEAD_SECTORS, all) * all;
}

#endif /* MB_POLICY_H */
