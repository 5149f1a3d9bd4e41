/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An array on simulated drives, without a kernel: requests go through the
 * layout to a policy, as in the module, and each leg is a drive in numbers
 * (tests/spindle). Time is simulated: it jumps from event to event. Times are
 * ns, sectors are 512 bytes.
 */
#ifndef SIMULATOR_H
#define SIMULATOR_H

#include "drive.h"
#include "latency.h"
#include "policy.h"
#include "solid.h"

/* What a leg is made of. */
struct sim_drive {
	bool spinning;
	union {
		struct spindle_shape spinning_shape;
		struct spindle_solid_shape solid_shape;
	};
};

/* One request of a user of the array. */
struct sim_io {
	u64 sector;
	u32 sectors;
	bool write;
	u64 submitted;
	u32 parts;		/* not done yet */
	void (*done)(struct sim_io *io, u64 now);
	void *owner;
};

/* A part of a request, on one leg. */
struct sim_part {
	struct spindle_command command;
	struct sim_io *io;
	struct mb_completion completion;	/* of a read: what is known of it at first */
	bool sampled;
};

struct sim_leg {
	struct sim_drive what;
	struct spindle_drive *spinning;
	struct spindle_solid solid;
	struct sim_part *queue;	/* waiting, the oldest first */
	u32 queued;
	u32 room;
	bool busy;		/* a spinning drive serves one at a time */
	struct mb_latency latency;
	u64 reads;
	u64 sectors_read;
};

struct sim_event {
	u64 at;
	u64 order;		/* among those at the same time */
	u32 leg;		/* SIM_TIMER: none, but a call */
	struct sim_part part;	/* io NULL: written data leaves a drive's cache */
	void (*call)(void *context, u64 now);
	void *context;
};

struct sim {
	struct mb_layout layout;
	const struct mb_policy_ops *ops;
	void *config;
	void *state;
	bool rotational;
	u64 now;
	u64 compared_at;	/* when the legs' latencies were */
	struct mb_leg_view views[MB_MAX_LEGS];
	struct sim_leg legs[MB_MAX_LEGS];
	struct sim_event *events;	/* a heap */
	u32 nr_events;
	u32 events_room;
	u64 order;
};

/**
 * sim_start - build an array
 * @sim: is filled
 * @shape: of the array
 * @drives: what each leg is; room for one array on all of them must be there
 * @leg_sectors: usable sectors of each
 * @ops: the policy
 * @argc: number of its arguments
 * @argv: the arguments
 * @error: receives what is wrong
 *
 * Return: 0, or -1 with @error set.
 */
int sim_start(struct sim *sim, const struct mb_shape *shape, const struct sim_drive *drives,
	      u64 leg_sectors, const struct mb_policy_ops *ops, u32 argc, char **argv,
	      struct mb_error *error);
void sim_stop(struct sim *sim);

/**
 * sim_submit - a request arrives now
 * @sim: the array
 * @io: sector, sectors, write, done and owner are set; it belongs to the
 *      simulator until done() is called, which may submit it again
 */
void sim_submit(struct sim *sim, struct sim_io *io);

/* Call @call at a time to come. */
void sim_at(struct sim *sim, u64 at, void (*call)(void *context, u64 now), void *context);

/* Run until the time has come, or nothing is left to happen. */
void sim_run(struct sim *sim, u64 until);

#endif /* SIMULATOR_H */
