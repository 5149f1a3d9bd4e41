// SPDX-License-Identifier: GPL-2.0-only
/* Reading INFO status lines: what a module prints, and what nobody should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "status.h"

#define LEG0 "1 2 3 4 5 6 7 8 9 10 11"
#define LEG1 "101 102 103 104 105 106 107 108 109 110 111"

static void parses_every_field(void **state)
{
	struct mb_status status;
	struct mb_error error;
	u32 i;

	(void)state;
	assert_int_equal(mb_status_parse(&status,
					 "f2 2 AD 1024/2048 resync 7 round-robin .w 11 " LEG0 " " LEG1,
					 &error), 0);
	assert_int_equal(status.kind, MB_LAYOUT_FAR);
	assert_int_equal(status.copies, 2);
	assert_int_equal(status.legs, 2);
	assert_string_equal(status.health, "AD");
	assert_int_equal(status.in_sync, 1024);
	assert_int_equal(status.total, 2048);
	assert_string_equal(status.action, "resync");
	assert_int_equal(status.mismatches, 7);
	assert_string_equal(status.policy, "round-robin");
	assert_string_equal(status.marks, ".w");
	for (i = 0; i < MB_NR_COUNTERS; i++) {
		assert_int_equal(status.counters[0][i], i + 1);
		assert_int_equal(status.counters[1][i], i + 101);
	}
}

static void passes_over_newer_counters(void **state)
{
	struct mb_status status;
	struct mb_error error;

	(void)state;
	assert_int_equal(mb_status_parse(&status,
					 "n2 2 AA 8/8 idle 0 queue-length .. 13 " LEG0 " 77 78 "
					 LEG1 " 79 80", &error), 0);
	assert_int_equal(status.counters[1][MB_COUNTER_READS], 101);
	assert_int_equal(status.counters[1][MB_COUNTER_READ_LATENCY_US], 111);
}

static void holds_the_largest_array(void **state)
{
	char line[16384], letters[MB_MAX_LEGS + 1], marks[MB_MAX_LEGS + 1];
	struct mb_status status;
	struct mb_error error;
	int at, leg, i;

	(void)state;
	memset(letters, 'A', MB_MAX_LEGS);
	memset(marks, '.', MB_MAX_LEGS);
	letters[MB_MAX_LEGS] = marks[MB_MAX_LEGS] = '\0';
	at = snprintf(line, sizeof(line), "n32 32 %s %llu/%llu idle 0 nearest-head %s 11", letters,
		      MB_MAX_LENGTH, MB_MAX_LENGTH, marks);
	for (leg = 0; leg < MB_MAX_LEGS; leg++)
		for (i = 0; i < MB_NR_COUNTERS; i++)
			at += snprintf(line + at, sizeof(line) - at, " 18446744073709551615");
	assert_int_equal(mb_status_parse(&status, line, &error), 0);
	assert_int_equal(status.copies, 32);
	assert_true(status.counters[31][MB_COUNTER_SECTORS_READ] == ~0ull);
}

static void refuses_nonsense(void **state)
{
	static const struct {
		const char *line;
		const char *says;
	} wrong[] = {
		{ "", "ends where the layout should be" },
		{ "x2 2 AA 8/8 idle 0 p .. 11 " LEG0 " " LEG1, "the layout is 'x2'" },
		{ "n2x 2 AA 8/8 idle 0 p .. 11 " LEG0 " " LEG1, "the layout is 'n2x'" },
		{ "n3 2 AA 8/8 idle 0 p .. 11 " LEG0 " " LEG1, "3 copies on 2 legs" },
		{ "n2 33 AA 8/8 idle 0 p .. 11 " LEG0, "the number of legs is '33'" },
		{ "n2 2 AAA 8/8 idle 0 p .. 11 " LEG0 " " LEG1, "the health is 'AAA'" },
		{ "n2 2 AX 8/8 idle 0 p .. 11 " LEG0 " " LEG1, "the health is 'AX'" },
		{ "n2 2 AA 8 idle 0 p .. 11 " LEG0 " " LEG1, "<in_sync>/<total> is '8'" },
		{ "n2 2 AA 9/8 idle 0 p .. 11 " LEG0 " " LEG1, "<in_sync>/<total> is '9/8'" },
		{ "n2 2 AA 8/8 idling-for-a-long-time 0 p .. 11 " LEG0 " " LEG1, "the action is" },
		{ "n2 2 AA 8/8 idle -1 p .. 11 " LEG0 " " LEG1, "mismatches is '-1'" },
		{ "n2 2 AA 8/8 idle 0 p .x 11 " LEG0 " " LEG1, "the marks is '.x'" },
		{ "n2 2 AA 8/8 idle 0 p .. 10 " LEG0 " " LEG1, "expected 11 or more" },
		{ "n2 2 AA 8/8 idle 0 p .. 11 " LEG0, "ends where reads should be" },
		{ "n2 2 AA 8/8 idle 0 p .. 11 " LEG0 " 1 2x", "sectors_read is '2x'" },
		{ "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn", "longer than" },
	};
	struct mb_status status;
	struct mb_error error;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		error.text[0] = '\0';
		assert_int_equal(mb_status_parse(&status, wrong[i].line, &error), -1);
		if (!strstr(error.text, wrong[i].says))
			fail_msg("'%s' gave '%s'", wrong[i].line, error.text);
	}
}

static void names_are_distinct(void **state)
{
	u32 i, j;

	(void)state;
	for (i = 0; i < MB_NR_COUNTERS; i++)
		for (j = 0; j < i; j++)
			assert_string_not_equal(mb_counter_name(i), mb_counter_name(j));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_every_field),
		cmocka_unit_test(passes_over_newer_counters),
		cmocka_unit_test(holds_the_largest_array),
		cmocka_unit_test(refuses_nonsense),
		cmocka_unit_test(names_are_distinct),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
