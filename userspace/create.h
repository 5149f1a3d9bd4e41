/* SPDX-License-Identifier: GPL-2.0-only */
/* An array to be: first checked, then made. */
#ifndef MB_CREATE_H
#define MB_CREATE_H

#include "claim.h"
#include "policy.h"
#include "superblock.h"
#include "table.h"

struct creation_leg {
	const char *path;	/* as typed */
	struct device *device;
	struct claim claim;
	bool wipe;		/* what it carries may go */
	char *contents;		/* what it carries; NULL for nothing */
	u64 data_offset;	/* sectors */
	u64 usable;		/* sectors for data */
};

struct creation {
	/* As asked for. */
	const char *name;
	struct mb_shape shape;
	const char *policy;
	u32 policy_argc;
	char *policy_argv[MB_MAX_POLICY_ARGS + 1];
	u32 write_mostly;	/* bit masks of legs */
	u32 copy_from;
	bool assume_clean;
	u64 size_limit;		/* bytes of each leg at most; 0 for no limit */
	struct creation_leg legs[MB_MAX_LEGS];

	/* As found by creation_check(). */
	struct mb_layout layout;
	u32 logical_block;	/* bytes; of the array */
};

/**
 * creation_check - can it be made? Nothing is changed.
 * @creation: as asked for; the rest is filled in, the legs are claimed
 *
 * Goes on after the first trouble, to tell of all legs at once.
 *
 * Return: 0, or -1 having said why not.
 */
int creation_check(struct creation *creation);

/* The policy alone; 0, or -1 having said what is wrong with it. */
int creation_check_policy(const struct creation *creation);

/* Write it down for the superblocks; 0, or -1 having said why it cannot be kept. */
int creation_note_policy(const struct creation *creation, struct mb_state *state);

/* The devices alone, whatever is to become of them: as creation_check(), and no array need be possible. */
int creation_check_devices(struct creation *creation);

/**
 * creation_add_former - what lies where the data will begin is part of what legs carry
 * @creation: checked
 *
 * For whoever is to be told all that would be lost.
 *
 * Return: 0, or -1 having said which device cannot be read.
 */
int creation_add_former(struct creation *creation);

/* A table of the devices and what they carry, on standard error. */
void creation_print_legs(const struct creation *creation);

/* Things that work but may surprise. */
void creation_warn(const struct creation *creation);

/**
 * creation_apply - make it
 * @creation: checked
 *
 * Fails or is interrupted: no device is left, and no stamp.
 *
 * Return: 0, or -1 having said why and what state things are in.
 */
int creation_apply(struct creation *creation);

/**
 * creation_undo - stop the array and erase its stamps
 * @creation: applied
 *
 * The legs are claimed again afterwards, so that it can be applied once more.
 *
 * Return: 0, or -1 having said what is left.
 */
int creation_undo(struct creation *creation);

/* The table line; by lasting names, or by device numbers for the kernel. */
char *creation_table(const struct creation *creation, bool lasting);

/* Gives the legs back and frees what the check found. */
void creation_end(struct creation *creation);

#endif /* MB_CREATE_H */
