// SPDX-License-Identifier: GPL-2.0-only
/* The read policies, each against its rule. */
#include "rig.h"
#include "unit.h"

static const struct mb_policy_ops *policy(const char *name)
{
	const struct mb_policy_ops *const *all;
	u32 nr, i;

	all = mb_policy_builtins(&nr);
	for (i = 0; i < nr; i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	fail_msg("no policy %s", name);
	return NULL;
}

/*
 * What tables may say
 */

static void test_names(void **state)
{
	const struct mb_policy_ops *const *all;
	u32 nr, i, j;

	all = mb_policy_builtins(&nr);
	assert_int_equal(nr, 6);
	for (i = 0; i < nr; i++) {
		assert_true(strlen(all[i]->name) < MB_POLICY_NAME_LEN);
		assert_int_equal(!all[i]->configure, !all[i]->print_args);
		for (j = 0; j < i; j++)
			assert_string_not_equal(all[i]->name, all[j]->name);
	}
	policy(MB_DEFAULT_POLICY);
}

static int configure(const struct mb_policy_ops *ops, void *config, const char *args,
		     struct mb_error *error)
{
	struct mb_shape shape = { .kind = MB_LAYOUT_NEAR, .copies = 2, .legs = 4,
				  .chunk_sectors = 128 };
	struct mb_layout layout;
	struct rig_words words;

	memset(config, 0, ops->config_size);
	error->text[0] = '\0';
	assert_int_equal(mb_layout_init(&layout, &shape, 128 * 128, error), 0);
	rig_split_words(&words, args);
	return mb_policy_configure(ops, config, &layout, words.count, words.word, error);
}

/* What @args mean is printed as @printed, and that means the same again. */
static void check_print(const char *name, const char *args, const char *printed)
{
	const struct mb_policy_ops *ops = policy(name);
	void *first = calloc(1, ops->config_size + 1);
	void *second = calloc(1, ops->config_size + 1);
	struct rig_words words;
	struct mb_error error;
	char text[64] = "junk";
	u32 count;

	if (configure(ops, first, args, &error))
		fail_msg("%s %s: %s", name, args, error.text);
	count = ops->print_args(first, text, sizeof(text));
	assert_string_equal(text, printed);
	rig_split_words(&words, text);
	assert_int_equal(count, words.count);

	assert_int_equal(configure(ops, second, text, &error), 0);
	assert_memory_equal(first, second, ops->config_size + 1);
	free(first);
	free(second);
}

static void test_print_args(void **state)
{
	check_print("round-robin", "", "");
	check_print("round-robin", "0", "");
	check_print("round-robin", "1", "1");
	check_print("round-robin", "65536", "65536");
	check_print("round-robin", "1099511627776", "1099511627776");
	check_print("sequential-affinity", "", "");
	check_print("sequential-affinity", "8192", "");
	check_print("sequential-affinity", "0", "0");
	check_print("sequential-affinity", "2048", "2048");
	check_print("sequential-affinity", "2147483648", "2147483648");
}

static void refuse_args(const char *name, const char *args, const char *wrong, const char *allowed)
{
	const struct mb_policy_ops *ops = policy(name);
	void *config = calloc(1, ops->config_size + 1);
	struct mb_error error;

	if (!configure(ops, config, args, &error))
		fail_msg("%s took '%s'", name, args);
	assert_contains(error.text, name);
	assert_contains(error.text, wrong);
	assert_contains(error.text, allowed);
	free(config);
}

static void test_wrong_args(void **state)
{
	refuse_args("nearest-head", "nosync", "'nosync'",
		    "did you mean `nearest-head 0 1 nosync`?");
	refuse_args("nearest-head", "1 2", "'1'", "takes no arguments");
	refuse_args("queue-length", "5", "'5'", "takes no arguments");
	refuse_args("round-robin", "1 2", "2", "at most 1 argument");
	refuse_args("round-robin", "64k", "'64k'", "0 (every read) to 1099511627776");
	refuse_args("round-robin", "1099511627777", "'1099511627777'", "to 1099511627776");
	refuse_args("round-robin", "-1", "'-1'", "0 (every read)");
	refuse_args("sequential-affinity", "1 2", "2", "at most 1 argument");
	refuse_args("sequential-affinity", "x", "'x'", "0 (never hand over) to 2147483648");
	refuse_args("sequential-affinity", "2147483649", "'2147483649'", "to 2147483648");
}

static void check_set(const char *name, const char *key, const char *value, const char *printed)
{
	const struct mb_policy_ops *ops = policy(name);
	void *config = calloc(1, ops->config_size + 1);
	struct mb_error error;
	char text[64];

	assert_int_equal(configure(ops, config, "", &error), 0);
	if (mb_policy_set(ops, config, key, value, &error))
		fail_msg("%s %s %s: %s", name, key, value, error.text);
	ops->print_args(config, text, sizeof(text));
	assert_string_equal(text, printed);
	free(config);
}

static void refuse_set(const char *name, const char *key, const char *value, const char *wrong,
		       const char *allowed)
{
	const struct mb_policy_ops *ops = policy(name);
	void *config = calloc(1, ops->config_size + 1);
	void *before = calloc(1, ops->config_size + 1);
	struct mb_error error;

	assert_int_equal(configure(ops, config, "", &error), 0);
	memcpy(before, config, ops->config_size);
	assert_int_equal(mb_policy_set(ops, config, key, value, &error), -1);
	assert_contains(error.text, name);
	assert_contains(error.text, wrong);
	assert_contains(error.text, allowed);
	assert_memory_equal(config, before, ops->config_size + 1);
	free(config);
	free(before);
}

static void test_set(void **state)
{
	check_set("round-robin", "bytes", "4096", "4096");
	check_set("round-robin", "bytes", "0", "");
	check_set("sequential-affinity", "window", "64", "64");
	refuse_set("round-robin", "byte", "1", "'byte'", "only bytes");
	refuse_set("round-robin", "bytes", "1M", "'1M'", "0 (every read)");
	refuse_set("sequential-affinity", "windows", "1", "'windows'", "only window");
	refuse_set("sequential-affinity", "window", "", "''", "0 (never hand over)");
	refuse_set("nearest-head", "bytes", "1", "'bytes'", "has no settings");
	refuse_set("queue-length", "bytes", "1", "'bytes'", "has no settings");
}

/*
 * All policies, whatever they are shown
 */

struct any_read {
	struct mb_read read;
	struct mb_place candidates[4];
	struct mb_leg_view views[MB_MAX_LEGS];
};

static void random_read(struct any_read *any)
{
	struct mb_read *read = &any->read;
	u32 leg = random_below(MB_MAX_LEGS), i;

	read->nr_candidates = 2 + random_below(3);
	read->first_leg = random_below(MB_MAX_LEGS);
	read->sector = random_below(1ull << (1 + random_below(50)));
	read->sectors = 1 + random_below(1 << 16);
	read->candidates = any->candidates;
	read->views = any->views;
	for (i = 0; i < read->nr_candidates; i++) {
		any->candidates[i] = (struct mb_place){
			.sector = random_below(1ull << 50),
			.leg = leg,
			.copy = i,
		};
		any->views[leg] = (struct mb_leg_view){
			.last_end = random_below(1ull << 50),
			.in_flight_here = random_below(8) - 2,
			.in_flight_elsewhere = random_below(8) - 2,
			.rotational = random_below(2),
		};
		leg = (leg + 1) % MB_MAX_LEGS;
	}
}

static void test_any_read(void **state)
{
	static const char *const with[][2] = {
		{ "nearest-head", "" }, { "queue-length", "" }, { "round-robin", "" },
		{ "round-robin", "65536" }, { "sequential-affinity", "" },
		{ "sequential-affinity", "1" },
	};
	struct any_read any;
	struct rig rig;
	u32 i, j;

	random_restart();
	for (i = 0; i < ARRAY_SIZE(with); i++) {
		rig_start(&rig, "n4", 4, 128, policy(with[i][0]), with[i][1]);
		for (j = 0; j < 20000; j++) {
			random_read(&any);
			assert_true(rig.ops->select(rig.config, rig.state, &any.read) <
				    any.read.nr_candidates);
		}
		rig_stop(&rig);
	}
}

/*
 * Equal shares
 */

static const struct {
	const char *layout;
	u32 legs;
} shared[] = { { "n2", 2 }, { "n2", 4 }, { "n2", 3 }, { "n3", 5 }, { "f2", 4 }, { "o2", 3 } };

#define SHARE_READS 20000
#define READ_SECTORS 8

static u64 random_sector(const struct rig *rig)
{
	return random_below(rig->layout.length / READ_SECTORS) * READ_SECTORS;
}

static void read_random(struct rig *rig)
{
	u32 i;

	/* Enough for chance itself to stay well below 2 %. */
	for (i = 0; i < 20 * SHARE_READS; i++)
		rig_read(rig, random_sector(rig), READ_SECTORS);
}

static void read_sequential(struct rig *rig)
{
	u64 sector = 0;
	u32 i;

	for (i = 0; i < SHARE_READS; i++, sector += READ_SECTORS)
		rig_read(rig, sector % rig->layout.length, READ_SECTORS);
}

/* First chunk, second, first, second: in step with anything counted globally. */
static void read_alternating(struct rig *rig)
{
	u64 chunk = rig->layout.shape.chunk_sectors;
	u32 i;

	for (i = 0; i < SHARE_READS; i++)
		rig_read(rig, i % rig->layout.shape.legs * chunk, READ_SECTORS);
}

static void (*const readers[])(struct rig *rig) = {
	read_random, read_sequential, read_alternating
};

static const char *const reader_names[] = { "random", "sequential", "alternating" };

static void check_balance(struct rig *rig, u32 reader, const char *when)
{
	u32 imbalance;

	rig_reset_counts(rig);
	readers[reader](rig);
	imbalance = rig_imbalance(rig);
	if (imbalance > 20)
		fail_msg("%s on %u legs, %s reads at depth %u, %s: legs differ by %u.%u %%",
			 rig->ops->name, rig->layout.shape.legs, reader_names[reader], rig->depth,
			 when, imbalance / 10, imbalance % 10);
}

static void check_shares(const char *name, const char *args, u32 depth)
{
	u32 i, reader;

	for (i = 0; i < ARRAY_SIZE(shared); i++) {
		for (reader = 0; reader < ARRAY_SIZE(readers); reader++) {
			struct rig rig;
			u32 all;

			rig_start(&rig, shared[i].layout, shared[i].legs, 128, policy(name), args);
			rig.depth = depth;
			check_balance(&rig, reader, "all there");

			/* A leg goes for a while and comes back. */
			all = rig.readable;
			rig.readable &= ~1u;
			rig_reset_counts(&rig);
			readers[reader](&rig);
			assert_int_equal(rig.reads[0], 0);
			rig.readable = all;
			check_balance(&rig, reader, "after leg 0 was away");
			rig_stop(&rig);
		}
	}
}

static void test_shares_of_round_robin(void **state)
{
	random_restart();
	check_shares("round-robin", "", 1);
	check_shares("round-robin", "", 32);
	check_shares("round-robin", "65536", 1);
}

static void test_shares_of_queue_length(void **state)
{
	random_restart();
	check_shares("queue-length", "", 1);
	check_shares("queue-length", "", 32);
}

/*
 * n2 on 3 legs: chunk 0 lies on legs 0 and 1, chunk 1 on 2 and 0, chunk 2 on
 * 1 and 2. While leg 0 is away, chunk 2 is still shared, whatever the others do.
 */
static void test_shares_of_those_left(void **state)
{
	static const char *const names[] = { "round-robin", "queue-length" };
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		u32 shared_by[3] = { 0 };
		struct rig rig;

		rig_start(&rig, "n2", 3, 128, policy(names[i]), "");
		rig.readable = 0x6;
		for (j = 0; j < 3000; j++) {
			assert_int_equal(rig_read(&rig, 0, 8), 1);
			assert_int_equal(rig_read(&rig, 128, 8), 2);
			shared_by[rig_read(&rig, 256, 8)]++;
		}
		assert_int_equal(shared_by[1], 1500);
		assert_int_equal(shared_by[2], 1500);
		rig_stop(&rig);
	}
}

