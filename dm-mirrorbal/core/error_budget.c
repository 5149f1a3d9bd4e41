// SPDX-License-Identifier: GPL-2.0-only
#include "error_budget.h"

static void halve(struct mb_error_budget *budget, u64 now_s)
{
	u64 times = div_u64(now_s - budget->since_s, MB_ERROR_HALF_LIFE_S);

	budget->errors = times < 32 ? budget->errors >> times : 0;
	budget->since_s += times * MB_ERROR_HALF_LIFE_S;
}

bool mb_error_budget_spend(struct mb_error_budget *budget, u64 now_s)
{
	/* Of those that are forgotten the hour does not matter. */
	if (budget->errors)
		halve(budget, now_s);
	if (!budget->errors)
		budget->since_s = now_s;
	budget->errors++;
	return budget->errors > MB_ERROR_BUDGET;
}
