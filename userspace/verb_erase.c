// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "claim.h"
#include "contents.h"
#include "options.h"
#include "say.h"
#include "stamp_text.h"
#include "superblock_io.h"

struct target {
	const char *path;	/* as typed */
	bool wipe;		/* what else it carries may suffer */
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

/* A stamp survives many a mkfs: what was made later lives there now, and the blocks may be part of it. */
static int check_contents(const struct target *target)
{
	const char *node = target->device->node;
	char *found;
	int result = 0;

	if (contents_find(target->claim.fd, &found) && !target->wipe)
		result = say_error("%s: cannot be probed for what else it carries; --wipe %s says that the stamp may go all the same",
				   node, target->path);
	else if (found && !target->wipe)
		result = say_error("%s carries besides: %s; that may need the 8 KiB where the stamp lies. --wipe %s says that they may go all the same",
				   node, found, target->path);
	else if (found)
		say_note("%s carries besides: %s", node, found);
	free(found);
	return result;
}

static int check(struct target *target)
{
	char *claim, *description;

	target->device = device_by_path(target->path);
	if (!target->device || describe_stamp(target->device, &claim))
		return -1;
	description = device_describe(target->device);
	say_note("%s %s", description, claim);
	free(description);
	free(claim);
	return claim_device(&target->claim, target->device) ?: check_contents(target);
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

static int erase_all(struct target *targets, int count, bool yes)
{
	int result = 0, i;

	for (i = 0; i < count; i++)
		result |= check(&targets[i]);
	if (!result)
		result = confirm(yes);
	for (i = 0; i < count && !result; i++)
		result = erase(&targets[i]);
	return result;
}

enum { OPTION_WIPE = OPTION_OWN };

/* The devices follow the options, so which of them --wipe means is known only then. */
static int take_wipes(const struct verb *verb, char **wipes, int nr_wipes,
		      struct target *targets, int count)
{
	int wipe, i;

	for (wipe = 0; wipe < nr_wipes; wipe++) {
		for (i = 0; i < count && !device_same(wipes[wipe], targets[i].path); i++)
			;
		if (i == count)
			return options_wrong(verb, "--wipe %s: that is none of the devices given",
					     wipes[wipe]);
		targets[i].wipe = true;
	}
	return 0;
}

static int run(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = {
		OPTIONS_HELP, OPTIONS_YES,
		{ "wipe", required_argument, NULL, OPTION_WIPE },
		OPTIONS_END
	};
	char **wipes = xcalloc(argc, sizeof(*wipes));
	struct target *targets = xcalloc(argc, sizeof(*targets));
	int option, result, count, nr_wipes = 0, i;
	bool yes = false;

	while ((option = options_next(verb, argc, argv, options)) >= 0) {
		if (option == OPTION_WIPE)
			wipes[nr_wipes++] = optarg;
		else
			yes = true;
	}
	count = argc - optind;
	for (i = 0; i < count; i++)
		targets[i] = (struct target){ .path = argv[optind + i], .claim = CLAIM_NONE };
	result = count ? take_wipes(verb, wipes, nr_wipes, targets, count) :
			 options_wrong(verb, "give one device or more");
	if (!result)
		result = erase_all(targets, count, yes) ? EXIT_FAILED : EXIT_HEALTHY;
	for (i = 0; i < count; i++) {
		claim_release(&targets[i].claim);
		device_free(targets[i].device);
	}
	free(targets);
	free(wipes);
	return result;
}

const struct verb verb_erase = {
	.name = "erase",
	.summary = "make a leg forget its array",
	.help = "erase DEVICE... [--wipe DEVICE]... [--yes]\n"
		"\n"
		"Writes zeros over the stamps of devices that are in no running array, so that\n"
		"they can be used for something else; the data behind is not touched. Asks\n"
		"first; where nobody can be asked, --yes is needed. A device on which something\n"
		"else lives by now is refused, unless --wipe names it too.\n",
	.needs_root = true,
	.run = run,
};