/*
 * round-robin
 */

static void test_round_robin_turns(void **state)
{
	struct rig rig;
	u32 first, i;

	rig_start(&rig, "n3", 3, 128, policy("round-robin"), "");
	first = rig_read(&rig, 0, 8);
	for (i = 1; i < 30; i++)
		assert_int_equal(rig_read(&rig, random_sector(&rig), 8), (first + i) % 3);
	rig_stop(&rig);
}

/* 32 KiB are eight reads of 4 KiB, or one of 64 KiB. */
static void test_round_robin_runs(void **state)
{
	struct rig rig;
	u32 first, i;

	rig_start(&rig, "n3", 3, 128, policy("round-robin"), "32768");
	first = rig_read(&rig, 0, 8);
	for (i = 1; i < 96; i++)
		assert_int_equal(rig_read(&rig, random_sector(&rig), 8), (first + i / 8) % 3);
	first = rig_read(&rig, 0, 128);
	for (i = 1; i < 12; i++)
		assert_int_equal(rig_read(&rig, 0, 128), (first + i) % 3);
	rig_stop(&rig);
}

/* In far layouts all legs read in the same section for 64 MiB, or for longer if told so. */
static void test_round_robin_in_sections(void **state)
{
	static const struct {
		const char *args;
		u32 run;	/* reads of 64 KiB, all over the array */
	} rows[] = { { "", 1024 }, { "134217728", 2048 } };
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig rig;

		rig_start(&rig, "f2", 3, 128, policy("round-robin"), rows[i].args);
		for (j = 0; j < 4 * rows[i].run; j++) {
			u32 copy = (j / rows[i].run + 1) % 2;

			/* Chunk j has its copies on leg j and the one after it. */
			assert_int_equal(rig_read(&rig, j % 3000 * 128, 128), (j % 3000 + copy) % 3);
		}
		rig_stop(&rig);
	}
}

