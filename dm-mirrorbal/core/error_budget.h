/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many read errors a leg may have. One now and then is what a good drive
 * has in its life, and is repaired; many in a short time are a drive that dies,
 * or a way to it that is broken. As md does, the count is halved each hour.
 */
#ifndef MB_ERROR_BUDGET_H
#define MB_ERROR_BUDGET_H

#include "port.h"

/* Errors that do not fail a leg; md has the same (max_read_errors). */
#define MB_ERROR_BUDGET 20

#define MB_ERROR_HALF_LIFE_S 3600

struct mb_error_budget {
	u32 errors;	/* as many as still count */
	u64 since_s;	/* when they were halved last */
};

/**
 * mb_error_budget_spend - an error has come
 * @budget: of the leg; all zero at first
 * @now_s: seconds of a clock that goes on
 *
 * Context: any; the caller has the budget for itself.
 * Return: true if it is one too many.
 */
bool mb_error_budget_spend(struct mb_error_budget *budget, u64 now_s);

#endif /* MB_ERROR_BUDGET_H */
