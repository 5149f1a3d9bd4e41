// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "alloc.h"
#include "create.h"
#include "interrupt.h"
#include "json.h"
#include "module.h"
#include "number.h"
#include "options.h"
#include "say.h"
#include "shape_options.h"
#include "size.h"
#include "table_line.h"

/* Paths that options name; which legs they are is known only when all words are read. */
struct paths {
	const char **list;
	size_t count;
};

struct request {
	struct creation creation;
	struct paths wipe, copy_from, write_mostly;
	bool dry_run, json, yes;
};

static void add_path(struct paths *paths, const char *path)
{
	paths->list = xrealloc(paths->list, (paths->count + 1) * sizeof(*paths->list));
	paths->list[paths->count++] = path;
}

static int parse_size(const struct verb *verb, const char *word, u64 *bytes)
{
	const char *trouble = size_parse(word, bytes);

	if (trouble)
		return options_wrong(verb, "size '%s' %s", word, trouble);
	if (*bytes < 4096)
		return options_wrong(verb, "size is '%s'; allowed are 4K and more", word);
	return 0;
}

enum {
	OPTION_LAYOUT = OPTION_OWN, OPTION_CHUNK, OPTION_POLICY, OPTION_WRITE_MOSTLY,
	OPTION_ASSUME_CLEAN, OPTION_COPY_FROM, OPTION_WIPE, OPTION_SIZE,
};

static const struct option options[] = {
	OPTIONS_HELP, OPTIONS_JSON, OPTIONS_YES, OPTIONS_DRY_RUN,
	{ "layout", required_argument, NULL, OPTION_LAYOUT },
	{ "chunk", required_argument, NULL, OPTION_CHUNK },
	{ "policy", required_argument, NULL, OPTION_POLICY },
	{ "write-mostly", required_argument, NULL, OPTION_WRITE_MOSTLY },
	{ "assume-clean", no_argument, NULL, OPTION_ASSUME_CLEAN },
	{ "copy-from", required_argument, NULL, OPTION_COPY_FROM },
	{ "wipe", required_argument, NULL, OPTION_WIPE },
	{ "size", required_argument, NULL, OPTION_SIZE },
	OPTIONS_END
};

static int take_option(const struct verb *verb, int option, struct request *request)
{
	struct creation *creation = &request->creation;

	switch (option) {
	case OPTION_LAYOUT:
		return shape_option_layout(verb, optarg, &creation->shape);
	case OPTION_CHUNK:
		return shape_option_chunk(verb, optarg, &creation->shape);
	case OPTION_POLICY:
		return shape_option_policy(verb, optarg, &creation->policy, &creation->policy_argc,
					   creation->policy_argv);
	case OPTION_SIZE:
		return parse_size(verb, optarg, &creation->size_limit);
	case OPTION_WRITE_MOSTLY:
		add_path(&request->write_mostly, optarg);
		break;
	case OPTION_COPY_FROM:
		add_path(&request->copy_from, optarg);
		break;
	case OPTION_WIPE:
		add_path(&request->wipe, optarg);
		break;
	case OPTION_ASSUME_CLEAN:
		creation->assume_clean = true;
		break;
	case OPTION_DRY_RUN:
		request->dry_run = true;
		break;
	case OPTION_JSON:
		request->json = true;
		break;
	case OPTION_YES:
		request->yes = true;
		break;
	}
	return 0;
}

/* Bit mask of the legs that an option named. */
static int find_legs(const struct verb *verb, const char *option, const struct paths *paths,
		     const struct creation *creation, u32 *mask)
{
	size_t i;
	u32 leg;

	*mask = 0;
	for (i = 0; i < paths->count; i++) {
		u64 number;

		if (!strncmp(paths->list[i], "leg", 3) &&
		    mb_number_parse(paths->list[i] + 3, creation->shape.legs - 1, &number)) {
			*mask |= 1u << number;
			continue;
		}
		for (leg = 0; leg < creation->shape.legs; leg++)
			if (device_same(paths->list[i], creation->legs[leg].path))
				break;
		if (leg == creation->shape.legs)
			return options_wrong(verb, "--%s %s: that is none of the devices given",
					     option, paths->list[i]);
		*mask |= 1u << leg;
	}
	return 0;
}

static int take_legs(const struct verb *verb, int argc, char **argv, struct request *request)
{
	struct creation *creation = &request->creation;
	u32 wipe, leg;
	int result;

	if (argc < 1)
		return options_wrong(verb, "give a name and the devices");
	creation->name = argv[0];
	if (strchr(creation->name, '/'))
		return options_wrong(verb, "the name comes before the devices, but '%s' is a path",
				     creation->name);
	if (argc - 1 < MB_MIN_LEGS || argc - 1 > MB_MAX_LEGS)
		return options_wrong(verb, "%d devices are given; allowed are %u to %u", argc - 1,
				     MB_MIN_LEGS, MB_MAX_LEGS);
	creation->shape.legs = argc - 1;
	for (leg = 0; leg < creation->shape.legs; leg++)
		creation->legs[leg].path = argv[1 + leg];
	result = find_legs(verb, "wipe", &request->wipe, creation, &wipe);
	result = result ?: find_legs(verb, "copy-from", &request->copy_from, creation,
				     &creation->copy_from);
	result = result ?: find_legs(verb, "write-mostly", &request->write_mostly, creation,
				     &creation->write_mostly);
	if (!result && creation->assume_clean && creation->copy_from)
		result = options_wrong(verb, "--assume-clean copies nothing, so --copy-from makes no sense");
	/* All of them win: then the first copies do, as if none had been named. */
	if (__builtin_popcount(creation->copy_from) == (int)creation->shape.legs)
		creation->copy_from = 0;
	for (leg = 0; leg < creation->shape.legs; leg++)
		creation->legs[leg].wipe = wipe & (1u << leg);
	return result;
}

