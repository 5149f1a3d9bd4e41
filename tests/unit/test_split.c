// SPDX-License-Identifier: GPL-2.0-only
/* split: shares of the address space that follow the load. */
#include "rig.h"
#include "unit.h"

static u32 leg_at(struct rig *rig, u32 percent)
{
	rig->views[0].in_flight_here = rig->views[1].in_flight_here = 0;
	rig->queued = 0;
	return rig_read(rig, rig->layout.length / 100 * percent / 128 * 128, 8);
}

static void test_equal_shares_at_first(void **state)
{
	struct rig rig;

	rig_start(&rig, "n4", 4, 128, &mb_split_ops, "");
	assert_int_equal(leg_at(&rig, 0), 0);
	assert_int_equal(leg_at(&rig, 24), 0);
	assert_int_equal(leg_at(&rig, 26), 1);
	assert_int_equal(leg_at(&rig, 49), 1);
	assert_int_equal(leg_at(&rig, 74), 2);
	assert_int_equal(leg_at(&rig, 76), 3);
	assert_int_equal(leg_at(&rig, 99), 3);
	rig_stop(&rig);
}

/* A far leg holds the low half of one image before the high half of another's copy. */
static void test_far_shares_lie_together(void **state)
{
	struct rig rig;
	u64 low = ~0ull, high = 0;
	u32 i, leg;

	random_restart();
	rig_start(&rig, "f2", 2, 128, &mb_split_ops, "");
	for (i = 0; i < 2000; i++) {
		leg = rig_read(&rig, random_below(rig.layout.length / 128) * 128, 8);
		if (rig.views[leg].last_end < low)
			low = rig.views[leg].last_end;
		if (rig.views[leg].last_end > high)
			high = rig.views[leg].last_end;
	}
	/* Half of a leg, not all of it. */
	assert_in_range(high - low, rig.layout.section_sectors / 10 * 9,
			rig.layout.section_sectors / 10 * 11);
	rig_stop(&rig);
}

/* All reads in this part of the array: both legs come to serve it alike. */
static void check_balance(u32 from_percent)
{
	struct rig rig;
	u64 first, range;
	u32 i;

	random_restart();
	rig_start(&rig, "n2", 2, 128, &mb_split_ops, "");
	rig.depth = 32;
	first = rig.layout.length / 100 * from_percent / 128;
	range = rig.layout.length / 128 / 4;
	for (i = 0; i < 20000; i++)
		rig_read(&rig, (first + random_below(range)) * 128, 8);
	rig_reset_counts(&rig);
	for (i = 0; i < 20000; i++)
		rig_read(&rig, (first + random_below(range)) * 128, 8);
	/* Boundaries swing a little. */
	assert_in_range(rig_imbalance(&rig), 0, 400);
	rig_stop(&rig);
}

static void test_shares_follow_the_load(void **state)
{
	check_balance(0);
	check_balance(75);
}

/* Who has nothing to do all the same keeps a share, and gets it back. */
static void test_shares_come_back(void **state)
{
	struct rig rig;
	u32 i;

	random_restart();
	rig_start(&rig, "n2", 2, 128, &mb_split_ops, "");
	rig.depth = 32;
	for (i = 0; i < 100000; i++)
		rig_read(&rig, random_below(4) * 128, 8);
	for (i = 0; i < 20000; i++)
		rig_read(&rig, random_below(rig.layout.length / 128) * 128, 8);
	rig_reset_counts(&rig);
	for (i = 0; i < 20000; i++)
		rig_read(&rig, random_below(rig.layout.length / 128) * 128, 8);
	assert_in_range(rig_imbalance(&rig), 0, 400);
	rig_stop(&rig);
}

static void test_missing_leg(void **state)
{
	struct rig rig;
	u32 i;

	random_restart();
	rig_start(&rig, "n3", 3, 128, &mb_split_ops, "");
	rig.readable = 0x5;
	for (i = 0; i < 3000; i++)
		rig_read(&rig, random_below(rig.layout.length / 128) * 128, 8);
	assert_int_equal(rig.reads[1], 0);
	assert_int_equal(rig.reads[0] + rig.reads[2], 3000);
	assert_in_range(rig.reads[0], 900, 2100);
	rig_stop(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_shares_at_first),
		cmocka_unit_test(test_far_shares_lie_together),
		cmocka_unit_test(test_shares_follow_the_load),
		cmocka_unit_test(test_shares_come_back),
		cmocka_unit_test(test_missing_leg),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
