// SPDX-License-Identifier: GPL-2.0-only
/* What is learned of legs on which nothing moves, and what adaptive makes of it. */
#include "latency.h"
#include "unit.h"

static void take_times(struct mb_latency *latency, u32 times, u64 ns, u32 in_flight)
{
	while (times--)
		mb_latency_take(latency, ns, in_flight, 7);
}

static void assert_between(u64 value, u64 low, u64 high)
{
	if (value < low || value > high)
		fail_msg("%llu is not within %llu and %llu", (unsigned long long)value,
			 (unsigned long long)low, (unsigned long long)high);
}

static void test_mean(void **state)
{
	struct mb_latency latency = { 0 };

	assert_int_equal(mb_latency_mean(&latency), 0);
	take_times(&latency, 1, 80000, 1);
	assert_int_equal(mb_latency_mean(&latency), 80000);
	take_times(&latency, 100, 60000, 1);
	assert_between(mb_latency_mean(&latency), 60000, 60500);
}

/* One read that takes a second is an accident; a leg that has become slow is not. */
static void test_outlier(void **state)
{
	struct mb_latency latency = { 0 };

	take_times(&latency, 64, 80000, 1);
	take_times(&latency, 1, 1000000000, 1);
	assert_between(mb_latency_mean(&latency), 80000, 120000);
	take_times(&latency, 32, 80000, 1);
	assert_between(mb_latency_mean(&latency), 80000, 82000);
	take_times(&latency, 24, 800000, 1);
	assert_between(mb_latency_mean(&latency), 500000, 800000);
	/* And back. */
	take_times(&latency, 40, 80000, 1);
	assert_between(mb_latency_mean(&latency), 80000, 110000);
}

/* What was learned two seconds ago may be wrong by now. */
static void test_recent(void **state)
{
	struct mb_latency latency = { 0 };

	assert_false(mb_latency_is_recent(&latency, 0));
	take_times(&latency, 1, 80000, 1);
	assert_true(mb_latency_is_recent(&latency, 7));
	assert_true(mb_latency_is_recent(&latency, 8));
	assert_false(mb_latency_is_recent(&latency, 9));
}

static void test_equal_legs_are_equal(void **state)
{
	struct mb_latency latencies[3] = { { 0 } };
	struct mb_leg_view views[3] = { { 0 } };
	u32 leg;

	take_times(&latencies[0], 16, 100000, 4);
	take_times(&latencies[1], 16, 130000, 8);
	take_times(&latencies[2], 16, 90000, 3);
	mb_latency_compare(latencies, 3, views);
	for (leg = 0; leg < 3; leg++) {
		assert_false(views[leg].apart);
		assert_int_equal(views[leg].latency, 90000);
		assert_int_equal(views[leg].latency_per_read, 16250);
	}
}

static void test_slow_leg_is_apart(void **state)
{
	struct mb_latency latencies[3] = { { 0 } };
	struct mb_leg_view views[3] = { { 0 } };

	take_times(&latencies[0], 16, 80000, 2);
	take_times(&latencies[1], 16, 121000, 1);
	mb_latency_compare(latencies, 3, views);
	assert_false(views[0].apart);
	assert_true(views[1].apart);
	assert_int_equal(views[1].latency, 121000);
	assert_int_equal(views[1].latency_per_read, 121000);
	/* Of which nothing is known: it is as good as the best until it is asked. */
	assert_false(views[2].apart);
	assert_int_equal(views[2].latency, 80000);
}

static void test_nothing_known(void **state)
{
	struct mb_latency latencies[2] = { { 0 } };
	struct mb_leg_view views[2] = { { .latency = 7, .apart = true }, { .latency = 9 } };

	mb_latency_compare(latencies, 2, views);
	assert_int_equal(views[0].latency, 0);
	assert_false(views[0].apart);
	assert_int_equal(views[1].latency_per_read, 0);
}

/* How many were in flight fades as the latencies do. */
static void test_in_flight_fades(void **state)
{
	struct mb_latency latencies[2] = { { 0 } };
	struct mb_leg_view views[2] = { { 0 } };

	take_times(&latencies[0], 100, 100000, 4);
	take_times(&latencies[1], 100, 100000, 4);
	mb_latency_compare(latencies, 2, views);
	assert_between(views[0].latency_per_read, 24000, 26000);
}

/* That a slow leg is good with a deep queue is nothing that the good ones could do. */
static void test_slow_leg_with_deep_queue(void **state)
{
	struct mb_latency latencies[2] = { { 0 } };
	struct mb_leg_view views[2] = { { 0 } };

	take_times(&latencies[0], 16, 80000, 2);
	take_times(&latencies[1], 16, 200000, 16);
	mb_latency_compare(latencies, 2, views);
	assert_true(views[1].apart);
	assert_int_equal(views[0].latency_per_read, 40000);
}

/* Latencies of minutes do not wrap around to good ones. */
static void test_very_slow(void **state)
{
	struct mb_latency latencies[2] = { { 0 } };
	struct mb_leg_view views[2] = { { 0 } };

	take_times(&latencies[0], 16, 1ull << 33, 1);
	take_times(&latencies[1], 16, 80000, 1);
	mb_latency_compare(latencies, 2, views);
	assert_true(views[0].apart);
	assert_int_equal(views[0].latency, 0xffffffff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mean),
		cmocka_unit_test(test_outlier),
		cmocka_unit_test(test_recent),
		cmocka_unit_test(test_equal_legs_are_equal),
		cmocka_unit_test(test_slow_leg_is_apart),
		cmocka_unit_test(test_nothing_known),
		cmocka_unit_test(test_in_flight_fades),
		cmocka_unit_test(test_slow_leg_with_deep_queue),
		cmocka_unit_test(test_very_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