/* What is about to be done, before it is. */
static void echo(const struct creation *creation)
{
	char word[8], size[SIZE_TEXT_LEN], chunk[SIZE_TEXT_LEN];

	say_note("array '%s': %s, layout %s, chunk %s, policy %s; these devices become its legs:",
		 creation->name, size_text(size, creation->layout.length << 9),
		 layout_word(word, &creation->shape),
		 size_text(chunk, (u64)creation->shape.chunk_sectors << 9), creation->policy);
	creation_print_legs(creation);
}

static bool wipes_something(const struct creation *creation)
{
	u32 leg;

	for (leg = 0; leg < creation->shape.legs; leg++)
		if (creation->legs[leg].contents)
			return true;
	return false;
}

static int confirm(const struct request *request)
{
	if (request->yes)
		return 0;
	if (can_ask())
		return ask("Everything on them will be lost. Go on?") ? 0 : -1;
	if (wipes_something(&request->creation))
		return say_error("create: something would be wiped and nobody is there to ask; --yes says that it may");
	return 0;
}

/* A copy that wins is not lost. */
static int confirm_keeping(const struct request *request)
{
	const struct creation *creation = &request->creation;

	if (request->yes || !can_ask() || (!creation->assume_clean && !creation->copy_from))
		return confirm(request);
	return ask("Go on?") ? 0 : -1;
}

static void print_dry_run(const struct request *request)
{
	const struct creation *creation = &request->creation;
	char *params = creation_table(creation, true);
	char *line = xprintf("0 %llu %s %s", (unsigned long long)creation->layout.length,
			     MB_TARGET_NAME, params);
	struct json_object *object;

	if (request->json) {
		object = json_object_new_object();
		json_put_text(object, "name", creation->name);
		json_put_number(object, "size_bytes", creation->layout.length << 9);
		json_put_text(object, "table", line);
		json_print(object);
	} else {
		puts(line);
	}
	free(line);
	free(params);
}

static void print_created(const struct view *view, bool json)
{
	char size[SIZE_TEXT_LEN];

	if (json)
		json_print(json_view(view));
	else
		printf("created '%s': %s, /dev/mapper/%s\n", view->name,
		       size_text(size, view->layout.length << 9), view->name);
	say_note("`mirrorbal assemble %s` starts it after a reboot", view->name);
}

/* Whatever fails from here on, it is there. */
static int report_created(const struct request *request)
{
	struct view *view = view_running(request->creation.name);

	if (view)
		print_created(view, request->json);
	if (view && !fflush(stdout) && !ferror(stdout)) {
		view_free(view);
		return EXIT_HEALTHY;
	}
	say_error("array '%s' was created and runs, but that could not be reported",
		  request->creation.name);
	view_free(view);
	return EXIT_FAILED;
}

static int create(struct request *request)
{
	struct creation *creation = &request->creation;

	if (creation_check(creation))
		return EXIT_FAILED;
	/* Whoever reads only the first line of what follows still gets an array. */
	interrupt_ignore_pipe();
	echo(creation);
	creation_warn(creation);
	if (request->dry_run) {
		print_dry_run(request);
		return EXIT_HEALTHY;
	}
	if (module_need_target() || confirm_keeping(request) || creation_apply(creation))
		return EXIT_FAILED;
	return report_created(request);
}

static int run(const struct verb *verb, int argc, char **argv)
{
	struct request request = {
		.creation = {
			.shape = { .kind = MB_LAYOUT_NEAR, .copies = 2, .chunk_sectors = 1024 },
			.policy = MB_DEFAULT_POLICY,
		},
	};
	int option, result = 0;

	while (!result && (option = options_next(verb, argc, argv, options)) >= 0)
		result = take_option(verb, option, &request);
	if (!result)
		result = take_legs(verb, argc - optind, argv + optind, &request);
	if (!result) {
		result = create(&request);
		creation_end(&request.creation);
	}
	free(request.wipe.list);
	free(request.copy_from.list);
	free(request.write_mostly.list);
	return result;
}

const struct verb verb_create = {
	.name = "create",
	.summary = "make an array of disks and start it",
	.help = "create NAME [OPTION]... DEVICE...\n"
		"\n"
		"Checks every device before the first is touched, stamps each as a leg, copies one\n"
		"copy of everything over the others, and starts /dev/mapper/NAME.\n"
		"\n"
		"  --layout n2|f2|o2|...  near, far or offset, and the number of copies; n2\n"
		"  --chunk SIZE           a power of two from 4K to 1G; 512K\n"
		"  --policy NAME[,ARG]... read policy, see `mirrorbal policy --help`\n"
		"  --write-mostly DEVICE  a leg that is read only where no other copy can serve\n"
		"  --assume-clean         the copies are the same already: copy nothing\n"
		"  --copy-from DEVICE     the copies on this leg win; may be repeated. Where none is\n"
		"                         on such a leg, the first copy wins\n"
		"  --wipe DEVICE          what this device carries may go; may be repeated\n"
		"  --size SIZE            use only SIZE of each leg\n"
		"  --dry-run              check, print the dmsetup table line, change nothing\n"
		"  --json                 report as JSON\n"
		"  --yes                  do not ask\n",
	.needs_root = true,
	.run = run,
};