/* What is printed gives the same again; the default prints as nothing. */
static void check_round_robin_args(const char *layout, const char *args, const char *printed)
{
	struct rig rig;
	char text[32];

	rig_start(&rig, layout, 3, 128, policy("round-robin"), args);
	assert_int_equal(rig.ops->print_args(rig.config, text, sizeof(text)), *printed ? 1 : 0);
	assert_string_equal(text, printed);
	rig_stop(&rig);
}

static void test_round_robin_args(void **state)
{
	check_round_robin_args("n3", "", "");
	check_round_robin_args("n3", "0", "");
	check_round_robin_args("n3", "4096", "4096");
	check_round_robin_args("f3", "", "");
	check_round_robin_args("f3", "67108864", "");
	check_round_robin_args("f3", "0", "0");
	check_round_robin_args("o3", "0", "0");
}

/*
 * queue-length
 */

static u32 in_flight(const struct any_read *any, u32 nr)
{
	const struct mb_leg_view *view = &any->views[any->candidates[nr].leg];
	s32 sum = view->in_flight_here + view->in_flight_elsewhere;

	return sum > 0 ? sum : 0;
}

static void test_queue_length_takes_the_shortest(void **state)
{
	struct any_read any;
	struct rig rig;
	u32 i, j, choice;

	random_restart();
	rig_start(&rig, "n4", 4, 128, policy("queue-length"), "");
	for (i = 0; i < 20000; i++) {
		random_read(&any);
		choice = rig.ops->select(rig.config, rig.state, &any.read);
		for (j = 0; j < any.read.nr_candidates; j++)
			assert_true(in_flight(&any, choice) <= in_flight(&any, j));
	}
	rig_stop(&rig);
}

