/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a leg says of itself: two blocks of 4 KiB at 64 KiB and 68 KiB, each
 * complete, written in turn, so that one is whole after any crash. This file
 * and superblock.c know every offset; docs/on-disk-format.md describes them.
 * The first 64 KiB of a leg belong to nobody and are left alone.
 */
#ifndef MB_SUPERBLOCK_H
#define MB_SUPERBLOCK_H

#include "error.h"
#include "history.h"
#include "layout.h"
#include "port.h"

#define MB_SUPERBLOCK_BYTES	4096u
#define MB_SUPERBLOCK_BLOCKS	2u
#define MB_SUPERBLOCK_SECTOR	128u	/* block 0; block 1 follows at once */
#define MB_SUPERBLOCK_VERSION	1u

/* A stamped leg's data begins no earlier: both blocks and some room. */
#define MB_STAMPED_MIN_DATA_OFFSET 256u	/* sectors, 128 KiB */

/* Where the write-intent bitmap and the list of bad ranges of new arrays lie, in sectors. */
#define MB_INTENT_SECTOR	144u
#define MB_INTENT_SECTORS	128u
#define MB_BAD_SECTOR		272u
#define MB_BAD_SECTORS		128u
#define MB_MAX_REGION_SECTORS	(1u << 31)
#define MB_MIN_REGION_SECTORS	8192u	/* of new arrays: smaller ones would be marked too often */

#define MB_NAME_BYTES	64u
#define MB_MODEL_BYTES	40u
#define MB_SERIAL_BYTES	32u
#define MB_POLICY_BYTES	32u
#define MB_POLICY_ARGS_BYTES 256u

/* The copies have not all been written yet: nothing may start this array. */
#define MB_INCOMPAT_CREATING	(1u << 0)
/* The state of the array is kept, below. All have it whose creation is finished. */
#define MB_INCOMPAT_METADATA	(1u << 1)
#define MB_INCOMPAT_KNOWN	(MB_INCOMPAT_CREATING | MB_INCOMPAT_METADATA)

/*
 * While MB_INCOMPAT_CREATING: MB_LEG_IN_SYNC is a leg whose copies win,
 * MB_LEG_NOT_IN_SYNC one that is being overwritten; none in sync means that
 * the first copy of everything wins, all that they are the same already.
 */

/* A leg as all legs remember it, since a dead disk cannot tell. */
struct mb_superblock_leg {
	u8 uuid[MB_UUID_BYTES];
	char state;	/* MB_LEG_* */
	bool write_mostly;
	bool rebuilding;	/* not in sync, and not all of it is known from the write-intent bitmap */
	u32 rebuilt;		/* if so: MiB of the leg that have been copied */
	char model[MB_MODEL_BYTES + 1];
	char serial[MB_SERIAL_BYTES + 1];
};

/* What is kept of an array with MB_INCOMPAT_METADATA, besides its legs' states. */
struct mb_state {
	bool dirty;		/* in use, or was not stopped in order */
	bool copy_writes;
	u32 resync_limit;	/* KiB/s; 0: none */
	u64 updated;		/* seconds since 1970 UTC */
	struct mb_history history;
	/* Write-intent bitmap; its place is the same on all legs. */
	u32 intent_sector;	/* on the leg */
	u32 intent_sectors;
	u32 region_sectors;	/* of the array that a bit stands for, a power of two */
	/* List of bad ranges, likewise. */
	u32 bad_sector;
	u32 bad_sectors;
	char policy[MB_POLICY_BYTES + 1];
	char policy_args[MB_POLICY_ARGS_BYTES + 1];
};

/* Decoded; too large for a kernel stack. */
struct mb_superblock {
	u32 number;		/* of the block it was read from */
	u64 generation;		/* counts superblock writes of the array */
	u32 compat;		/* features that an older reader may pass over */
	u32 incompat;		/* features that it must know */
	u8 array_uuid[MB_UUID_BYTES];
	char name[MB_NAME_BYTES + 1];
	u32 leg;		/* number of the leg that carries this block */
	struct mb_shape shape;
	u64 length;		/* sectors of the array */
	u64 data_offset;	/* sectors, of this leg */
	u64 leg_sectors;	/* sectors of this leg that the layout uses */
	u32 logical_block_bytes;	/* of the array */
	u64 created;		/* seconds since 1970 UTC */
	struct mb_superblock_leg legs[MB_MAX_LEGS];
	struct mb_state state;
};

enum mb_superblock_verdict {
	MB_SUPERBLOCK_VALID,
	MB_SUPERBLOCK_ABSENT,		/* no magic: some other data */
	MB_SUPERBLOCK_DAMAGED,		/* magic, but torn or overwritten */
	MB_SUPERBLOCK_UNSUPPORTED,	/* whole, but not to be touched by this version */
};

