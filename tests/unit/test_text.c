// SPDX-License-Identifier: GPL-2.0-only
/* Text from disks: nothing of it steers a terminal, all of it is UTF-8. */
/* alloc.c wants vasprintf(). */
#define _GNU_SOURCE
#include "unit.h"

/* Not part of core: only the command shows text. */
#include "../../userspace/alloc.c"
#include "../../userspace/shell.c"
#include "../../userspace/text.c"

static void only_characters_are_shown(void **state)
{
	static const struct { const char *given, *shown; } all[] = {
		{ "", "" },
		{ "Samsung SSD 990", "Samsung SSD 990" },
		{ "h\xc3\xb6me \xe2\x82\xac \xf0\x9f\x92\xbe", "h\xc3\xb6me \xe2\x82\xac \xf0\x9f\x92\xbe" },
		{ "\x1b[31m\x7f\t\n", "?[31m???" },
		{ "\xc2\x9b" "31m", "??31m" },		/* the other escape */
		{ "\xc2\xa0", "\xc2\xa0" },		/* the first character after them */
		{ "a\x80z", "a?z" },			/* a continuation of nothing */
		{ "a\xc3", "a?" },			/* cut off */
		{ "a\xe2\x82", "a??" },
		{ "a\xf0\x9f\x92z", "a???z" },
		{ "\xc0\xaf", "??" },			/* overlong */
		{ "\xe0\x9f\xbf", "???" },
		{ "\xf0\x8f\xbf\xbf", "????" },
		{ "\xed\xa0\x80", "???" },		/* surrogate */
		{ "\xed\x9f\xbf", "\xed\x9f\xbf" },
		{ "\xf4\x90\x80\x80", "????" },		/* beyond the last */
		{ "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf" },
		{ "\xff\xfe", "??" },
	};
	char text[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		strcpy(text, all[i].given);
		text_clean(text);
		assert_string_equal(text, all[i].shown);
	}
}

static void characters_are_not_cut(void **state)
{
	static const struct { const char *given, *kept; size_t room; } all[] = {
		{ "abcd", "abcd", 4 },
		{ "abcde", "abcd", 4 },
		{ "abc\xc3\xb6", "abc", 4 },
		{ "ab\xc3\xb6", "ab\xc3\xb6", 4 },
		{ "\xf0\x9f\x92\xbe", "", 3 },
		{ "a\xe2\x82\xac" "b", "a\xe2\x82\xac", 4 },
		{ "a\xe2\x82\xac" "b", "a", 3 },
	};
	char text[8];
	size_t i, rest;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		memset(text, 'x', sizeof(text));
		text_copy(text, all[i].given, all[i].room);
		assert_string_equal(text, all[i].kept);
		for (rest = strlen(text); rest <= all[i].room; rest++)
			assert_int_equal(text[rest], 0);
		assert_int_equal(text[all[i].room + 1], 'x');
	}
}

static void words_are_quoted_where_they_must(void **state)
{
	static const struct { const char *given, *typed; } all[] = {
		{ "vm", "vm" },
		{ "/dev/disk/by-id/nvme-X_1:0.2+b=c@d", "/dev/disk/by-id/nvme-X_1:0.2+b=c@d" },
		{ "", "''" },
		{ "#vm", "'#vm'" },
		{ "v#m", "v#m" },
		{ "a b", "'a b'" },
		{ "$(reboot)", "'$(reboot)'" },
		{ "a\\x20b", "'a\\x20b'" },
		{ "it's", "'it'\\''s'" },
		{ "a\nb", "'a\nb'" },
		{ "~", "'~'" },
		{ "a;b", "'a;b'" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		char *typed = shell_word(all[i].given);

		assert_string_equal(typed, all[i].typed);
		free(typed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_characters_are_shown),
		cmocka_unit_test(characters_are_not_cut),
		cmocka_unit_test(words_are_quoted_where_they_must),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