static void test_queue_length_rotates_ties(void **state)
{
	struct rig rig;
	u32 i, first;

	rig_start(&rig, "n4", 4, 128, policy("queue-length"), "");
	rig.views[2].in_flight_here = 1;
	first = rig_read(&rig, 0, 8);
	assert_int_equal(first, 0);
	for (i = 0; i < 10; i++) {
		assert_int_equal(rig_read(&rig, 0, 8), 1);
		assert_int_equal(rig_read(&rig, 0, 8), 3);
		assert_int_equal(rig_read(&rig, 0, 8), 0);
	}
	rig_stop(&rig);
}

/* In offset layouts a queue that is shorter at all is worth it, and equals take no turns. */
static void test_queue_length_in_rows(void **state)
{
	struct rig rig;
	u32 i;

	rig_start(&rig, "o2", 2, 128, policy("queue-length"), "");
	rig_set_rotational(&rig, 0x3);
	for (i = 0; i < 5; i++)
		assert_int_equal(rig_read(&rig, 0, 8), 0);
	rig.depth = RIG_MAX_DEPTH;
	assert_int_equal(rig_read(&rig, 0, 8), 1);
	assert_int_equal(rig_read(&rig, 0, 8), 0);
	rig_stop(&rig);
}

/* Heads stay in the first section of a far layout until another queue is far shorter. */
static void test_queue_length_in_sections(void **state)
{
	struct rig rig;
	u32 i;

	rig_start(&rig, "f2", 2, 128, policy("queue-length"), "");
	rig_set_rotational(&rig, 0x3);
	rig.depth = RIG_MAX_DEPTH;
	for (i = 0; i < 5; i++)
		assert_int_equal(rig_read(&rig, 0, 8), 0);
	assert_int_equal(rig_read(&rig, 0, 8), 1);
	assert_int_equal(rig_read(&rig, 0, 8), 0);
	assert_int_equal(rig_read(&rig, 0, 8), 1);
	/* Without heads there is no way to go. */
	rig_set_rotational(&rig, 0);
	rig.views[0].in_flight_here = 1;
	rig.views[1].in_flight_here = 0;
	assert_int_equal(rig_read(&rig, 0, 8), 1);
	rig_stop(&rig);
}

/*
 * nearest-head
 */

static u64 gap(const struct any_read *any, u32 nr)
{
	const struct mb_place *candidate = &any->candidates[nr];
	u64 a = candidate->sector, b = any->views[candidate->leg].last_end;

	return a > b ? a - b : b - a;
}

/* Its rule as a list of keys: idle first, nearest, less in flight, lower copy. */
static bool comes_before(const struct any_read *any, u32 a, u32 b)
{
	u64 keys_a[] = { in_flight(any, a) > 0, gap(any, a), in_flight(any, a), a };
	u64 keys_b[] = { in_flight(any, b) > 0, gap(any, b), in_flight(any, b), b };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(keys_a); i++)
		if (keys_a[i] != keys_b[i])
			return keys_a[i] < keys_b[i];
	return true;
}

static void test_nearest_head(void **state)
{
	struct any_read any;
	struct rig rig;
	u32 i, j, choice;

	random_restart();
	rig_start(&rig, "n4", 4, 128, policy("nearest-head"), "");
	for (i = 0; i < 50000; i++) {
		random_read(&any);
		/* Few places, so that equal distances are common. */
		for (j = 0; j < any.read.nr_candidates; j++) {
			any.candidates[j].sector = random_below(6);
			any.views[any.candidates[j].leg].last_end = random_below(6);
		}
		choice = rig.ops->select(rig.config, rig.state, &any.read);
		for (j = 0; j < any.read.nr_candidates; j++)
			assert_true(comes_before(&any, choice, j));
	}
	rig_stop(&rig);
}

/* Two readers far apart, taking turns: each head stays with one of them. */
static void test_nearest_head_keeps_heads_apart(void **state)
{
	struct rig rig;
	u64 far, i;
	u32 low, high;

	rig_start(&rig, "n2", 2, 128, policy("nearest-head"), "");
	far = rig.layout.length / 2;
	rig.views[1].last_end = far;
	low = rig_read(&rig, 0, 8);
	high = rig_read(&rig, far, 8);
	assert_int_not_equal(low, high);
	for (i = 1; i < 200; i++) {
		assert_int_equal(rig_read(&rig, i * 8, 8), low);
		assert_int_equal(rig_read(&rig, far + i * 8, 8), high);
	}
	rig_stop(&rig);
}

