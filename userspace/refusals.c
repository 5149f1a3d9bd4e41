// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <string.h>

#include "port.h"
#include "refusals.h"

struct refusal {
	const char *word;
	const char *answer;
};

#define NOT_YET "is not in this version"

static const struct refusal planned[] = {
	{ "add", NOT_YET ": `mirrorbal status NAME` says how to get a new leg in" },
	{ "remove", NOT_YET ": `mirrorbal fail NAME LEG` stops the use of a leg" },
	{ "replace", NOT_YET ": `mirrorbal status NAME` says how to get a new leg in" },
	{ "scrub", NOT_YET ": a resync, by `dmsetup message NAME 0 resync`, makes all copies like the first" },
	{ "monitor", NOT_YET ": `dmsetup wait NAME` returns when a leg fails" },
	{ "rescue", NOT_YET },
	{ "doctor", NOT_YET },
	{ "adopt", NOT_YET ": an md raid10 array can be read by a plain `dmsetup create` line, see docs" },
	{ "release", NOT_YET },
	{ "grow", NOT_YET },
};

/* Both the long and the short forms that fingers know from mdadm. */
static const struct refusal habits[] = {
	{ "--create", "is mdadm's; here it is: mirrorbal create NAME --layout n2 DEVICE..." },
	{ "-C", "is mdadm's; here it is: mirrorbal create NAME --layout n2 DEVICE..." },
	{ "--build", "is mdadm's; an array without stamps is made by a plain `dmsetup create` line" },
	{ "-B", "is mdadm's; an array without stamps is made by a plain `dmsetup create` line" },
	{ "--assemble", "is mdadm's; here it is: mirrorbal assemble NAME, or mirrorbal assemble --all" },
	{ "-A", "is mdadm's; here it is: mirrorbal assemble NAME, or mirrorbal assemble --all" },
	{ "--detail", "is mdadm's; here it is: mirrorbal status NAME" },
	{ "-D", "is mdadm's; here it is: mirrorbal status NAME" },
	{ "--query", "is mdadm's; here it is: mirrorbal examine DEVICE, or mirrorbal status NAME" },
	{ "-Q", "is mdadm's; here it is: mirrorbal examine DEVICE, or mirrorbal status NAME" },
	{ "--examine", "is mdadm's; here it is: mirrorbal examine DEVICE" },
	{ "-E", "is mdadm's; here it is: mirrorbal examine DEVICE" },
	{ "--scan", "is mdadm's; here it is: mirrorbal status" },
	{ "-s", "is mdadm's; here it is: mirrorbal status" },
	{ "--stop", "is mdadm's; here it is: mirrorbal stop NAME" },
	{ "-S", "is mdadm's; here it is: mirrorbal stop NAME" },
	{ "--fail", "is mdadm's; here it is: mirrorbal fail NAME LEG" },
	{ "-f", "is mdadm's; here it is: mirrorbal fail NAME LEG" },
	{ "--set-faulty", "is mdadm's; here it is: mirrorbal fail NAME LEG" },
	{ "--zero-superblock", "is mdadm's; here it is: mirrorbal erase DEVICE" },
	{ "--manage", "is mdadm's; here are `fail`, `set` and `stop`" },
	{ "--misc", "is mdadm's; here are `status`, `examine`, `stop` and `erase`" },
	{ "--add", "is mdadm's; the verb for it, `add`, " NOT_YET },
	{ "-a", "is mdadm's; the verb for it, `add`, " NOT_YET },
	{ "--re-add", "is mdadm's; the verb for it, `add`, " NOT_YET },
	{ "--remove", "is mdadm's; the verb for it, `remove`, " NOT_YET },
	{ "-r", "is mdadm's; the verb for it, `remove`, " NOT_YET },
	{ "--replace", "is mdadm's; the verb for it, `replace`, " NOT_YET },
	{ "--grow", "is mdadm's; the verb for it, `grow`, " NOT_YET },
	{ "-G", "is mdadm's; the verb for it, `grow`, " NOT_YET },
	{ "--monitor", "is mdadm's; the verb for it, `monitor`, " NOT_YET },
	{ "--follow", "is mdadm's; the verb for it, `monitor`, " NOT_YET },
	{ "-F", "is mdadm's; the verb for it, `monitor`, " NOT_YET },
	{ "--wait", "is mdadm's; here it is: mirrorbal wait NAME" },
	{ "-W", "is mdadm's; here it is: mirrorbal wait NAME" },
	{ "--incremental", "is mdadm's; starting by udev " NOT_YET },
	{ "-I", "is mdadm's; starting by udev " NOT_YET },
	{ "detail", "is not the word; here it is: mirrorbal status NAME" },
	{ "delete", "is not the word; here are `stop NAME` and `erase DEVICE`" },
	{ "start", "is not the word; here it is: mirrorbal assemble NAME" },
	{ "list", "is not the word; here it is: mirrorbal status" },
	{ "show", "is not the word; here it is: mirrorbal status NAME" },
};

const char *refusal_of(const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(planned); i++)
		if (!strcmp(word, planned[i].word))
			return planned[i].answer;
	for (i = 0; i < ARRAY_SIZE(habits); i++)
		if (!strcmp(word, habits[i].word))
			return habits[i].answer;
	return NULL;
}
