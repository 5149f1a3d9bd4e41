/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A spinning drive in numbers: where its heads are, what its cache holds, and
 * when a command would be done. Pure C without a clock: time is what the caller
 * says it is. Times are ns, sectors are 512 bytes.
 *
 * One command is served at a time. While the drive waits for the next, it reads
 * on into its cache. Writes are done when they are in the write cache; from
 * there they go to the platters when nothing else is to be done, or when the
 * cache is more than half full.
 */
#ifndef SPINDLE_DRIVE_H
#define SPINDLE_DRIVE_H

#include "port.h"

#define SPINDLE_ZONES 16
#define SPINDLE_MAX_SEGMENTS 32
#define SPINDLE_MAX_DIRTY 256

/* What a drive is. spindle_defaults() has it as calibrated. */
struct spindle_shape {
	u64 sectors;
	u32 rotation_ns;
	u32 outer_track;	/* sectors of a track at the outer edge, where sector 0 is */
	u32 inner_track;
	u32 switch_ns;		/* to the next track; tracks are skewed by it */
	/* Of a seek over the share d of all sectors: */
	u32 seek_ns;		/* seek + stroke * d */
	u32 stroke_ns;
	u32 short_ppm;		/* d below which it is: */
	u32 short_seek_ns;	/* short_seek + short_root * sqrt(d) */
	u32 short_root_ns;
	u32 overhead_ns;	/* of a command */
	u32 sector_ns;		/* of the interface */
	u32 segments;		/* of the read cache; 0: none, and no reading on */
	u32 segment_sectors;
	u32 write_cache;	/* sectors; 0: none */
	u32 queue_depth;	/* commands among which the drive chooses */
	u32 age_limit_ms;	/* the oldest is not passed over for longer */
};

struct spindle_zone {
	u64 first;		/* sector */
	u64 first_track;
	u32 track;		/* sectors of one */
};

/* A run of sectors in the read cache. */
struct spindle_segment {
	u64 start;
	u64 end;
	u64 last_use;		/* counts up */
};

struct spindle_extent {
	u64 sector;
	u32 sectors;
};

struct spindle_drive {
	struct spindle_shape shape;
	struct spindle_zone zones[SPINDLE_ZONES];
	u64 position;		/* sector behind the last one that passed the heads */
	u64 position_at;	/* when that was */
	u64 uses;
	struct spindle_segment segments[SPINDLE_MAX_SEGMENTS];
	struct spindle_segment *reading_on;	/* grows with time; NULL: nothing is read on */
	struct spindle_extent dirty[SPINDLE_MAX_DIRTY];
	u32 nr_dirty;
	u32 dirty_sectors;
};

struct spindle_command {
	u64 sector;
	u32 sectors;
	bool write;
	bool through;		/* a write that may not stay in the cache */
	u64 arrived;
};

/**
 * spindle_defaults - the drive of the calibration
 * @sectors: its capacity
 *
 * Return: a 7,200 rpm SAS drive of 2016.
 */
struct spindle_shape spindle_defaults(u64 sectors);

/**
 * spindle_init - a drive at rest
 * @drive: is filled
 * @shape: what it is
 * @seed: where the heads are
 */
void spindle_init(struct spindle_drive *drive, const struct spindle_shape *shape, u64 seed);

/**
 * spindle_pick - which command is to be served next
 * @drive: the drive, idle
 * @commands: the oldest first
 * @nr: how many, at least 1
 * @now: the time
 *
 * Return: its index, or @nr if written data is to leave the cache first: then
 * spindle_destage() is to be called.
 */
u32 spindle_pick(const struct spindle_drive *drive, const struct spindle_command *commands, u32 nr,
		 u64 now);

/**
 * spindle_start - serve a command
 * @drive: the drive, idle
 * @command: which
 * @now: the time
 *
 * Return: when it will be done; until then the drive is busy.
 */
u64 spindle_start(struct spindle_drive *drive, const struct spindle_command *command, u64 now);

/**
 * spindle_destage - write the run of sectors in the write cache that is nearest
 * @drive: the drive, idle, with something in its write cache
 * @now: the time
 *
 * Return: when it will be done; until then the drive is busy.
 */
u64 spindle_destage(struct spindle_drive *drive, u64 now);

static inline bool spindle_is_dirty(const struct spindle_drive *drive)
{
	return drive->nr_dirty;
}

#endif /* SPINDLE_DRIVE_H */
