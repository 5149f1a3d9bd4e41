// SPDX-License-Identifier: GPL-2.0-only
/* How recovery paces itself, over seconds of a drive that copies at a given rate. */
#include "pace.h"
#include "unit.h"

#define NS_PER_S 1000000000ull

/* What happens in a while. */
struct outcome {
	u64 sectors;
	u64 copying_ns;
	u64 ns;
	u64 longest_ns;		/* of a step */
	u64 longest_rest_ns;
};

/* Copy for @seconds at @rate KiB a second, with others there or not. */
static struct outcome run(u32 seconds, u64 rate, bool disturbed, u32 limit)
{
	struct outcome out = { 0 };
	struct mb_pace pace;

	mb_pace_start(&pace);
	while (out.ns < seconds * NS_PER_S) {
		struct mb_step step = { .sectors = pace.sectors, .disturbed = disturbed };
		u64 rest;

		step.ns = step.sectors * (NS_PER_S / 2) / rate;
		rest = mb_pace_next(&pace, &step, limit);
		out.sectors += step.sectors;
		out.copying_ns += step.ns;
		out.ns += step.ns + rest;
		if (step.ns > out.longest_ns)
			out.longest_ns = step.ns;
		if (rest > out.longest_rest_ns)
			out.longest_rest_ns = rest;
	}
	return out;
}

static void test_alone(void **state)
{
	struct outcome out = run(10, 200 * 1024, false, 0);

	assert_int_equal(out.ns, out.copying_ns);
}

static void test_steps_grow_and_end(void **state)
{
	struct mb_step step = { .ns = 1000 };
	struct mb_pace pace;
	u32 i;

	mb_pace_start(&pace);
	assert_int_equal(pace.sectors, MB_PACE_MIN_SECTORS);
	for (i = 1; i < 30; i++) {
		u64 wanted = (u64)MB_PACE_MIN_SECTORS << i;

		step.sectors = pace.sectors;
		assert_int_equal(mb_pace_next(&pace, &step, 0), 0);
		assert_int_equal(pace.sectors,
				 wanted < MB_PACE_MAX_SECTORS ? wanted : MB_PACE_MAX_SECTORS);
	}
	/* Whoever comes is seen at once; no step grows by more than twice. */
	step.disturbed = true;
	step.ns = NS_PER_S;
	assert_int_equal(mb_pace_next(&pace, &step, 0), 2 * NS_PER_S);
	assert_in_range(pace.sectors, MB_PACE_MAX_SECTORS / 100, MB_PACE_MAX_SECTORS / 50);
	step.sectors = pace.sectors;
	step.ns = 1000;
	i = pace.sectors;
	assert_int_equal(mb_pace_next(&pace, &step, 0), 99000);
	assert_int_equal(pace.sectors, 2 * i);
	/* One that ended early has told nothing, or how slow it is. */
	step.sectors = 0;
	assert_int_equal(mb_pace_next(&pace, &step, 0), 99000);
	assert_int_equal(pace.sectors, MB_PACE_MIN_SECTORS);
}

/* Others have nearly all of the time, whatever the drive, and none waits for long. */
static void test_beside_others(void **state)
{
	static const u64 rates[] = { 5 * 1024, 100 * 1024, 3 * 1024 * 1024 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		struct outcome out = run(200, rates[i], true, 0);

		assert_true(out.copying_ns * 100 <= out.ns * 125 / 100);
		assert_true(out.longest_ns <= NS_PER_S / 50 || out.longest_ns <= 128 * NS_PER_S / rates[i]);
		/* It does come on: with about a hundredth of the drive's rate. */
		assert_true(out.sectors / 2 >= rates[i] * 200 / 200);
	}
}

static void test_never_sleeps_for_good(void **state)
{
	struct mb_step step = { .sectors = 256, .ns = 30 * NS_PER_S, .disturbed = true };
	struct mb_pace pace;

	mb_pace_start(&pace);
	assert_int_equal(mb_pace_next(&pace, &step, 0), 2 * NS_PER_S);
}

/* The limit is kept, without long pauses, and is nobody's licence. */
static void test_limit(void **state)
{
	static const u32 limits[] = { 1024, 10 * 1024, 150 * 1024 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		struct outcome out = run(100, 200 * 1024, false, limits[i]);

		assert_in_range(out.sectors / 2 * NS_PER_S / out.ns, limits[i] * 99 / 100,
				limits[i] * 101 / 100);
		assert_true(out.longest_rest_ns <= NS_PER_S / 4);
		out = run(100, 200 * 1024, true, limits[i]);
		assert_in_range(out.sectors / 2 * NS_PER_S / out.ns, 1, limits[i] * 101 / 100);
		assert_true(out.copying_ns * 100 <= out.ns * 125 / 100);
	}
	/* The smallest step is as small as it gets. */
	assert_in_range(run(10000, 200 * 1024, false, 1).sectors / 2, 9900, 10128);
	/* One that the drive does not reach costs nothing. */
	assert_int_equal(run(10, 1024, false, 1 << 20).longest_rest_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_steps_grow_and_end),
		cmocka_unit_test(test_beside_others),
		cmocka_unit_test(test_never_sleeps_for_good),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