/**
 * typedef mb_crc32c_fn - CRC32C, reflected, without inversion at either end
 * @crc: value so far, ~0 at the start
 * @data: bytes
 * @bytes: their number
 *
 * The kernel's crc32c() and libext2fs' ext2fs_crc32c_le() both are this.
 */
typedef u32 (*mb_crc32c_fn)(u32 crc, const u8 *data, size_t bytes);

/**
 * mb_superblock_name_check - may an array be called that?
 * @name: the name
 * @error: receives what is wrong
 *
 * Allowed is what device-mapper, udev, LVM and shells take as it is.
 *
 * Context: any.
 * Return: 0, or -1 with @error set.
 */
int mb_superblock_name_check(const char *name, struct mb_error *error);

/**
 * mb_superblock_check - may these values be written?
 * @superblock: the values
 * @error: receives what is wrong
 *
 * Context: any.
 * Return: 0, or -1 with @error set.
 */
int mb_superblock_check(const struct mb_superblock *superblock, struct mb_error *error);

/**
 * mb_superblock_fits - is this what a table says of a leg?
 * @superblock: of the leg
 * @layout: of the table
 * @leg: number of the leg
 * @data_offset: sectors, of the leg
 * @error: receives what differs
 *
 * What never changes, and nothing else.
 *
 * Context: any.
 * Return: 0, or -1 with @error set.
 */
int mb_superblock_fits(const struct mb_superblock *superblock, const struct mb_layout *layout,
		       u32 leg, u64 data_offset, struct mb_error *error);

/**
 * mb_state_set_policy - keep a policy's name and arguments
 * @state: is changed; what cannot be kept gives way to the default policy
 * @name: its name
 * @args: its arguments, separated by blanks
 * @error: receives why it cannot be kept
 *
 * Context: any.
 * Return: 0, or -1 with @error set.
 */
int mb_state_set_policy(struct mb_state *state, const char *name, const char *args,
			struct mb_error *error);

/**
 * mb_superblock_place_areas - where a new array keeps its bitmap and its list
 * @superblock: its length is known
 *
 * Context: any.
 */
void mb_superblock_place_areas(struct mb_superblock *superblock);

/**
 * mb_superblock_encode - make a block of the values
 * @block: receives MB_SUPERBLOCK_BYTES bytes
 * @superblock: values that mb_superblock_check() accepts
 * @number: which of the MB_SUPERBLOCK_BLOCKS this is for
 * @crc32c: checksum function
 *
 * Context: any.
 */
void mb_superblock_encode(u8 *block, const struct mb_superblock *superblock, u32 number,
			  mb_crc32c_fn crc32c);

/**
 * mb_superblock_verify - is this block whole?
 * @block: MB_SUPERBLOCK_BYTES bytes
 * @number: which block was read
 * @crc32c: checksum function
 * @error: receives what is wrong unless the block is VALID
 *
 * Looks at magic, checksum, block number, version and feature bits, not at
 * the values.
 *
 * Context: any.
 * Return: the verdict.
 */
enum mb_superblock_verdict mb_superblock_verify(const u8 *block, u32 number, mb_crc32c_fn crc32c,
						struct mb_error *error);

/**
 * mb_superblock_generation - of a block that is whole
 * @block: MB_SUPERBLOCK_BYTES bytes
 *
 * Context: any.
 */
u64 mb_superblock_generation(const u8 *block);

/**
 * mb_superblock_decode - read one block
 * @superblock: receives the values
 * @block: MB_SUPERBLOCK_BYTES bytes
 * @number: which block was read
 * @crc32c: checksum function
 * @error: receives what is wrong unless the block is VALID
 *
 * Context: any.
 * Return: the verdict; @superblock means nothing unless it is VALID.
 */
enum mb_superblock_verdict mb_superblock_decode(struct mb_superblock *superblock, const u8 *block,
						u32 number, mb_crc32c_fn crc32c,
						struct mb_error *error);

/**
 * mb_superblock_choose - read a leg's newest block
 * @superblock: receives the values
 * @blocks: both blocks, one after the other as on the leg
 * @crc32c: checksum function
 * @error: receives what is wrong unless the verdict is VALID
 *
 * A damaged block gives way to the other one. A whole block of a kind that
 * this version does not know never does: the older one would be stale.
 *
 * Context: any.
 * Return: the verdict on the leg.
 */
enum mb_superblock_verdict mb_superblock_choose(struct mb_superblock *superblock, const u8 *blocks,
						mb_crc32c_fn crc32c, struct mb_error *error);

#endif /* MB_SUPERBLOCK_H */