/* All data in rows on each leg: a head that is there is waited for, a near one is not. */
static void test_nearest_head_stays_in_its_row(void **state)
{
	struct rig rig;

	rig_start(&rig, "o2", 2, 128, policy("nearest-head"), "");
	rig_set_rotational(&rig, 0x3);
	rig.views[1].last_end = 10000;
	rig.depth = RIG_MAX_DEPTH;
	assert_int_equal(rig_read(&rig, 0, 128), 0);
	assert_int_equal(rig_read(&rig, 128, 128), 0);
	/* Its head is at 256. */
	assert_int_equal(rig_read(&rig, 264, 8), 1);
	/* Without heads idle legs come first. */
	rig_set_rotational(&rig, 0);
	rig_finish(&rig);
	assert_int_equal(rig_read(&rig, 256, 8), 0);
	assert_int_equal(rig_read(&rig, 264, 8), 1);
	rig_stop(&rig);
}

/*
 * sequential-affinity
 */

#define WINDOW 1024
#define WINDOW_ARG "1024"
#define STEP 64

/* A reader that goes on where it stopped. */
struct reader {
	u64 next;
};

static u32 read_on(struct rig *rig, struct reader *reader)
{
	u32 leg = rig_read(rig, reader->next, STEP);

	reader->next += STEP;
	return leg;
}

static u32 read_many(struct rig *rig, struct reader *reader, u32 count)
{
	u32 leg = 0;

	while (count--)
		leg = read_on(rig, reader);
	return leg;
}

static void test_lone_stream_is_handed_over(void **state)
{
	struct reader reader = { 0 };
	struct rig rig;
	u32 leg, i, window;

	rig_start(&rig, "n4", 4, 128, policy("sequential-affinity"), WINDOW_ARG);
	leg = read_many(&rig, &reader, WINDOW / STEP);
	for (window = 1; window < 40; window++) {
		leg = (leg + 1) % 4;
		for (i = 0; i < WINDOW / STEP; i++)
			assert_int_equal(read_on(&rig, &reader), leg);
	}
	rig_stop(&rig);
}

static void test_lone_stream_uses_all_legs_alike(void **state)
{
	static const char *const layouts[] = { "n2", "n4", "f2", "o3" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct reader reader = { 0 };
		struct rig rig;

		rig_start(&rig, layouts[i], 4, 128, policy("sequential-affinity"), "4096");
		rig_reset_counts(&rig);
		read_many(&rig, &reader, 64 * 4096 / STEP);
		if (rig_imbalance(&rig) > 20)
			fail_msg("%s: legs differ by %u thousandths", layouts[i],
				 rig_imbalance(&rig));
		rig_stop(&rig);
	}
}

/*
 * Sides of two legs: a stream is on one of them for a window, then on the other, though
 * its copies are on all legs. The first windows are of before it was a stream.
 */
static void test_stream_keeps_its_side(void **state)
{
	static const char *const layouts[] = { "n2", "o2" };
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct reader reader = { 0 };
		struct rig rig;
		u32 side;

		rig_start(&rig, layouts[i], 4, 128, policy("sequential-affinity"), WINDOW_ARG);
		side = read_many(&rig, &reader, WINDOW / STEP) % 2;
		for (j = 0; j < 40 * WINDOW / STEP; j++) {
			if (!(j % (WINDOW / STEP)))
				side = 1 - side;
			assert_int_equal(read_on(&rig, &reader) % 2, side);
		}
		assert_int_equal(rig_imbalance(&rig) < 60, true);
		rig_stop(&rig);
	}
}

/* Where sides share their legs, others keep off the leg that served a stream last. */
static void test_single_reads_beside_shared_legs(void **state)
{
	struct reader reader = { 0 };
	struct rig rig;

	rig_start(&rig, "n2", 3, 128, policy("sequential-affinity"), "0");
	assert_int_equal(read_many(&rig, &reader, 4), 2);
	/* Chunk 3001 is on legs 2 and 0, in rows 2000 and 2001; the head of leg 2 is there. */
	rig.views[2].last_end = 2000 * 128;
	assert_int_equal(rig_read(&rig, 3001 * 128, 8), 0);
	rig_stop(&rig);
}

/* All heads of a side are where a reader goes on. */
static void move_heads(struct rig *rig, const struct reader *reader, u32 side)
{
	struct mb_place places[MB_MAX_LEGS];
	u32 leg;

	mb_layout_map(&rig->layout, reader->next, places);
	for (leg = side; leg < rig->layout.shape.legs; leg += rig->layout.shape.copies)
		rig->views[leg].last_end = places[0].sector;
}

/* Two streams do not meet on one side, whatever legs of it they are on and its heads are. */
static void test_streams_take_a_side_each(void **state)
{
	static const char *const layouts[] = { "n2", "o2" };
	u32 i, j, start;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		for (start = 0; start < 4; start++) {
			struct reader a = { 0 }, b = { 0 };
			struct rig rig;
			u32 side;

			rig_start(&rig, layouts[i], 4, 128, policy("sequential-affinity"), "0");
			b.next = rig.layout.length / 2 / 512 * 512 + start * 128;
			side = read_many(&rig, &a, 4) % 2;
			for (j = 0; j < 3; j++) {
				move_heads(&rig, &b, side);
				read_on(&rig, &b);
			}
			for (j = 0; j < 40; j++) {
				assert_int_equal(read_on(&rig, &a) % 2, side);
				assert_int_equal(read_on(&rig, &b) % 2, 1 - side);
			}
			rig_stop(&rig);
		}
	}
}

