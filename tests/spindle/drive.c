// SPDX-License-Identifier: GPL-2.0-only
#include "drive.h"

#define PPM 1000000u
#define NS_PER_MS 1000000u

struct spindle_shape spindle_defaults(u64 sectors)
{
	return (struct spindle_shape){
		.sectors = sectors,
		.rotation_ns = 8333333,		/* 7,200 rpm */
		/* With a switch a track that is 218 MB/s, and half of it inside. */
		.outer_track = 3804,
		.inner_track = 1902,
		.switch_ns = 600000,
		.seek_ns = 3370000,
		.stroke_ns = 16070000,
		.short_ppm = 10000,
		.short_seek_ns = 600000,
		.short_root_ns = 29300000,
		.overhead_ns = 20000,
		.sector_ns = 430,		/* 12 Gb/s SAS */
		.segments = 8,
		.segment_sectors = 16384,	/* 8 MiB */
		.write_cache = 32768,		/* 16 MiB */
		.queue_depth = 32,
		.age_limit_ms = 1000,
	};
}

/* Zones of equally many tracks, whose length falls in equal steps. */
static void lay_out(struct spindle_drive *drive)
{
	const struct spindle_shape *shape = &drive->shape;
	u32 step = (shape->outer_track - shape->inner_track) / (SPINDLE_ZONES - 1);
	u64 around = 0, tracks, first = 0;
	u32 i;

	for (i = 0; i < SPINDLE_ZONES; i++)
		around += shape->outer_track - i * step;
	tracks = div64_u64(shape->sectors, around) + 1;
	for (i = 0; i < SPINDLE_ZONES; i++) {
		drive->zones[i].first = first;
		drive->zones[i].first_track = i * tracks;
		drive->zones[i].track = shape->outer_track - i * step;
		first += tracks * drive->zones[i].track;
	}
}

void spindle_init(struct spindle_drive *drive, const struct spindle_shape *shape, u64 seed)
{
	memset(drive, 0, sizeof(*drive));
	drive->shape = *shape;
	lay_out(drive);
	/* Multiplying by 2^64 / golden ratio spreads neighbours. */
	seed = (seed + 1) * 0x9e3779b97f4a7c15ull;
	drive->position = (seed >> 32) * (shape->sectors >> 16) >> 16;
}

/* A sector's track, with what is to be known of it. */
struct track {
	u64 number;
	u32 sectors;
	u32 offset;		/* of the sector from the track's start */
};

static struct track track_of(const struct spindle_drive *drive, u64 sector)
{
	const struct spindle_zone *zone = &drive->zones[SPINDLE_ZONES - 1];
	struct track track;

	while (zone->first > sector)
		zone--;
	track.sectors = zone->track;
	track.number = zone->first_track + div_u64_rem(sector - zone->first, zone->track, &track.offset);
	return track;
}

/* How long after a turn's start a track's sector comes to the heads. */
static u32 angle_ns(const struct spindle_drive *drive, const struct track *track)
{
	u32 rotation = drive->shape.rotation_ns, angle;

	div_u64_rem(div_u64((u64)track->offset * rotation, track->sectors) +
		    track->number * drive->shape.switch_ns, rotation, &angle);
	return angle;
}

