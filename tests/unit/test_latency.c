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

static u64 mean(const struct mb_latency *latency)
{
	struct mb_latency_sum sum = { 0 };

	mb_latency_add(&sum, latency);
	return mb_latency_mean(&sum);
}

/* What a policy is told of legs of which one CPU knows. */
static void compare(const struct mb_latency *latencies, u32 legs, struct mb_leg_view *views)
{
	struct mb_latency_sum sums[MB_MAX_LEGS] = { { 0 } };
	u32 leg;

	for (leg = 0; leg < legs; leg++)
		mb_latency_add(&sums[leg], &latencies[leg]);
	mb_latency_compare(sums, legs, views);
}

static void test_mean(void **state)
{
	struct mb_latency latency = { 0 };

	assert_int_equal(mean(&latency), 0);
	take_times(&latency, 1, 80000, 1);
	assert_int_equal(mean(&latency), 80000);
	take_times(&latency, 100, 60000, 1);
	assert_between(mean(&latency), 60000, 60500);
}

/* One read that takes a second is an accident; a leg that has become slow is not. */
static void test_outlier(void **state)
{
	struct mb_latency latency = { 0 };

	take_times(&latency, 64, 80000, 1);
	take_times(&latency, 1, 1000000000, 1);
	assert_between(mean(&latency), 80000, 120000);
	take_times(&latency, 32, 80000, 1);
	assert_between(mean(&latency), 80000, 82000);
	take_times(&latency, 24, 800000, 1);
	assert_between(mean(&latency), 500000, 800000);
	/* And back. */
	take_times(&latency, 40, 80000, 1);
	assert_between(mean(&latency), 80000, 110000);
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
	take_times(&latencies[2], 16, 90000, 5);
	compare(latencies, 3, views);
	for (leg = 0; leg < 3; leg++) {
		assert_false(views[leg].apart);
		assert_int_equal(views[leg].latency, 90000);
		assert_int_equal(views[leg].at_once, 8);
	}
}

static void test_slow_leg_is_apart(void **state)
{
	struct mb_latency latencies[3] = { { 0 } };
	struct mb_leg_view views[3] = { { 0 } };

	take_times(&latencies[0], 16, 80000, 2);
	take_times(&latencies[1], 16, 121000, 16);
	compare(latencies, 3, views);
	assert_false(views[0].apart);
	/* That a slow leg serves many at once is nothing that the good ones could do. */
	assert_int_equal(views[0].at_once, 2);
	assert_true(views[1].apart);
	assert_int_equal(views[1].latency, 121000);
	assert_int_equal(views[1].at_once, 16);
	/* Of which nothing is known: it is as good as the best until it is asked. */
	assert_false(views[2].apart);
	assert_int_equal(views[2].latency, 80000);
	assert_int_equal(views[2].at_once, 2);
}

/* A leg that was given one at a time may serve as many as the others: else it would never be asked. */
static void test_well_again(void **state)
{
	struct mb_latency latencies[2] = { { 0 } };
	struct mb_leg_view views[2] = { { 0 } };

	take_times(&latencies[0], 16, 90000, 1);
	take_times(&latencies[1], 16, 80000, 32);
	compare(latencies, 2, views);
	assert_int_equal(views[0].latency, 80000);
	assert_int_equal(views[0].at_once, 32);
}

static void test_nothing_known(void **state)
{
	struct mb_latency latencies[2] = { { 0 } };
	struct mb_leg_view views[2] = { { .latency = 7, .apart = true }, { .latency = 9 } };

	/* Too few to go by. */
	take_times(&latencies[1], 15, 80000, 1);
	compare(latencies, 2, views);
	assert_int_equal(views[0].latency, 0);
	assert_false(views[0].apart);
	assert_int_equal(views[1].latency, 0);
	assert_int_equal(views[1].at_once, 0);
}

static void assert_learned(const struct mb_latency *latency, u32 alone_low, u32 alone_high, u32 at_once)
{
	assert_between(latency->alone, alone_low, alone_high);
	assert_int_equal(latency->at_once, at_once);
}

/* Reads that wait take longer; that makes a leg no slower. */
static void test_waiting_is_no_latency(void **state)
{
	struct mb_latency latency = { 0 };

	take_times(&latency, 32, 80000, 2);
	assert_learned(&latency, 80000, 80000, 2);
	/* It could have been more. */
	take_times(&latency, 64, 84000, 4);
	assert_learned(&latency, 80000, 84000, 4);
	take_times(&latency, 64, 160000, 8);
	assert_learned(&latency, 80000, 84000, 4);
	take_times(&latency, 64, 80000, 1);
	assert_between(latency.alone, 80000, 83000);
}

/* What was learned in deep queues has waiting in it, until there was less. */
static void test_waiting_from_the_start(void **state)
{
	struct mb_latency latency = { 0 };

	take_times(&latency, 64, 640000, 8);
	assert_learned(&latency, 640000, 640000, 8);
	take_times(&latency, 160, 80000, 1);
	assert_learned(&latency, 80000, 90000, 1);
}

/* Slower than it was with no more in flight, or than the others in flight explain. */
static void test_leg_turns_slow(void **state)
{
	struct mb_latency latency = { 0 };

	take_times(&latency, 64, 80000, 4);
	take_times(&latency, 64, 800000, 3);
	assert_between(latency.alone, 700000, 800000);
	take_times(&latency, 128, 80000, 3);
	assert_between(latency.alone, 80000, 90000);
	take_times(&latency, 64, 80000, 4);
	take_times(&latency, 64, 1600000, 8);
	assert_between(latency.alone, 640000, 800000);
}

/* CPUs count by what they have seen; one that has seen too little does not. */
static void test_sum_of_cpus(void **state)
{
	struct mb_latency_sum sum = { 0 };
	struct mb_latency latencies[3] = { { 0 } };
	struct mb_leg_view view = { 0 };
	u32 cpu;

	take_times(&latencies[0], 16, 80000, 2);
	take_times(&latencies[1], 16, 100000, 4);
	take_times(&latencies[2], 8, 900000, 64);
	for (cpu = 0; cpu < 3; cpu++)
		mb_latency_add(&sum, &latencies[cpu]);
	mb_latency_compare(&sum, 1, &view);
	assert_int_equal(view.latency, 90000);
	assert_int_equal(view.at_once, 3);
}

/* Latencies of minutes do not wrap around to good ones. */
static void test_very_slow(void **state)
{
	struct mb_latency latencies[2] = { { 0 } };
	struct mb_leg_view views[2] = { { 0 } };

	take_times(&latencies[0], 16, 1ull << 33, 1);
	take_times(&latencies[1], 16, 80000, 1);
	compare(latencies, 2, views);
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
		cmocka_unit_test(test_well_again),
		cmocka_unit_test(test_waiting_is_no_latency),
		cmocka_unit_test(test_waiting_from_the_start),
		cmocka_unit_test(test_leg_turns_slow),
		cmocka_unit_test(test_sum_of_cpus),
		cmocka_unit_test(test_very_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