static void test_window_0_never_hands_over(void **state)
{
	struct reader reader = { 0 };
	struct rig rig;
	u32 leg, i;

	rig_start(&rig, "n4", 4, 128, policy("sequential-affinity"), "0");
	leg = read_many(&rig, &reader, 3);
	for (i = 0; i < 4000; i++)
		assert_int_equal(read_on(&rig, &reader), leg);
	rig_stop(&rig);
}

static void start_readers(const struct rig *rig, struct reader *readers, u32 count)
{
	u64 part = rig->layout.length / count / WINDOW * WINDOW;
	u32 i;

	for (i = 0; i < count; i++)
		readers[i].next = i * part;
}

/* As many readers as legs: each has one to itself, and keeps it. */
static void check_readers_apart(u32 depth)
{
	struct reader readers[4];
	u32 legs[4], used = 0, i, round;
	struct rig rig;

	rig_start(&rig, "n4", 4, 128, policy("sequential-affinity"), WINDOW_ARG);
	rig.depth = depth;
	start_readers(&rig, readers, 4);
	for (round = 0; round < 3; round++)
		for (i = 0; i < 4; i++)
			legs[i] = read_on(&rig, &readers[i]);
	for (i = 0; i < 4; i++)
		used |= 1u << legs[i];
	assert_int_equal(used, 0xf);
	for (round = 0; round < 500; round++)
		for (i = 0; i < 4; i++)
			assert_int_equal(read_on(&rig, &readers[i]), legs[i]);
	rig_stop(&rig);
}

static void test_readers_get_legs_of_their_own(void **state)
{
	random_restart();
	check_readers_apart(1);
	check_readers_apart(4);
	check_readers_apart(32);
}

/* Eight readers on four legs: two each. */
static void test_more_readers_than_legs(void **state)
{
	struct reader readers[8];
	struct rig rig;
	u32 i, round;

	random_restart();
	rig_start(&rig, "n4", 4, 128, policy("sequential-affinity"), WINDOW_ARG);
	rig.depth = 8;
	start_readers(&rig, readers, 8);
	for (round = 0; round < 3; round++)
		for (i = 0; i < 8; i++)
			read_on(&rig, &readers[i]);
	rig_reset_counts(&rig);
	for (round = 0; round < 100; round++)
		for (i = 0; i < 8; i++)
			read_on(&rig, &readers[i]);
	assert_int_equal(rig_imbalance(&rig), 0);
	rig_stop(&rig);
}

/* A stream that has stopped no longer keeps the other from being handed over. */
static void test_stream_is_alone_again(void **state)
{
	struct reader readers[2];
	struct rig rig;
	u32 leg, i, used = 0;

	rig_start(&rig, "n2", 2, 128, policy("sequential-affinity"), WINDOW_ARG);
	start_readers(&rig, readers, 2);
	for (i = 0; i < 10; i++) {
		read_on(&rig, &readers[1]);
		leg = read_on(&rig, &readers[0]);
	}
	for (i = 0; i < 250; i++)
		assert_int_equal(read_on(&rig, &readers[0]), leg);
	for (i = 0; i < 2 * WINDOW / STEP + 10; i++)
		used |= 1u << read_on(&rig, &readers[0]);
	assert_int_equal(used, 0x3);
	rig_stop(&rig);
}

/* Of six streams on two legs two end, both on one leg: the rest have two each again, and then stay. */
static void test_streams_spread_when_some_end(void **state)
{
	struct reader readers[6];
	u32 leg[6], on[2], i, j, left, kept_of_0 = 0;
	struct rig rig;

	rig_start(&rig, "n2", 2, 128, policy("sequential-affinity"), WINDOW_ARG);
	start_readers(&rig, readers, 6);
	for (i = 0; i < 10; i++)
		for (j = 0; j < 6; j++)
			leg[j] = read_on(&rig, &readers[j]);
	/* Those that go on: one of leg 0, and the three of leg 1. */
	for (j = 0, left = 0; j < 6; j++)
		if (leg[j] || !kept_of_0++)
			readers[left++] = readers[j];
	assert_int_equal(left, 4);
	for (i = 0; i < 300; i++)
		for (j = 0; j < 4; j++)
			leg[j] = read_on(&rig, &readers[j]);
	for (i = 0; i < 100; i++) {
		on[0] = on[1] = 0;
		for (j = 0; j < 4; j++) {
			assert_int_equal(read_on(&rig, &readers[j]), leg[j]);
			on[leg[j]]++;
		}
		assert_int_equal(on[0], 2);
	}
	rig_stop(&rig);
}

/* After a time with other reads a lone stream gets all legs back. */
static void test_stream_calms_down(void **state)
{
	struct reader reader = { 0 };
	u32 i, used = 0;
	struct rig rig;

	rig_start(&rig, "n2", 2, 128, policy("sequential-affinity"), WINDOW_ARG);
	read_many(&rig, &reader, 10);
	for (i = 0; i < 4 * WINDOW / STEP; i++) {
		read_on(&rig, &reader);
		rig_read(&rig, 200000 + random_below(1000) * 16, 8);
	}
	for (i = 0; i < 7 * WINDOW / STEP; i++)
		used |= 1u << read_on(&rig, &reader);
	assert_int_not_equal(used, 0x3);
	for (i = 0; i < 5 * WINDOW / STEP; i++)
		used |= 1u << read_on(&rig, &reader);
	assert_int_equal(used, 0x3);
	rig_stop(&rig);
}

