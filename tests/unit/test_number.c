// SPDX-License-Identifier: GPL-2.0-only
/* Decimal numbers, and the line of text that an error is. */
#include "error.h"
#include "number.h"
#include "unit.h"

#define U64_LARGEST 18446744073709551615ull

static void accept(const char *word, u64 max, u64 wanted)
{
	u64 value = 77;

	if (!mb_number_parse(word, max, &value))
		fail_msg("'%s' was refused", word);
	assert_true(value == wanted);
}

static void refuse(const char *word, u64 max)
{
	u64 value = 77;

	if (mb_number_parse(word, max, &value))
		fail_msg("'%s' was taken for %llu", word, (unsigned long long)value);
	assert_true(value == 77);
}

static void test_numbers(void **state)
{
	accept("0", 0, 0);
	accept("0", U64_LARGEST, 0);
	accept("7", 9, 7);
	accept("9", 9, 9);
	accept("10", 10, 10);
	accept("00012", 12, 12);
	accept("4294967296", U64_LARGEST, 4294967296ull);
	accept("18446744073709551615", U64_LARGEST, U64_LARGEST);
	accept("18446744073709551614", U64_LARGEST - 1, U64_LARGEST - 1);
}

static void test_no_numbers(void **state)
{
	static const char *const words[] = {
		"", " ", "-", "-1", "+1", "x", "12x", "x12", "1 2", " 12", "12 ", "0x10", "1.0",
		"1e3", "1k", "\xc2\xb2", "12\n", "1/", "1:", "18446744073709551616",
		"18446744073709551625", "28446744073709551615", "99999999999999999999999999",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		refuse(words[i], U64_LARGEST);
}

static void test_limits(void **state)
{
	refuse("1", 0);
	refuse("10", 9);
	refuse("11", 10);
	refuse("20", 19);
	refuse("100", 99);
	refuse("18446744073709551615", U64_LARGEST - 1);
}

static void test_random_numbers(void **state)
{
	char word[32];
	u32 i;

	random_restart();
	for (i = 0; i < 20000; i++) {
		u64 number = random_below(1ull << (1 + random_below(63)));

		snprintf(word, sizeof(word), "%llu", (unsigned long long)number);
		accept(word, number, number);
		accept(word, U64_LARGEST, number);
		if (number)
			refuse(word, number - 1);
	}
}

static void test_error_line(void **state)
{
	char longer[MB_ERROR_LEN + 50];
	struct mb_error error;

	assert_int_equal(mb_error_set(&error, "leg %u is %s", 3, "gone"), -1);
	assert_string_equal(error.text, "leg 3 is gone");

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(mb_error_set(&error, "%s", longer), -1);
	assert_int_equal(strlen(error.text), MB_ERROR_LEN - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_no_numbers),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_random_numbers),
		cmocka_unit_test(test_error_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
