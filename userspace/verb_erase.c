// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "claim.h"
#include "options.h"
#include "say.h"
#include "stamp_text.h"
#include "superblock_io.h"

struct target {
	struct device *device;
	struct claim claim;
};

/* What the device says of itself, or -1 having said that there is nothing to erase. */
static int describe_stamp(const struct device *device, char **text)
{
	enum mb_superblock_verdict verdict;
	struct mb_superblock superblock;
	struct mb_error error;

	if (superblock_read(device->node, &superblock, &verdict, &error))
		return say_error("%s: cannot be read: %s", device->node, strerror(errno));
	switch (verdict) {
	case MB_SUPERBLOCK_ABSENT:
		return say_error("%s carries no mirrorbal stamp; `wipefs` removes other things",
				 device->node);
	case MB_SUPERBLOCK_VALID:
		*text = stamp_claim(&superblock);
		return 0;
	default:
		*text = xprintf("carries a stamp that cannot be read: %s", error.text);
		return 0;
	}
}

static int check(struct target *target, const char *path)
{
	char *claim, *description;

	target->device = device_by_path(path);
	if (!target->device || describe_stamp(target->device, &claim))
		return -1;
	description = device_describe(target->device);
	say_note("%s %s", description, claim);
	free(description);
	free(claim);
	return claim_device(&target->claim, target->device);
}

static int erase(const struct target *target)
{
	if (superblock_erase(target->claim.direct))
		return say_error("%s: cannot erase the stamp: %s", target->device->node,
				 strerror(errno));
	say_note("%s is no leg any more; its data is as it was", target->device->node);
	return 0;
}

static int confirm(bool yes)
{
	if (yes)
		return 0;
	if (!can_ask())
		return say_error("erase: nobody to ask; --yes says that the stamps may go");
	return ask("Forget that they are legs?") ? 0 : -1;
}

static int run(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = { OPTIONS_HELP, OPTIONS_YES, OPTIONS_END };
	struct target *targets;
	int result = 0, count, i;
	bool yes = false;

	while (options_next(verb, argc, argv, options) >= 0)
		yes = true;
	count = argc - optind;
	if (!count)
		return options_wrong(verb, "give one device or more");
	targets = xcalloc(count, sizeof(*targets));
	for (i = 0; i < count; i++)
		targets[i].claim = CLAIM_NONE;
	for (i = 0; i < count; i++)
		result |= check(&targets[i], argv[optind + i]);
	if (!result)
		result = confirm(yes);
	for (i = 0; i < count && !result; i++)
		result = erase(&targets[i]);
	for (i = 0; i < count; i++) {
		claim_release(&targets[i].claim);
		device_free(targets[i].device);
	}
	free(targets);
	return result ? EXIT_FAILED : EXIT_HEALTHY;
}

const struct verb verb_erase = {
	.name = "erase",
	.summary = "make a leg forget its array",
	.help = "erase DEVICE... [--yes]\n"
		"\n"
		"Writes zeros over the stamps of devices that are in no running array, so that\n"
		"they can be used for something else; the data behind is not touched. Asks\n"
		"first; where nobody can be asked, --yes is needed.\n",
	.needs_root = true,
	.run = run,
};
