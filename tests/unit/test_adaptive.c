// SPDX-License-Identifier: GPL-2.0-only
/* What adaptive concludes from what it is told; what comes of it is in test_simulator.c. */
#include "rig.h"
#include "unit.h"

static void start(struct rig *rig, u32 legs, u32 rotational_legs)
{
	char layout[] = "n0";

	layout[1] = '0' + legs;
	rig_start(rig, layout, legs, 128, &mb_adaptive_ops, "");
	rig_set_rotational(rig, rotational_legs);
	rig->depth = RIG_MAX_DEPTH;
}

static void set_view(struct rig *rig, u32 leg, u32 latency, u32 at_once, u32 in_flight)
{
	rig->views[leg].latency = latency;
	rig->views[leg].at_once = at_once;
	rig->views[leg].apart = latency > 20000;
	rig->views[leg].in_flight_here = in_flight;
}

/* A fast leg is left only when so much waits there that the slow one would be done first. */
static void test_solid_prediction(void **state)
{
	struct rig rig;

	start(&rig, 2, 0);
	set_view(&rig, 0, 20000, 1, 5);
	set_view(&rig, 1, 80000, 1, 0);
	assert_int_equal(rig_read(&rig, 0, 8), 0);
	set_view(&rig, 0, 20000, 1, 7);
	assert_int_equal(rig_read(&rig, 0, 8), 1);
	/* What a leg can serve at once does not wait. */
	set_view(&rig, 0, 20000, 10, 7);
	set_view(&rig, 1, 80000, 1, 0);
	assert_int_equal(rig_read(&rig, 0, 8), 0);
	set_view(&rig, 0, 20000, 10, 16);
	set_view(&rig, 1, 80000, 1, 0);
	assert_int_equal(rig_read(&rig, 0, 8), 1);
	rig_stop(&rig);
}

/* Before anything is known the shortest queue is taken, and equals take turns. */
static void test_solid_without_knowledge(void **state)
{
	struct rig rig;
	u32 i;

	start(&rig, 3, 0);
	rig.depth = 1;
	for (i = 0; i < 30; i++)
		rig_read(&rig, random_below(100) * 128, 8);
	for (i = 0; i < 3; i++)
		assert_int_equal(rig.reads[i], 10);
	rig.views[0].in_flight_here = 2;
	rig.views[2].in_flight_here = 1;
	rig.depth = RIG_MAX_DEPTH;
	assert_int_equal(rig_read(&rig, 0, 8), 1);
	rig_stop(&rig);
}

static void tell(struct rig *rig, u32 leg, u64 distance, u32 sectors, u64 us, u32 times)
{
	struct mb_completion done = {
		.leg = leg,
		.sectors = sectors,
		.distance = distance,
		.ns = us * 1000,
	};

	while (times--)
		mb_adaptive_ops.completed(rig->config, rig->state, &done);
}

/* Which leg serves a read that is nearer to leg 1's head? */
static u32 leg_of_near_read(struct rig *rig)
{
	rig->views[0].last_end = 0;
	rig->views[1].last_end = rig->layout.length / 2;
	rig->views[0].in_flight_here = rig->views[1].in_flight_here = 0;
	return rig_read(rig, rig->layout.length / 2 + 4096, 8);
}

/* What came from a drive's own read-ahead, and long reads, say nothing of its heads. */
static void test_what_is_learned_from(void **state)
{
	struct rig rig;

	start(&rig, 2, 0x3);
	assert_int_equal(leg_of_near_read(&rig), 1);
	/* Twice, so that it is known where the heads were. */
	assert_int_equal(leg_of_near_read(&rig), 1);
	tell(&rig, 1, 0, 8, 200000, 20);
	assert_int_equal(leg_of_near_read(&rig), 1);
	tell(&rig, 1, 4096, 4096, 200000, 20);
	assert_int_equal(leg_of_near_read(&rig), 1);
	/* Others do. */
	tell(&rig, 1, 4096, 8, 200000, 20);
	assert_int_equal(leg_of_near_read(&rig), 0);
	rig_stop(&rig);
}

/* A solid leg with one that spins as its mirror. */
static void test_mixed_legs(void **state)
{
	struct rig rig;
	u32 i;

	random_restart();
	start(&rig, 2, 0x2);
	rig.depth = 1;
	for (i = 0; i < 500; i++) {
		rig_read(&rig, random_below(rig.layout.length / 128) * 128, 8);
		tell(&rig, 0, 5000, 8, 80, 1);
	}
	assert_int_equal(rig.reads[0], 500);
	rig_stop(&rig);
}

/* The leg that streams are served from is left to them. */
static void test_single_reads_avoid_streams(void **state)
{
	struct rig rig;
	u32 leg = 0, i;

	random_restart();
	start(&rig, 2, 0x3);
	rig.depth = 1;
	for (i = 0; i < 200; i++) {
		leg = rig_read(&rig, i * 32, 32);
		if (i < 3)
			continue;
		/* Near to the stream's head, and the other is far. */
		rig.views[!leg].last_end = rig.layout.length;
		assert_int_not_equal(rig_read(&rig, 65536 + random_below(64) * 256, 8), leg);
	}
	rig_stop(&rig);
}

/* Reads all of it as the core would, part after part; the legs, and the sectors of the first part. */
static u32 read_in_parts(struct rig *rig, u64 sector, u32 sectors, u32 *first)
{
	u32 legs = 0, done, part;

	*first = 0;
	for (done = 0; done < sectors; done += part) {
		u32 leg;

		part = rig_cut(rig, sector + done, sectors - done);
		assert_in_range(part, 1, sectors - done);
		assert_int_equal(part % 8 && done + part != sectors, 0);
		if (!done)
			*first = part;
		leg = rig_read(rig, sector + done, part);
		assert_false(legs & 1u << leg);
		legs |= 1u << leg;
	}
	return legs;
}

