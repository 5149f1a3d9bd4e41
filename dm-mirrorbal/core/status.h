/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The INFO status line:
 *
 *   <layout> <#legs> <health> <in_sync>/<total> <action> <mismatches> <policy>
 *   <marks> <#counters> {<counter>...} per leg
 *
 * The module prints it from these names, userspace reads it by them.
 */
#ifndef MB_STATUS_H
#define MB_STATUS_H

#include "error.h"
#include "layout.h"
#include "policy.h"
#include "port.h"

/* A leg's counters in their order; new ones are only ever added at the end. */
enum mb_counter {
	MB_COUNTER_READS,
	MB_COUNTER_SECTORS_READ,
	MB_COUNTER_WRITES,
	MB_COUNTER_SECTORS_WRITTEN,
	MB_COUNTER_SEQUENTIAL_READS,	/* continuing where the leg's last read ended */
	MB_COUNTER_READ_ERRORS,
	MB_COUNTER_WRITE_ERRORS,
	MB_COUNTER_REDIRECTED_READS,	/* served here after another leg failed to */
	MB_COUNTER_SECTORS_REPAIRED,
	MB_COUNTER_READS_IN_FLIGHT,
	MB_COUNTER_READ_LATENCY_US,	/* moving average */
	MB_NR_COUNTERS
};

/* Marks of a leg. */
#define MB_MARK_NONE		'.'
#define MB_MARK_WRITE_MOSTLY	'w'
#define MB_MARK_SLOW		's'
#define MB_MARK_BOTH		'b'

struct mb_status {
	enum mb_layout_kind kind;
	u32 copies;
	u32 legs;
	char health[MB_MAX_LEGS + 1];
	char marks[MB_MAX_LEGS + 1];
	u64 in_sync;		/* sectors */
	u64 total;		/* sectors */
	char action[16];
	u64 mismatches;
	char policy[MB_POLICY_NAME_LEN];
	u64 counters[MB_MAX_LEGS][MB_NR_COUNTERS];
};

/**
 * mb_counter_name - short name of a counter, as a machine would want it
 * @counter: which
 *
 * Context: any.
 * Return: lower-case words joined by underscores.
 */
const char *mb_counter_name(enum mb_counter counter);

/**
 * mb_status_parse - read the parameters of an INFO status line
 * @status: receives the result
 * @params: what device-mapper returned after "<start> <length> mirrorbal "
 * @error: receives what is wrong
 *
 * Counters that a newer module adds at the end of a leg are passed over;
 * fewer than MB_NR_COUNTERS is an error.
 *
 * Context: any.
 * Return: 0, or -1 with @error set.
 */
int mb_status_parse(struct mb_status *status, const char *params, struct mb_error *error);

#endif /* MB_STATUS_H */