/* Where time is told, a stream ends when it has paused for far longer than it used to. */
static void test_stream_ends_by_time(void **state)
{
	struct reader readers[2];
	struct rig rig;
	u32 leg[2], i, j, used = 0;

	rig_start(&rig, "n2", 2, 128, policy("sequential-affinity"), WINDOW_ARG);
	rig.ms = 1000;
	start_readers(&rig, readers, 2);
	for (i = 0; i < 3; i++)
		for (j = 0; j < 2; j++)
			leg[j] = read_on(&rig, &readers[j]);
	/* One reads a little now and then, beside many of the other's. */
	for (i = 0; i < 2500; i++) {
		assert_int_not_equal(read_on(&rig, &readers[0]), leg[1]);
		if (i % 400 == 0) {
			rig.ms += 150;
			leg[1] = read_on(&rig, &readers[1]);
		}
	}
	/* Then no more: the other soon has both legs. */
	rig.ms += 700;
	for (i = 0; i < 30 * WINDOW / STEP; i++)
		used |= 1u << read_on(&rig, &readers[0]);
	assert_int_equal(used, 0x3);
	rig_stop(&rig);
}

/* Two streams that had to share a leg part as soon as there is another. */
static void test_streams_part(void **state)
{
	struct reader readers[2];
	struct rig rig;
	u32 i;

	rig_start(&rig, "n2", 2, 128, policy("sequential-affinity"), WINDOW_ARG);
	rig.readable = 0x1;
	start_readers(&rig, readers, 2);
	for (i = 0; i < 10; i++) {
		read_on(&rig, &readers[0]);
		read_on(&rig, &readers[1]);
	}
	rig.readable = 0x3;
	for (i = 0; i < 2 * WINDOW / STEP; i++) {
		read_on(&rig, &readers[0]);
		read_on(&rig, &readers[1]);
	}
	for (i = 0; i < 2 * WINDOW / STEP; i++)
		assert_int_not_equal(read_on(&rig, &readers[0]), read_on(&rig, &readers[1]));
	rig_stop(&rig);
}

/* A stream has ended, and random reads come near to where it would go on. */
static void test_random_reads_let_a_stream_end(void **state)
{
	struct reader reader = { 0 };
	u32 leg, i, there = 0;
	struct rig rig;

	random_restart();
	rig_start(&rig, "n2", 2, 128, policy("sequential-affinity"), "0");
	leg = read_many(&rig, &reader, 10);
	for (i = 0; i < 2000; i++)
		rig_read(&rig, random_below(16384) * 8, 8);
	for (i = 0; i < 1000; i++)
		there += rig_read(&rig, random_below(16384) * 8, 8) == leg;
	assert_in_range(there, 300, 700);
	rig_stop(&rig);
}

/* Random reads beside a stream leave the stream's leg alone. */
static void test_random_reads_avoid_a_stream(void **state)
{
	struct reader reader = { 0 };
	struct rig rig;
	u32 i, leg;

	random_restart();
	rig_start(&rig, "n4", 4, 128, policy("sequential-affinity"), WINDOW_ARG);
	read_many(&rig, &reader, 3);
	for (i = 0; i < 5000; i++) {
		leg = read_on(&rig, &reader);
		/* Far behind the stream, and never two in a row. */
		assert_int_not_equal(rig_read(&rig, rig.layout.length - 128 -
					      (i % 2 ? 0 : 65536) - random_below(256) * 128, 8),
				     leg);
	}
	rig_stop(&rig);
}

/* The stream's leg is gone: another takes over, and keeps the stream. */
static void test_stream_moves_off_a_missing_leg(void **state)
{
	struct reader reader = { 0 };
	struct rig rig;
	u32 leg, other, i;

	rig_start(&rig, "n4", 4, 128, policy("sequential-affinity"), "0");
	leg = read_many(&rig, &reader, 10);
	rig.readable &= ~(1u << leg);
	other = read_on(&rig, &reader);
	assert_int_not_equal(other, leg);
	for (i = 0; i < 100; i++)
		assert_int_equal(read_on(&rig, &reader), other);
	rig.readable = 0xf;
	for (i = 0; i < 100; i++)
		assert_int_equal(read_on(&rig, &reader), other);
	rig_stop(&rig);
}

static void test_hand_over_skips_a_missing_leg(void **state)
{
	struct reader reader = { 0 };
	struct rig rig;

	rig_start(&rig, "n4", 4, 128, policy("sequential-affinity"), WINDOW_ARG);
	rig.readable = 0xb;
	read_many(&rig, &reader, 60 * WINDOW / STEP);
	assert_int_equal(rig.reads[2], 0);
	assert_int_equal(rig.reads[0], rig.reads[1]);
	assert_int_equal(rig.reads[1], rig.reads[3]);
	rig_stop(&rig);
}