static void check_parts(u32 legs, u32 rotational, u32 busy, u32 sectors, u32 used, u32 part)
{
	struct rig rig;
	u32 first, served, leg;

	start(&rig, legs, rotational);
	for (leg = 0; leg < legs; leg++)
		rig.views[leg].in_flight_here = busy >> leg & 1;
	served = read_in_parts(&rig, 20000, sectors, &first);
	assert_int_equal(__builtin_popcount(served), used);
	assert_int_equal(first, part);
	rig_stop(&rig);
}

/* A large read is shared out among heads if all of them are idle, in parts that are worth the way. */
static void test_large_read_is_shared_out(void **state)
{
	check_parts(4, 0xf, 0, 16384, 4, 4096);
	check_parts(4, 0xf, 0, 20000, 4, 5000);
	check_parts(4, 0xf, 0, 12288, 3, 4096);
	check_parts(3, 0x7, 0, 16385, 3, 5464);
	check_parts(2, 0x3, 0, 16384, 2, 8192);
	check_parts(4, 0xf, 0, 8191, 1, 8191);
	check_parts(4, 0xf, 0x4, 16384, 1, 16384);
	check_parts(2, 0x1, 0, 16384, 1, 16384);
}

/* Where some pairs of legs have heads and others have none, only reads of the former are shared out. */
static void test_only_heads_share(void **state)
{
	struct rig rig;

	rig_start(&rig, "n2", 4, 16384, &mb_adaptive_ops, "");
	rig_set_rotational(&rig, 0xc);
	assert_int_equal(rig_cut(&rig, 0, 16384), 16384);
	assert_int_equal(rig_cut(&rig, 16384, 16384), 8192);
	rig_stop(&rig);
}

/* Parts of one read are no stream: the legs that served it are as good as others. */
static void test_parts_are_no_stream(void **state)
{
	struct rig rig;
	u32 first, leg, i;

	random_restart();
	start(&rig, 4, 0xf);
	for (i = 0; i < 20; i++) {
		u64 sector = 8192 + random_below(100) * 4096;

		assert_int_equal(read_in_parts(&rig, sector, 16384, &first), 0xf);
		rig_finish(&rig);
		for (leg = 0; leg < 4; leg++)
			rig.views[leg].last_end = leg == i % 4 ? sector : rig.layout.length - sector;
		assert_int_equal(rig_read(&rig, sector + 4096 * (i % 4) + 8, 8), i % 4);
		rig_finish(&rig);
	}
	rig_stop(&rig);
}

/* Large reads that go on are one, and then it is cut at windows. */
static void test_large_reads_in_a_row(void **state)
{
	struct rig rig;
	u32 first, i;

	start(&rig, 4, 0xf);
	for (i = 0; i < 2; i++) {
		read_in_parts(&rig, 9216 + i * 16384, 16384, &first);
		assert_int_equal(first, 4096);
		rig_finish(&rig);
	}
	assert_int_equal(rig_cut(&rig, 9216 + 2 * 16384, 16384), 4096);
	rig_read(&rig, 9216 + 2 * 16384, 4096);
	/* Windows of 4096 sectors, of which 1024 have been read. */
	assert_int_equal(rig_cut(&rig, 9216 + 2 * 16384 + 4096, 12288), 3072);
	rig_stop(&rig);
}

static void check_read_ahead(const char *layout, u32 legs, const char *args, u64 window_mib,
			     u64 ahead_mib)
{
	char printed[32];
	struct rig rig;

	rig_start(&rig, layout, legs, 128, &mb_adaptive_ops, args);
	assert_int_equal(mb_policy_read_ahead(&mb_adaptive_ops,
					      mb_policy_window(&mb_adaptive_ops, rig.config),
					      &rig.layout), ahead_mib << 11);
	rig_stop(&rig);
	/* The default is what is printed as nothing. */
	snprintf(printed, sizeof(printed), "%u", (u32)window_mib << 11);
	rig_start(&rig, layout, legs, 128, &mb_adaptive_ops, printed);
	assert_int_equal(mb_adaptive_ops.print_args(rig.config, printed, sizeof(printed)), !!*args);
	rig_stop(&rig);
}

/* Whole windows of all copies, up to 8 MiB, unless more is asked for. */
static void test_read_ahead(void **state)
{
	check_read_ahead("n2", 2, "", 4, 8);
	check_read_ahead("n2", 4, "", 4, 8);
	check_read_ahead("n3", 3, "", 2, 6);
	check_read_ahead("f4", 4, "", 0, 8);
	check_read_ahead("o2", 4, "", 4, 8);
	check_read_ahead("o2", 3, "", 0, 8);
	check_read_ahead("n2", 2, "2048", 1, 8);
	check_read_ahead("n2", 2, "65536", 32, 64);
	check_read_ahead("n2", 2, "0", 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_solid_prediction),
		cmocka_unit_test(test_solid_without_knowledge),
		cmocka_unit_test(test_what_is_learned_from),
		cmocka_unit_test(test_mixed_legs),
		cmocka_unit_test(test_single_reads_avoid_streams),
		cmocka_unit_test(test_large_read_is_shared_out),
		cmocka_unit_test(test_only_heads_share),
		cmocka_unit_test(test_parts_are_no_stream),
		cmocka_unit_test(test_large_reads_in_a_row),
		cmocka_unit_test(test_read_ahead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