static u32 root(u64 square)
{
	u64 low = 0, high = 1u << 31;

	while (high - low > 1) {
		u64 middle = (low + high) / 2;

		if (middle * middle <= square)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static u64 seek_ns(const struct spindle_drive *drive, u64 from, u64 to)
{
	const struct spindle_shape *shape = &drive->shape;
	u64 distance = from > to ? from - to : to - from;
	u64 ppb = div64_u64(distance * PPM, div_u64(shape->sectors, 1000) + 1);

	if (track_of(drive, from).number == track_of(drive, to).number)
		return 0;
	if (ppb < shape->short_ppm * 1000ull)
		return shape->short_seek_ns +
		       div_u64(shape->short_root_ns * root(ppb * 1000), PPM);
	return shape->seek_ns + div_u64(shape->stroke_ns * div_u64(ppb, 1000), PPM);
}

/* How long the heads, which are there, take to pass so many sectors. */
static u64 passing_ns(const struct spindle_drive *drive, u64 sector, u64 sectors)
{
	u64 ns = 0;

	while (sectors) {
		struct track track = track_of(drive, sector);
		u64 here = track.sectors - track.offset;

		if (here > sectors)
			here = sectors;
		ns += div_u64(here * drive->shape.rotation_ns, track.sectors);
		sectors -= here;
		sector += here;
		if (sectors)
			ns += drive->shape.switch_ns;
	}
	return ns;
}

/* How many sectors the heads, which are there, pass in so long, up to a limit. */
static u64 passed_in(const struct spindle_drive *drive, u64 sector, u64 ns, u64 limit)
{
	u64 passed = 0;

	while (passed < limit) {
		struct track track = track_of(drive, sector + passed);
		u64 here = track.sectors - track.offset;
		u64 takes = div_u64(here * drive->shape.rotation_ns, track.sectors);

		if (takes > ns) {
			passed += div_u64(ns * track.sectors, drive->shape.rotation_ns);
			break;
		}
		passed += here;
		ns -= takes;
		if (ns < drive->shape.switch_ns)
			break;
		ns -= drive->shape.switch_ns;
	}
	return passed < limit ? passed : limit;
}

/* When the heads would have passed these sectors, coming from where they are. */
static u64 access_end(const struct spindle_drive *drive, u64 sector, u32 sectors, u64 now)
{
	u32 rotation = drive->shape.rotation_ns, angle, at;
	struct track track = track_of(drive, sector);
	u64 there = now + drive->shape.overhead_ns + seek_ns(drive, drive->position, sector);

	div_u64_rem(there, rotation, &at);
	angle = angle_ns(drive, &track);
	there += angle >= at ? angle - at : rotation - at + angle;
	return there + passing_ns(drive, sector, sectors);
}

static u64 from_cache(const struct spindle_drive *drive, u32 sectors, u64 now)
{
	return now + drive->shape.overhead_ns + (u64)sectors * drive->shape.sector_ns;
}

/* Up to where the drive has read on by now. */
static u64 read_up_to(const struct spindle_drive *drive, u64 now)
{
	const struct spindle_segment *segment = drive->reading_on;
	u64 room = segment->start + drive->shape.segment_sectors;
	u64 end = segment->end;

	if (room > drive->shape.sectors)
		room = drive->shape.sectors;
	if (end >= room || now <= drive->position_at)
		return end;
	return end + passed_in(drive, end, now - drive->position_at, room - end);
}

/* The heads go elsewhere: what was read on until now stays. */
static void stop_reading_on(struct spindle_drive *drive, u64 now)
{
	if (!drive->reading_on)
		return;
	drive->reading_on->end = read_up_to(drive, now);
	drive->position = drive->reading_on->end;
	drive->position_at = now;
	drive->reading_on = NULL;
}

static const struct spindle_segment *segment_with(const struct spindle_drive *drive, u64 sector,
						  u32 sectors, u64 now)
{
	u32 i;

	for (i = 0; i < drive->shape.segments; i++) {
		const struct spindle_segment *segment = &drive->segments[i];
		u64 end = segment == drive->reading_on ? read_up_to(drive, now) : segment->end;

		if (sector >= segment->start && sector + sectors <= end)
			return segment;
	}
	return NULL;
}

/*
 * The sectors are not in the cache yet, but the heads are on their way: they
 * begin in what has been read on, or right behind it.
 */
static bool is_coming(const struct spindle_drive *drive, u64 sector, u64 now)
{
	const struct spindle_segment *segment = drive->reading_on;

	return segment && sector >= segment->start && sector <= read_up_to(drive, now);
}

/* When sectors that the heads are on their way to have been read. */
static u64 arrival(const struct spindle_drive *drive, u64 sector, u32 sectors, u64 now)
{
	u64 have = drive->reading_on->end;
	u64 at = drive->position_at + passing_ns(drive, have, sector + sectors - have);

	/* Reading on had stopped at the segment's end, and the platter turns on. */
	if (read_up_to(drive, now) >= drive->reading_on->start + drive->shape.segment_sectors &&
	    at < now)
		return access_end(drive, sector, sectors, now);
	return at > now ? at : now;
}

static bool covers(const struct spindle_extent *extent, u64 sector, u32 sectors)
{
	return sector >= extent->sector && sector + sectors <= extent->sector + extent->sectors;
}

static bool in_write_cache(const struct spindle_drive *drive, u64 sector, u32 sectors)
{
	u32 i;

	for (i = 0; i < drive->nr_dirty; i++)
		if (covers(&drive->dirty[i], sector, sectors))
			return true;
	return false;
}

static bool fits_write_cache(const struct spindle_drive *drive, const struct spindle_command *command)
{
	return !command->through && drive->nr_dirty < SPINDLE_MAX_DIRTY &&
	       drive->dirty_sectors + command->sectors <= drive->shape.write_cache;
}

/* Where what a read asks for comes from. */
enum source {
	WRITE_CACHE,
	READ_ON,		/* in what is being read on, or about to be there */
	SEGMENT,
	PLATTER,
};

static enum source source_of(const struct spindle_drive *drive, const struct spindle_command *read,
			     u64 now)
{
	if (in_write_cache(drive, read->sector, read->sectors))
		return WRITE_CACHE;
	if (is_coming(drive, read->sector, now))
		return READ_ON;
	return segment_with(drive, read->sector, read->sectors, now) ? SEGMENT : PLATTER;
}

static u64 read_end(const struct spindle_drive *drive, const struct spindle_command *read,
		    enum source source, u64 now)
{
	if (source == PLATTER)
		return access_end(drive, read->sector, read->sectors, now);
	if (source == READ_ON && !segment_with(drive, read->sector, read->sectors, now))
		return arrival(drive, read->sector, read->sectors, now) + drive->shape.overhead_ns;
	return from_cache(drive, read->sectors, now);
}

/* When a command's first sector would be there: long commands are no worse than short ones. */
static u64 begin_of(const struct spindle_drive *drive, const struct spindle_command *command,
		    u64 now)
{
	struct spindle_command first = *command;

	first.sectors = 1;
	if (!command->write)
		return read_end(drive, &first, source_of(drive, &first, now), now);
	return fits_write_cache(drive, command) ? from_cache(drive, first.sectors, now) :
	       access_end(drive, first.sector, first.sectors, now);
}

u32 spindle_pick(const struct spindle_drive *drive, const struct spindle_command *commands, u32 nr,
		 u64 now)
{
	u64 soonest = (u64)-1;
	u32 best = 0, i;

	if (now - commands[0].arrived > (u64)drive->shape.age_limit_ms * NS_PER_MS)
		return 0;
	for (i = 0; i < nr && i < drive->shape.queue_depth; i++) {
		u64 begin = begin_of(drive, &commands[i], now);

		if (begin < soonest) {
			soonest = begin;
			best = i;
		}
	}
	/* A write that does not fit waits for others to leave the cache. */
	if (commands[best].write && !commands[best].through && drive->nr_dirty &&
	    !fits_write_cache(drive, &commands[best]))
		return nr;
	if (drive->dirty_sectors > drive->shape.write_cache / 2 && soonest - now > NS_PER_MS)
		return nr;
	return best;
}

static struct spindle_segment *oldest_segment(struct spindle_drive *drive)
{
	struct spindle_segment *oldest = &drive->segments[0];
	u32 i;

	for (i = 1; i < drive->shape.segments; i++)
		if (drive->segments[i].last_use < oldest->last_use)
			oldest = &drive->segments[i];
	return oldest;
}

/* The heads have passed the sectors at @end, and go on reading from there. */
static void read_on_behind(struct spindle_drive *drive, u64 sector, u32 sectors, u64 end)
{
	struct spindle_segment *segment;

	drive->position = sector + sectors;
	drive->position_at = end;
	if (!drive->shape.segments)
		return;
	segment = oldest_segment(drive);
	segment->start = sector;
	segment->end = sector + sectors;
	segment->last_use = ++drive->uses;
	drive->reading_on = segment;
}

/* What was read on is taken; the segment makes room for more at its end. */
static void go_on_reading(struct spindle_drive *drive, u64 sector, u32 sectors, u64 end)
{
	struct spindle_segment *segment = drive->reading_on;
	u64 up_to = read_up_to(drive, end);

	if (up_to < sector + sectors)
		up_to = sector + sectors;
	segment->end = up_to;
	drive->position = up_to;
	drive->position_at = end;
	segment->last_use = ++drive->uses;
	if (up_to - segment->start > drive->shape.segment_sectors / 2)
		segment->start = sector;
}

static void forget_read(struct spindle_drive *drive, u64 sector, u32 sectors)
{
	u32 i;

	for (i = 0; i < drive->shape.segments; i++) {
		struct spindle_segment *segment = &drive->segments[i];

		if (segment->start < sector + sectors && sector < segment->end)
			segment->end = segment->start;
	}
}

static void keep_written(struct spindle_drive *drive, const struct spindle_command *command)
{
	drive->dirty[drive->nr_dirty].sector = command->sector;
	drive->dirty[drive->nr_dirty].sectors = command->sectors;
	drive->nr_dirty++;
	drive->dirty_sectors += command->sectors;
}

/* The heads have written these sectors, and stay behind them. */
static void write_behind(struct spindle_drive *drive, u64 sector, u32 sectors, u64 end)
{
	forget_read(drive, sector, sectors);
	drive->position = sector + sectors;
	drive->position_at = end;
}

static u64 start_write(struct spindle_drive *drive, const struct spindle_command *write, u64 now)
{
	u64 end;

	if (fits_write_cache(drive, write)) {
		keep_written(drive, write);
		return from_cache(drive, write->sectors, now);
	}
	stop_reading_on(drive, now);
	end = access_end(drive, write->sector, write->sectors, now);
	write_behind(drive, write->sector, write->sectors, end);
	return end;
}

static u64 start_read(struct spindle_drive *drive, const struct spindle_command *read, u64 now)
{
	enum source source = source_of(drive, read, now);
	u64 end;

	if (source == PLATTER)
		stop_reading_on(drive, now);
	end = read_end(drive, read, source, now);
	if (source == PLATTER)
		read_on_behind(drive, read->sector, read->sectors, end);
	if (source == READ_ON)
		go_on_reading(drive, read->sector, read->sectors, end);
	return end;
}

u64 spindle_start(struct spindle_drive *drive, const struct spindle_command *command, u64 now)
{
	return command->write ? start_write(drive, command, now) : start_read(drive, command, now);
}

u64 spindle_destage(struct spindle_drive *drive, u64 now)
{
	u64 end, best_end = (u64)-1;
	struct spindle_extent extent;
	u32 best = 0, i;

	stop_reading_on(drive, now);
	for (i = 0; i < drive->nr_dirty; i++) {
		end = access_end(drive, drive->dirty[i].sector, drive->dirty[i].sectors, now);
		if (end < best_end) {
			best_end = end;
			best = i;
		}
	}
	extent = drive->dirty[best];
	drive->dirty[best] = drive->dirty[--drive->nr_dirty];
	drive->dirty_sectors -= extent.sectors;
	write_behind(drive, extent.sector, extent.sectors, best_end);
	return best_end;
}
