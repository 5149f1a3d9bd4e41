// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "contents.h"
#include "json.h"
#include "options.h"
#include "say.h"
#include "stamp_text.h"
#include "superblock_io.h"
#include "users.h"

/* One device, as far as it could be found out. */
struct examined {
	struct device *device;
	enum mb_superblock_verdict verdict;
	struct mb_superblock superblock;
	struct mb_error error;
	/* Of each block by itself: VALID or what is wrong. */
	enum mb_superblock_verdict block_verdicts[MB_SUPERBLOCK_BLOCKS];
	struct mb_error block_errors[MB_SUPERBLOCK_BLOCKS];
	u64 generations[MB_SUPERBLOCK_BLOCKS];
	bool probed;		/* else @contents is not known */
	char *contents;
	char *users;
};

static int examine_blocks(struct examined *examined)
{
	int fd = open(examined->device->node, O_RDONLY | O_DIRECT | O_CLOEXEC);
	u8 *blocks = superblock_buffer();
	int result = fd < 0 ? -1 : superblock_read_blocks(fd, blocks);
	u32 i;

	if (result)
		say_error("%s: cannot be read: %s", examined->device->node, strerror(errno));
	for (i = 0; i < MB_SUPERBLOCK_BLOCKS && !result; i++) {
		const u8 *block = blocks + i * MB_SUPERBLOCK_BYTES;

		examined->block_verdicts[i] = mb_superblock_verify(block, i, superblock_crc32c,
								   &examined->block_errors[i]);
		examined->generations[i] = mb_superblock_generation(block);
	}
	if (!result)
		examined->verdict = mb_superblock_choose(&examined->superblock, blocks,
							 superblock_crc32c, &examined->error);
	free(blocks);
	if (fd >= 0)
		close(fd);
	return result;
}

static void find_contents(struct examined *examined)
{
	int fd = open(examined->device->node, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	examined->probed = !contents_find(fd, &examined->contents);
	close(fd);
}

static void print_blocks(const struct examined *examined)
{
	u32 i;

	for (i = 0; i < MB_SUPERBLOCK_BLOCKS; i++) {
		if (examined->block_verdicts[i] == MB_SUPERBLOCK_VALID)
			printf("  superblock %u  whole, generation %llu\n", i,
			       (unsigned long long)examined->generations[i]);
		else
			printf("  superblock %u  %s\n", i, examined->block_errors[i].text);
	}
}

static void print_text(const struct examined *examined)
{
	char *description = device_describe(examined->device), *claim;

	switch (examined->verdict) {
	case MB_SUPERBLOCK_VALID:
		claim = stamp_claim(&examined->superblock);
		printf("%s %s\n", description, claim);
		free(claim);
		stamp_print(&examined->superblock);
		print_blocks(examined);
		break;
	case MB_SUPERBLOCK_ABSENT:
		printf("%s carries no mirrorbal stamp\n", description);
		break;
	case MB_SUPERBLOCK_DAMAGED:
		printf("%s carries a damaged mirrorbal stamp\n", description);
		print_blocks(examined);
		break;
	case MB_SUPERBLOCK_UNSUPPORTED:
		printf("%s carries a mirrorbal stamp that this version cannot read: %s\n",
		       description, examined->error.text);
		print_blocks(examined);
		break;
	}
	printf("  carries       %s%s\n", examined->contents ? examined->contents :
	       examined->probed ? "nothing else" : "",
	       examined->probed ? "" : " (what else cannot be told: reading failed)");
	if (examined->users)
		printf("  in use        %s\n", examined->users);
	free(description);
}

static const char *verdict_word(enum mb_superblock_verdict verdict)
{
	static const char *const words[] = {
		[MB_SUPERBLOCK_VALID] = "valid", [MB_SUPERBLOCK_ABSENT] = "absent",
		[MB_SUPERBLOCK_DAMAGED] = "damaged", [MB_SUPERBLOCK_UNSUPPORTED] = "unsupported",
	};

	return words[verdict];
}

static struct json_object *examined_json(const struct examined *examined)
{
	struct json_object *object = json_object_new_object();
	struct json_object *blocks = json_object_new_array();
	u32 i;

	json_put_device(object, examined->device);
	json_put_text(object, "stamp", verdict_word(examined->verdict));
	if (examined->verdict == MB_SUPERBLOCK_VALID)
		json_object_object_add(object, "superblock", stamp_json(&examined->superblock));
	else
		json_put_text(object, "reason", examined->error.text);
	for (i = 0; i < MB_SUPERBLOCK_BLOCKS; i++)
		json_object_array_add(blocks, json_object_new_string(
						      verdict_word(examined->block_verdicts[i])));
	json_object_object_add(object, "blocks", blocks);
	json_put_text(object, "carries", examined->contents);
	json_put_bool(object, "probed", examined->probed);
	json_put_text(object, "in_use", examined->users);
	return object;
}

/* What the exit status is to say of one device. */
static int judge(const struct examined *examined)
{
	if (!examined->probed) {
		say_error("%s: cannot be probed for what else it carries", examined->device->node);
		return EXIT_FAILED;
	}
	return examined->verdict == MB_SUPERBLOCK_VALID ? EXIT_HEALTHY : EXIT_DEGRADED;
}

/* A health-like answer: 0 for a leg, 1 for none, 3 for what could not be read. */
static int examine(const char *path, struct json_object *list)
{
	struct examined examined = { .device = device_by_path(path) };
	int result = EXIT_FAILED;

	if (!examined.device)
		return EXIT_FAILED;
	if (!examine_blocks(&examined)) {
		find_contents(&examined);
		examined.users = users_of(examined.device->number);
		if (list)
			json_object_array_add(list, examined_json(&examined));
		else
			print_text(&examined);
		result = judge(&examined);
	}
	device_free(examined.device);
	free(examined.contents);
	free(examined.users);
	return result;
}

static int run(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = { OPTIONS_HELP, OPTIONS_JSON, OPTIONS_END };
	struct json_object *list = NULL;
	int result = EXIT_HEALTHY, one;

	while (options_next(verb, argc, argv, options) >= 0)
		if (!list)
			list = json_object_new_array();
	if (argc == optind)
		return options_wrong(verb, "give one device or more");
	for (; optind < argc; optind++) {
		one = examine(argv[optind], list);
		result = one > result ? one : result;
	}
	if (list)
		json_print(list);
	return result;
}

const struct verb verb_examine = {
	.name = "examine",
	.summary = "show what a device says of itself",
	.help = "examine DEVICE... [--json]\n"
		"\n"
		"Shows the stamp of a leg, and what else lies on the device. Changes nothing. Exit\n"
		"status 0 if every device is a leg, 1 if one is not.\n",
	.needs_root = true,
	.run = run,
};
