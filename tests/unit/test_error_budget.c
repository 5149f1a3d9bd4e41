// SPDX-License-Identifier: GPL-2.0-only
/* How many read errors a leg may have, and in how long. */
#include "error_budget.h"
#include "unit.h"

#define HOUR MB_ERROR_HALF_LIFE_S

/* Errors a while apart until one is too many; @most if none is. */
static u32 survived(u64 start, u64 apart, u32 most)
{
	struct mb_error_budget budget = { 0 };
	u32 nr;

	for (nr = 0; nr < most; nr++)
		if (mb_error_budget_spend(&budget, start + nr * apart))
			break;
	return nr;
}

static void test_many_at_once(void **state)
{
	assert_int_equal(survived(0, 0, 1000), MB_ERROR_BUDGET);
	assert_int_equal(survived(123456, 0, 1000), MB_ERROR_BUDGET);
	/* All within the hour. */
	assert_int_equal(survived(5 * HOUR - 1, HOUR / 40, 1000), MB_ERROR_BUDGET);
}

static void test_few_for_years(void **state)
{
	assert_int_equal(survived(0, HOUR, 100000), 100000);
	/* As many as are forgotten. */
	assert_int_equal(survived(0, HOUR / 10, 100000), 100000);
	assert_int_equal(survived(77, 1000 * HOUR, 1000), 1000);
	/* More than that. */
	assert_in_range(survived(0, HOUR / 15, 100000), MB_ERROR_BUDGET, 100);
}

static void test_is_forgotten(void **state)
{
	struct mb_error_budget budget = { 0 };
	u32 i;

	for (i = 0; i < MB_ERROR_BUDGET; i++)
		assert_false(mb_error_budget_spend(&budget, 10));
	/* Half of them. */
	for (i = 0; i < MB_ERROR_BUDGET / 2; i++)
		assert_false(mb_error_budget_spend(&budget, 10 + HOUR));
	assert_true(mb_error_budget_spend(&budget, 10 + HOUR));
	/* All of them, also after more hours than a number has bits. */
	assert_false(mb_error_budget_spend(&budget, 10 + 1000 * HOUR));
	assert_int_equal(budget.errors, 1);
	/* The hour begins with the first that counts. */
	for (i = 1; i < MB_ERROR_BUDGET; i++)
		assert_false(mb_error_budget_spend(&budget, 10 + 1001 * HOUR - 1));
	assert_true(mb_error_budget_spend(&budget, 10 + 1001 * HOUR - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_at_once),
		cmocka_unit_test(test_few_for_years),
		cmocka_unit_test(test_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
