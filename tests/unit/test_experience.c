// SPDX-License-Identifier: GPL-2.0-only
/* What is learned of legs with heads. */
#include "experience.h"
#include "unit.h"

static void assert_between(u64 value, u64 low, u64 high)
{
	if (value < low || value > high)
		fail_msg("%llu is not within %llu and %llu", (unsigned long long)value,
			 (unsigned long long)low, (unsigned long long)high);
}

/* Reads of a drive that needs so much, and up to a turn of the platter. */
static void learn(struct mb_experience *experience, u32 reads, u32 fixed, u32 stroke, u32 turn)
{
	while (reads--) {
		u32 distance = random_below(MB_PARTS);

		mb_experience_alone(experience, distance,
				    fixed + stroke * distance / MB_PARTS +
				    (turn ? random_below(turn) : 0));
	}
}

static void test_line(void **state)
{
	struct mb_experience experience;

	random_restart();
	mb_experience_init(&experience, true);
	learn(&experience, 1000, 5000, 14000, 0);
	assert_between(experience.stroke, 13000, 15000);
	learn(&experience, 2000, 3370, 16070, 8333);
	assert_between(experience.stroke, 10000, 22000);
	/* Mean of all: 3370 + 8035 + 4166. */
	assert_between(mb_experience_cost(&experience, MB_PARTS / 2), 12500, 18500);
	assert_true(mb_experience_cost(&experience, MB_PARTS - 1) >
		    mb_experience_cost(&experience, 0) + 8000);
}

/* Before anything is known a head's way counts, and a solid leg is better. */
static void test_unknown(void **state)
{
	struct mb_experience spinning, solid;

	mb_experience_init(&spinning, true);
	mb_experience_init(&solid, false);
	assert_true(mb_experience_cost(&spinning, 900) > mb_experience_cost(&spinning, 100));
	assert_int_equal(mb_experience_cost(&solid, 900), mb_experience_cost(&solid, 100));
	assert_true(mb_experience_cost(&solid, 900) * 10 < mb_experience_cost(&spinning, 0));
}

/* If by chance far reads are fast, heads still have to go their way. */
static void test_slope_has_bounds(void **state)
{
	struct mb_experience experience;
	u32 i;

	mb_experience_init(&experience, true);
	for (i = 0; i < 200; i++)
		mb_experience_alone(&experience, i % 2 ? 1000 : 10, i % 2 ? 5000 : 12000);
	assert_between(experience.stroke, experience.alone / 2, experience.alone / 2);
	mb_experience_init(&experience, true);
	for (i = 0; i < 200; i++)
		mb_experience_alone(&experience, i % 2 ? 300 : 200, i % 2 ? 15000 : 5000);
	assert_between(experience.stroke, experience.alone * 3, experience.alone * 3);
	/* Where nothing moves, distance is nothing. */
	mb_experience_init(&experience, false);
	learn(&experience, 200, 100, 1000, 0);
	assert_int_equal(experience.stroke, 0);
	assert_int_equal(mb_experience_cost(&experience, 1000), experience.alone);
}

/* All reads in one place: the slope stays what it was. */
static void test_heads_that_stay(void **state)
{
	struct mb_experience experience;
	u32 stroke, i;

	mb_experience_init(&experience, true);
	stroke = experience.stroke;
	for (i = 0; i < 200; i++)
		mb_experience_alone(&experience, 3 + i % 4, 4000 + random_below(8333));
	assert_int_equal(experience.stroke, stroke);
}

static void test_outlier(void **state)
{
	struct mb_experience experience;
	u32 before, i;

	random_restart();
	mb_experience_init(&experience, true);
	learn(&experience, 100, 3370, 16070, 8333);
	before = experience.alone;
	mb_experience_alone(&experience, 100, 900000);
	assert_int_equal(experience.alone, before);
	mb_experience_alone(&experience, 100, before);
	mb_experience_alone(&experience, 100, 900000);
	assert_between(experience.alone, before - 10, before + 10);
	/* A leg ten times slower is believed. */
	for (i = 0; i < 24; i++)
		mb_experience_alone(&experience, 100, before * 10);
	assert_between(experience.alone, before * 8, before * 10);
}

/* A drive that serves its queue in the best order is as fast as it is alone. */
static void test_queues(void **state)
{
	/* us a read, by length of the queue, as the simulated drive serves random reads. */
	static const struct { u32 queue, each; } known[] = {
		{ 2, 9500 }, { 4, 7400 }, { 16, 4600 }, { 64, 3600 },
	};
	struct mb_experience experience;
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		mb_experience_init(&experience, true);
		for (j = 0; j < 300; j++)
			mb_experience_queued(&experience, known[i].queue - 1,
					     known[i].each * known[i].queue);
		assert_between(experience.queued, 11000, 15000);
	}
}

/* One stall is no lasting judgement; and who is kept from queues is forgiven in time. */
static void test_stall_in_a_queue(void **state)
{
	struct mb_experience experience;
	u32 i;

	mb_experience_init(&experience, true);
	for (i = 0; i < 300; i++)
		mb_experience_queued(&experience, 3, 4 * 7400);
	mb_experience_queued(&experience, 3, 8000000);
	assert_between(experience.queued, 11000, 16000);
	for (i = 0; i < 300; i++)
		mb_experience_queued(&experience, 3, 4 * 740000);
	assert_true(experience.queued > 100000);
	for (i = 0; i < 400; i++)
		mb_experience_forgive(&experience);
	assert_true(experience.queued < 11000);
}

static void test_log(void **state)
{
	assert_int_equal(mb_log2_in_16ths(1), 0);
	assert_int_equal(mb_log2_in_16ths(2), 16);
	assert_int_equal(mb_log2_in_16ths(3), 24);
	assert_int_equal(mb_log2_in_16ths(4), 32);
	assert_int_equal(mb_log2_in_16ths(0xffffffff), 31 * 16 + 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_slope_has_bounds),
		cmocka_unit_test(test_heads_that_stay),
		cmocka_unit_test(test_outlier),
		cmocka_unit_test(test_queues),
		cmocka_unit_test(test_stall_in_a_queue),
		cmocka_unit_test(test_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
