/* SPDX-License-Identifier: GPL-2.0-only */
/* What every verb is to main(): a name, a help text, a function. */
#ifndef MB_VERB_H
#define MB_VERB_H

#include <stdbool.h>

/* Exit statuses. The first three are health, as `status` reports it. */
enum {
	EXIT_HEALTHY = 0,
	EXIT_DEGRADED = 1,
	EXIT_DOWN = 2,
	EXIT_FAILED = 3,	/* refused, or it did not work */
	EXIT_USAGE = 4,		/* the command line makes no sense */
};

struct verb {
	const char *name;
	const char *summary;	/* one line; NULL hides the verb from the list */
	const char *help;	/* what follows "usage: mirrorbal " */
	bool needs_root;
	int (*run)(const struct verb *verb, int argc, char **argv);
};

extern const struct verb verb_bench;
extern const struct verb verb_assemble;
extern const struct verb verb_create;
extern const struct verb verb_erase;
extern const struct verb verb_examine;
extern const struct verb verb_fail;
extern const struct verb verb_policy;
extern const struct verb verb_set;
extern const struct verb verb_simulate;
extern const struct verb verb_stats;
extern const struct verb verb_status;
extern const struct verb verb_stop;
extern const struct verb verb_table;
extern const struct verb verb_udev_probe;
extern const struct verb verb_wait;

#endif /* MB_VERB_H */
