// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "simulator.h"

#define SIM_TIMER MB_MAX_LEGS
/* As the module does it on non-rotational arrays. */
#define LATENCY_SAMPLE 16
#define COMPARE_NS 1000000

struct sim_read {
	struct mb_place places[MB_MAX_LEGS];
	struct mb_read read;
};

static void *grow(void *array, u32 *room, size_t size)
{
	*room = *room ? *room * 2 : 64;
	array = realloc(array, *room * size);
	if (!array)
		abort();
	return array;
}

static bool before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static void add_event(struct sim *sim, struct sim_event event)
{
	u32 at = sim->nr_events++;

	if (sim->nr_events > sim->events_room)
		sim->events = grow(sim->events, &sim->events_room, sizeof(*sim->events));
	event.order = sim->order++;
	while (at && before(&event, &sim->events[(at - 1) / 2])) {
		sim->events[at] = sim->events[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	sim->events[at] = event;
}

static struct sim_event next_event(struct sim *sim)
{
	struct sim_event first = sim->events[0], last = sim->events[--sim->nr_events];
	u32 at = 0, child;

	while ((child = 2 * at + 1) < sim->nr_events) {
		if (child + 1 < sim->nr_events &&
		    before(&sim->events[child + 1], &sim->events[child]))
			child++;
		if (!before(&sim->events[child], &last))
			break;
		sim->events[at] = sim->events[child];
		at = child;
	}
	sim->events[at] = last;
	return first;
}

void sim_at(struct sim *sim, u64 at, void (*call)(void *context, u64 now), void *context)
{
	add_event(sim, (struct sim_event){
		.at = at,
		.leg = SIM_TIMER,
		.call = call,
		.context = context,
	});
}

/* A spinning drive that is idle takes its next command, or empties its cache. */
static void spin(struct sim *sim, u32 number)
{
	struct sim_leg *leg = &sim->legs[number];
	struct spindle_command commands[128];
	struct sim_event event = { .leg = number };
	u32 nr = leg->queued < leg->what.spinning_shape.queue_depth ?
		 leg->queued : leg->what.spinning_shape.queue_depth;
	u32 pick = 0, i;

	if (leg->busy || (!nr && !spindle_is_dirty(leg->spinning)))
		return;
	leg->busy = true;
	for (i = 0; i < nr; i++)
		commands[i] = leg->queue[i].command;
	if (nr)
		pick = spindle_pick(leg->spinning, commands, nr, sim->now);
	if (pick == nr) {
		event.at = spindle_destage(leg->spinning, sim->now);
	} else {
		event.part = leg->queue[pick];
		event.at = spindle_start(leg->spinning, &commands[pick], sim->now);
		leg->queued--;
		memmove(&leg->queue[pick], &leg->queue[pick + 1],
			(leg->queued - pick) * sizeof(*leg->queue));
	}
	add_event(sim, event);
}

static struct sim_part part_of(struct sim *sim, struct sim_io *io, const struct mb_place *place,
			       u32 sectors)
{
	return (struct sim_part){
		.command = {
			.sector = place->sector,
			.sectors = sectors,
			.write = io->write,
			.arrived = sim->now,
		},
		.io = io,
		.completion = { .leg = place->leg, .sectors = sectors },
	};
}

static void send(struct sim *sim, const struct mb_place *place, struct sim_part part)
{
	struct sim_leg *leg = &sim->legs[place->leg];

	part.io->parts++;
	sim->views[place->leg].in_flight_here++;
	sim->views[place->leg].writes_in_flight += part.command.write;
	if (!leg->what.spinning) {
		add_event(sim, (struct sim_event){
			.at = spindle_solid_start(&leg->solid, &part.command, sim->now),
			.leg = place->leg,
			.part = part,
		});
		return;
	}
	if (leg->queued == leg->room)
		leg->queue = grow(leg->queue, &leg->room, sizeof(*leg->queue));
	leg->queue[leg->queued++] = part;
	spin(sim, place->leg);
}

static void compare_latencies(struct sim *sim)
{
	struct mb_latency_sum latencies[MB_MAX_LEGS] = { { 0 } };
	u32 leg;

	for (leg = 0; leg < sim->layout.shape.legs; leg++)
		mb_latency_add(&latencies[leg], &sim->legs[leg].latency);
	mb_latency_compare(latencies, sim->layout.shape.legs, sim->views);
	sim->compared_at = sim->now;
}

/* A read's candidates and what the policy may know, as of now. */
static void gather_read(struct sim *sim, struct sim_read *gathered, u64 sector, u32 sectors)
{
	mb_layout_map(&sim->layout, sector, gathered->places);
	gathered->read = (struct mb_read){
		.sector = sector,
		.sectors = sectors,
		.first_leg = gathered->places[0].leg,
		.ms = sim->rotational ? sim->now / 1000000 | 1 : 0,
		.nr_candidates = sim->layout.shape.copies,
		.candidates = gathered->places,
		.views = sim->views,
	};
	if (!sim->rotational && sim->now - sim->compared_at >= COMPARE_NS)
		compare_latencies(sim);
}

/* Sectors that went to one leg. */
static u32 send_read(struct sim *sim, struct sim_io *io, u64 sector, u32 sectors)
{
	struct sim_read gathered;
	const struct mb_read *read = &gathered.read;
	const struct mb_place *place;
	struct sim_part part;
	struct sim_leg *leg;
	u32 pick;

	gather_read(sim, &gathered, sector, sectors);
	if (sim->rotational && sim->ops->cut)
		gathered.read.sectors = sim->ops->cut(sim->config, sim->state, read);
	pick = sim->ops->select(sim->config, sim->state, read);
	place = &gathered.places[pick < read->nr_candidates ? pick : 0];
	leg = &sim->legs[place->leg];
	part = part_of(sim, io, place, read->sectors);
	part.completion.distance = mb_candidate_distance(read, place);
	part.completion.in_flight = mb_candidate_in_flight(read, place);
	part.sampled = !(++leg->reads % LATENCY_SAMPLE) || sim->views[place->leg].apart;
	leg->sectors_read += read->sectors;
	sim->views[place->leg].last_end = place->sector + read->sectors;
	send(sim, place, part);
	return read->sectors;
}

static void send_write(struct sim *sim, struct sim_io *io, u64 sector, u32 sectors)
{
	struct mb_place places[MB_MAX_LEGS];
	u32 copy;

	mb_layout_map(&sim->layout, sector, places);
	for (copy = 0; copy < sim->layout.shape.copies; copy++)
		send(sim, &places[copy], part_of(sim, io, &places[copy], sectors));
}

static void part_done(struct sim *sim, struct sim_io *io)
{
	if (!--io->parts)
		io->done(io, sim->now);
}

void sim_submit(struct sim *sim, struct sim_io *io)
{
	u64 sector = io->sector, end = io->sector + io->sectors;

	io->submitted = sim->now;
	io->parts = 1;		/* ours, so that it cannot end before all is sent */
	while (sector < end) {
		u64 sectors = mb_layout_contiguous(&sim->layout, sector);

		if (sectors > end - sector)
			sectors = end - sector;
		if (io->write)
			send_write(sim, io, sector, sectors);
		else
			sectors = send_read(sim, io, sector, sectors);
		sector += sectors;
	}
	part_done(sim, io);
}

/* Policies of arrays with heads learn from each read, else the core from some. */
static void learn(struct sim *sim, const struct sim_event *event)
{
	struct mb_completion done = event->part.completion;

	done.ns = sim->now - event->part.command.arrived;
	if (!sim->rotational && event->part.sampled)
		mb_latency_take(&sim->legs[event->leg].latency, done.ns,
				done.in_flight + 1, sim->now / 1000000000);
	if (sim->rotational && sim->ops->completed)
		sim->ops->completed(sim->config, sim->state, &done);
}

static void leg_event(struct sim *sim, const struct sim_event *event)
{
	struct sim_leg *leg = &sim->legs[event->leg];

	leg->busy = false;
	if (leg->what.spinning)
		spin(sim, event->leg);
	if (!event->part.io)
		return;
	if (!event->part.command.write)
		learn(sim, event);
	sim->views[event->leg].in_flight_here--;
	sim->views[event->leg].writes_in_flight -= event->part.command.write;
	part_done(sim, event->part.io);
}

void sim_run(struct sim *sim, u64 until)
{
	while (sim->nr_events && sim->events[0].at <= until) {
		struct sim_event event = next_event(sim);

		sim->now = event.at;
		if (event.leg == SIM_TIMER)
			event.call(event.context, sim->now);
		else
			leg_event(sim, &event);
	}
	if (sim->now < until)
		sim->now = until;
}

static void start_leg(struct sim *sim, u32 number, const struct sim_drive *drive)
{
	struct sim_leg *leg = &sim->legs[number];

	leg->what = *drive;
	sim->views[number].rotational = drive->spinning;
	if (!drive->spinning) {
		spindle_solid_init(&leg->solid, &drive->solid_shape, number);
		return;
	}
	sim->rotational = true;
	leg->spinning = calloc(1, sizeof(*leg->spinning));
	if (!leg->spinning)
		abort();
	spindle_init(leg->spinning, &drive->spinning_shape, number);
}

int sim_start(struct sim *sim, const struct mb_shape *shape, const struct sim_drive *drives,
	      u64 leg_sectors, const struct mb_policy_ops *ops, u32 argc, char **argv,
	      struct mb_error *error)
{
	struct mb_policy_array array = { .layout = &sim->layout };
	u32 leg;

	memset(sim, 0, sizeof(*sim));
	if (mb_shape_check(shape, error) ||
	    mb_layout_init(&sim->layout, shape, mb_shape_capacity(shape, leg_sectors), error))
		return -1;
	sim->ops = ops;
	sim->config = calloc(1, ops->config_size + 1);
	sim->state = calloc(1, ops->state_size + 1);
	if (!sim->config || !sim->state)
		abort();
	if (mb_policy_configure(ops, sim->config, &sim->layout, argc, argv, error)) {
		sim_stop(sim);
		return -1;
	}
	for (leg = 0; leg < shape->legs; leg++) {
		start_leg(sim, leg, &drives[leg]);
		array.rotational_legs |= (u32)drives[leg].spinning << leg;
	}
	if (ops->init_state)
		ops->init_state(sim->config, &array, sim->state);
	return 0;
}

void sim_stop(struct sim *sim)
{
	u32 leg;

	for (leg = 0; leg < MB_MAX_LEGS; leg++) {
		free(sim->legs[leg].spinning);
		free(sim->legs[leg].queue);
	}
	free(sim->events);
	free(sim->config);
	free(sim->state);
}