/* Reads of one stream that overtake one another do not make a second one. */
static void test_slightly_out_of_order(void **state)
{
	struct reader reader = { 0 };
	struct rig rig;
	u32 leg, i;

	rig_start(&rig, "n4", 4, 128, policy("sequential-affinity"), "0");
	leg = read_many(&rig, &reader, 3);
	for (i = 0; i < 500; i++) {
		assert_int_equal(rig_read(&rig, reader.next + STEP, STEP), leg);
		assert_int_equal(rig_read(&rig, reader.next, STEP), leg);
		reader.next += 2 * STEP;
	}
	rig_stop(&rig);
}

/* A stream survives more random reads than the policy has room to remember. */
static void test_stream_survives_random_reads(void **state)
{
	struct reader reader = { 0 };
	struct rig rig;
	u32 leg, i, j;

	random_restart();
	rig_start(&rig, "n4", 4, 128, policy("sequential-affinity"), "0");
	leg = read_many(&rig, &reader, 3);
	/* Were it forgotten and placed anew, it would go to an idle leg. */
	rig.views[leg].in_flight_here += 10;
	for (i = 0; i < 50; i++) {
		for (j = 0; j < 100; j++)
			rig_read(&rig, 200000 + random_below(1000) * 128, 8);
		assert_int_equal(read_on(&rig, &reader), leg);
	}
	rig_stop(&rig);
}

/* A read that continues nothing: the least busy leg, among equals the nearest head. */
static void test_stray_reads(void **state)
{
	struct rig rig;

	rig_start(&rig, "n4", 4, 128, policy("sequential-affinity"), WINDOW_ARG);
	rig.views[0].last_end = 0;
	rig.views[1].last_end = 30000;
	rig.views[2].last_end = 20000;
	rig.views[3].last_end = 40000;
	assert_int_equal(rig_read(&rig, 24832, 8), 2);
	assert_int_equal(rig_read(&rig, 1024, 8), 0);
	assert_int_equal(rig_read(&rig, 90112, 8), 3);
	rig.views[3].in_flight_here += 2;
	assert_int_equal(rig_read(&rig, 90112 + 1024, 8), 1);
	rig_stop(&rig);
}

/* A policy remembers 16 streams: the seventeenth takes the place of one that has stopped. */
static void test_most_streams(void **state)
{
	struct reader readers[17];
	u32 legs[17], i, round;
	struct rig rig;

	rig_start(&rig, "n4", 4, 128, policy("sequential-affinity"), WINDOW_ARG);
	start_readers(&rig, readers, ARRAY_SIZE(readers));
	for (round = 0; round < 3; round++)
		for (i = 0; i < 16; i++)
			legs[i] = read_on(&rig, &readers[i]);
	/* Reader 0 stops, 16 begins. */
	for (round = 0; round < 3; round++)
		for (i = 1; i < 17; i++)
			legs[i] = read_on(&rig, &readers[i]);
	/* Who were forgotten would now be placed anew: on another leg. */
	for (i = 1; i < 17; i++) {
		rig.views[legs[i]].in_flight_here += 10;
		assert_int_equal(read_on(&rig, &readers[i]), legs[i]);
		rig.views[legs[i]].in_flight_here -= 10;
	}
	rig_stop(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_print_args),
		cmocka_unit_test(test_wrong_args),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_any_read),
		cmocka_unit_test(test_shares_of_round_robin),
		cmocka_unit_test(test_shares_of_queue_length),
		cmocka_unit_test(test_shares_of_those_left),
		cmocka_unit_test(test_round_robin_turns),
		cmocka_unit_test(test_round_robin_runs),
		cmocka_unit_test(test_round_robin_in_sections),
		cmocka_unit_test(test_round_robin_args),
		cmocka_unit_test(test_queue_length_takes_the_shortest),
		cmocka_unit_test(test_queue_length_rotates_ties),
		cmocka_unit_test(test_queue_length_in_sections),
		cmocka_unit_test(test_queue_length_in_rows),
		cmocka_unit_test(test_nearest_head),
		cmocka_unit_test(test_nearest_head_keeps_heads_apart),
		cmocka_unit_test(test_nearest_head_stays_in_its_row),
		cmocka_unit_test(test_lone_stream_is_handed_over),
		cmocka_unit_test(test_lone_stream_uses_all_legs_alike),
		cmocka_unit_test(test_stream_keeps_its_side),
		cmocka_unit_test(test_single_reads_beside_shared_legs),
		cmocka_unit_test(test_streams_take_a_side_each),
		cmocka_unit_test(test_window_0_never_hands_over),
		cmocka_unit_test(test_readers_get_legs_of_their_own),
		cmocka_unit_test(test_more_readers_than_legs),
		cmocka_unit_test(test_stream_is_alone_again),
		cmocka_unit_test(test_stream_ends_by_time),
		cmocka_unit_test(test_streams_spread_when_some_end),
		cmocka_unit_test(test_stream_calms_down),
		cmocka_unit_test(test_streams_part),
		cmocka_unit_test(test_random_reads_let_a_stream_end),
		cmocka_unit_test(test_random_reads_avoid_a_stream),
		cmocka_unit_test(test_stream_moves_off_a_missing_leg),
		cmocka_unit_test(test_hand_over_skips_a_missing_leg),
		cmocka_unit_test(test_slightly_out_of_order),
		cmocka_unit_test(test_stream_survives_random_reads),
		cmocka_unit_test(test_stray_reads),
		cmocka_unit_test(test_most_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
