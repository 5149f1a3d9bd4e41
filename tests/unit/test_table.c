// SPDX-License-Identifier: GPL-2.0-only
/* Table lines: right ones, and wrong ones with the error each must give. */
#include "policy.h"
#include "table.h"
#include "unit.h"

#define MAX_WORDS 128
#define MAX_LINE 2048

/* A table line as device-mapper hands it over: words of its own. */
struct line {
	char *text;
	char *word[MAX_WORDS];
	u32 count;
};

static struct line split(const char *text)
{
	struct line line = { .text = strdup(text) };
	char *word, *rest;

	assert_non_null(line.text);
	for (word = strtok_r(line.text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		assert_true(line.count < MAX_WORDS);
		line.word[line.count++] = word;
	}
	return line;
}

static const struct mb_policy_ops *builtin(const char *name)
{
	const struct mb_policy_ops *const *all;
	u32 nr, i;

	all = mb_policy_builtins(&nr);
	for (i = 0; i < nr; i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}

/* All that can be judged of a line without opening a device, in the order of the constructor. */
static int judge(struct mb_table *table, u64 length, const struct line *line,
		 struct mb_error *error)
{
	const struct mb_policy_ops *ops;
	char config[256] = { 0 };

	error->text[0] = '\0';
	if (mb_table_parse(table, length, line->count, (char **)line->word, error))
		return -1;
	ops = builtin(table->policy);
	if (ops) {
		assert_true(ops->config_size <= sizeof(config));
		if (mb_policy_configure(ops, config, &table->layout, table->policy_argc,
					table->policy_argv, error))
			return -1;
	}
	return 0;
}

/* A line, the word or name that is wrong in it, and what the error must offer. */
struct wrong_line {
	u64 length;
	const char *text;
	const char *wrong;
	const char *offer;
};

/* Two legs, and what follows them. */
#define AB "2 /dev/a 0 /dev/b 0"
#define SYNC " nearest-head 0 1 nosync"

static const struct wrong_line wrong_lines[] = {
	/* too short: what should come next is named */
	{ 8192, "", "ends", "the layout" },
	{ 8192, "n2", "ends", "chunk_sectors" },
	{ 8192, "n2 128", "ends", "the number of legs" },
	{ 8192, "n2 128 2", "ends", "the device of leg 0" },
	{ 8192, "n2 128 2 /dev/a", "ends", "the data offset of leg 0" },
	{ 8192, "n2 128 2 /dev/a 0", "ends", "the device of leg 1" },
	{ 8192, "n2 128 2 /dev/a 0 /dev/b", "ends", "the data offset of leg 1" },
	{ 8192, "n2 128 " AB " round-robin", "ends",
	  "the number of arguments of policy round-robin" },
	{ 8192, "n2 128 " AB " nearest-head 0 1 write_mostly", "ends", "the leg of write_mostly" },

	/* layout */
	{ 8192, "x2 128 " AB SYNC, "layout is 'x2'", "n<copies> (near), f<copies> (far)" },
	{ 8192, "N2 128 " AB SYNC, "layout is 'N2'", "o<copies> (offset)" },
	{ 8192, "2n 128 " AB SYNC, "layout is '2n'", "as in n2" },
	{ 8192, "n 128 " AB SYNC, "layout is 'n'", "2 to 32 copies" },
	{ 8192, "n2x 128 " AB SYNC, "layout is 'n2x'", "2 to 32 copies" },
	{ 8192, "n-2 128 " AB SYNC, "layout is 'n-2'", "2 to 32 copies" },
	{ 8192, "near 128 " AB SYNC, "layout is 'near'", "as in n2" },
	{ 8192, "raid10 128 " AB SYNC, "layout is 'raid10'", "as in n2" },
	{ 8192, "f0 128 " AB SYNC, "layout is 'f0'", "2 to 32 copies" },
	{ 8192, "o1 128 " AB SYNC, "layout is 'o1'", "2 to 32 copies" },
	{ 8192, "n33 128 " AB SYNC, "layout is 'n33'", "2 to 32 copies" },
	{ 8192, "n3 128 " AB SYNC, "number of copies is 3", "2 to the number of legs, 2" },
	{ 8192, "f4 128 3 /dev/a 0 /dev/b 0 /dev/c 0" SYNC, "number of copies is 4",
	  "2 to the number of legs, 3" },

	/* chunk */
	{ 8192, "n2 x " AB SYNC, "chunk_sectors is 'x'", "8 to 2097152" },
	{ 8192, "n2 128k " AB SYNC, "chunk_sectors is '128k'", "8 to 2097152" },
	{ 8192, "n2 -128 " AB SYNC, "chunk_sectors is '-128'", "8 to 2097152" },
	{ 8192, "n2 0 " AB SYNC, "chunk_sectors is '0'", "8 to 2097152" },
	{ 8192, "n2 4 " AB SYNC, "chunk_sectors is '4'", "8 to 2097152" },
	{ 8192, "n2 100 " AB SYNC, "chunk is 100 sectors", "powers of two" },
	{ 8192, "n2 129 " AB SYNC, "chunk is 129 sectors", "powers of two" },
	{ 8192, "n2 4194304 " AB SYNC, "chunk_sectors is '4194304'", "8 to 2097152" },
	{ 8192, "n2 18446744073709551744 " AB SYNC, "chunk_sectors is '18446744073709551744'",
	  "8 to 2097152" },

	/* number of legs */
	{ 8192, "n2 128 two /dev/a 0 /dev/b 0" SYNC, "number of legs is 'two'", "2 to 32" },
	{ 8192, "n2 128 0" SYNC, "number of legs is '0'", "2 to 32" },
	{ 8192, "n2 128 1 /dev/a 0" SYNC, "number of legs is '1'", "2 to 32" },
	{ 8192, "n2 128 33 /dev/a 0" SYNC, "number of legs is '33'", "2 to 32" },
	{ 8192, "n2 128 2x /dev/a 0 /dev/b 0" SYNC, "number of legs is '2x'", "2 to 32" },
	{ 8192, "n2 128 /dev/a 0 /dev/b 0" SYNC, "number of legs is '/dev/a'", "2 to 32" },
	/* one leg more than announced: the third stands where the policy should */
	{ 8192, "n2 128 2 /dev/a 0 /dev/b 0 /dev/c 0" SYNC, "number of feature words is 'nearest-head'",
	  "0 to" },
	/* one leg fewer than announced: the policy is taken for a device */
	{ 8192, "n2 128 3 /dev/a 0 /dev/b 0 nearest-head 0 1 nosync",
	  "arguments of policy 1 is 'nosync'", "0 to 16" },

	/* legs */
	{ 8192, "n2 128 2 /dev/a /dev/b 0 0" SYNC, "data offset of leg 0 is '/dev/b'",
	  "whole numbers from 0" },
	{ 8192, "n2 128 2 /dev/a 0 /dev/b -8" SYNC, "data offset of leg 1 is '-8'",
	  "whole numbers from 0" },
	{ 8192, "n2 128 2 /dev/a 0 /dev/b 12x" SYNC, "data offset of leg 1 is '12x'",
	  "whole numbers from 0" },
	{ 8192, "n2 128 2 /dev/a 4M /dev/b 0" SYNC, "data offset of leg 0 is '4M'",
	  "whole numbers from 0" },
	{ 8192, "n2 128 2 - - - 0" SYNC, "data offset of leg 0 is '-'", "whole numbers from 0" },
	{ 8192, "n2 128 2 /dev/a 18014398509481985 /dev/b 0" SYNC,
	  "data offset of leg 0 is '18014398509481985'", "to 18014398509481984" },
	{ 8192, "n2 128 2 /dev/a 0 /dev/a 0" SYNC, "leg 1 is /dev/a, which is leg 0",
	  "a device of its own" },
	{ 8192, "n2 128 2 /dev/a 0 /dev/a 99999" SYNC, "leg 1 is /dev/a, which is leg 0",
	  "a device of its own" },
	{ 8192, "n2 128 4 /dev/a 0 /dev/b 0 - 0 /dev/b 0" SYNC, "leg 3 is /dev/b, which is leg 1",
	  "a device of its own" },

	/* length */
	{ 0, "n2 128 " AB SYNC, "length is 0 sectors", "1 to 18014398509481984" },
	{ 1, "n2 128 " AB SYNC, "length is 1 sectors", "whole number of chunks of 128 sectors" },
	{ 8191, "n2 128 " AB SYNC, "length is 8191 sectors",
	  "whole number of chunks of 128 sectors" },
	{ 1ull << 55, "n2 128 " AB SYNC, "length is 36028797018963968 sectors",
	  "1 to 18014398509481984" },
	{ 128 * 5, "f2 128 " AB SYNC, "length is 640 sectors", "the nearest are 512 and 768" },
	{ 128, "f2 128 " AB SYNC, "length is 128 sectors", "the next is 256" },
	{ 128 * 4, "o2 128 3 /dev/a 0 /dev/b 0 /dev/c 0" SYNC, "length is 512 sectors",
	  "the nearest are 384 and 768" },
	{ 128 * 3, "n2 128 4 /dev/a 0 /dev/b 0 /dev/c 0 /dev/d 0" SYNC, "length is 384 sectors",
	  "the nearest are 256 and 512" },

	/* policy */
	{ 8192, "n2 128 " AB " nearest-head x", "arguments of policy nearest-head is 'x'",
	  "0 to 16" },
	{ 8192, "n2 128 " AB " nearest-head nosync", "arguments of policy nearest-head is 'nosync'",
	  "0 to 16" },
	{ 8192, "n2 128 " AB " round-robin 17 1", "arguments of policy round-robin is '17'",
	  "0 to 16" },
	{ 8192, "n2 128 " AB " round-robin 2 65536", "round-robin is to have 2 arguments",
	  "but 1 words follow" },
	{ 8192, "n2 128 " AB " nearest-head 1 nosync", "nearest-head takes no arguments",
	  "did you mean `nearest-head 0 1 nosync`?" },
	{ 8192, "n2 128 " AB " queue-length 2 write_mostly 1", "'write_mostly' was given",
	  "did you mean `queue-length 0 2 write_mostly" },
	{ 8192, "n2 128 " AB " round-robin 1 64k 1 nosync", "'64k'", "0 (every read)" },
	{ 8192, "n2 128 " AB " round-robin 2 1 2 1 nosync", "not 2", "at most 1 argument" },
	{ 8192, "n2 128 " AB " sequential-affinity 1 -1 1 nosync", "'-1'", "never hand over" },
	{ 8192, "n2 128 " AB " a-policy-with-a-name-as-long-as-this-one 0 1 nosync",
	  "a-policy-with-a-name-as-long-as-this-one", "at most 31 characters" },

	/* features */
	{ 8192, "n2 128 " AB " nearest-head 0 nosync", "number of feature words is 'nosync'",
	  "0 to 80" },
	{ 8192, "n2 128 " AB " nearest-head 0 2 nosync", "2 feature words are announced",
	  "but 1 follow" },
	{ 8192, "n2 128 " AB " nearest-head 0 0 nosync", "0 feature words are announced",
	  "but 1 follow" },
	{ 8192, "n2 128 " AB " nearest-head 0 1 nosync junk", "1 feature words are announced",
	  "but 2 follow" },
	{ 8192, "n2 128 " AB " nearest-head 0 1x nosync", "number of feature words is '1x'",
	  "0 to 80" },
	{ 8192, "n2 128 " AB " nearest-head 0 1 nosnyc", "feature 'nosnyc' is not known",
	  "metadata, nosync, write_mostly <leg> and resync_limit <KiB/s>" },
	{ 8192, "n2 128 " AB " nearest-head 0 1 NOSYNC", "feature 'NOSYNC' is not known",
	  "metadata, nosync, write_mostly <leg> and resync_limit <KiB/s>" },
	{ 8192, "n2 128 " AB " nearest-head 0 2 nosync 1", "feature '1' is not known",
	  "metadata, nosync, write_mostly <leg> and resync_limit <KiB/s>" },
	{ 8192, "n2 128 " AB " nearest-head 0 3 nosync write_mostly 2",
	  "leg of write_mostly is '2'", "0 to 1" },
	{ 8192, "n2 128 " AB " nearest-head 0 3 nosync write_mostly /dev/b",
	  "leg of write_mostly is '/dev/b'", "0 to 1" },
	{ 8192, "n2 128 " AB " nearest-head 0 2 write_mostly nosync",
	  "leg of write_mostly is 'nosync'", "0 to 1" },
	{ 8192, "n2 128 " AB " nearest-head 0 2 nosync metadata", "metadata and nosync are both given",
	  "stored whether" },
	{ 8192, "n2 128 " AB " nearest-head 0 3 nosync region_size 2048",
	  "region_size is not in this version", "not in this version" },
	{ 8192, "n2 128 " AB " nearest-head 0 2 resync_limit fast", "resync_limit is 'fast'",
	  "0 to 1073741824" },
	{ 8192, "n2 128 " AB " nearest-head 0 2 resync_limit 1073741825",
	  "resync_limit is '1073741825'", "0 to 1073741824" },
	{ 8192, "n2 128 " AB " nearest-head 0 1 resync_limit", "the table line ends where resync_limit",
	  "should stand" },
	{ 8192, "n2 128 " AB " nearest-head 0 2 nosync copy_writes",
	  "copy_writes is not in this version", "not in this version" },
};

static void test_wrong_lines(void **state)
{
	u32 i;

	assert_true(ARRAY_SIZE(wrong_lines) >= 60);
	for (i = 0; i < ARRAY_SIZE(wrong_lines); i++) {
		const struct wrong_line *wrong = &wrong_lines[i];
		struct line line = split(wrong->text);
		struct mb_table table;
		struct mb_error error;

		if (!judge(&table, wrong->length, &line, &error))
			fail_msg("'%s' was taken", wrong->text);
		if (!strstr(error.text, wrong->wrong) || !strstr(error.text, wrong->offer))
			fail_msg("%s\ngives  '%s'\nwithout '%s' or '%s'", wrong->text, error.text,
				 wrong->wrong, wrong->offer);
		assert_true(strlen(error.text) < MB_ERROR_LEN - 1);
		assert_null(strchr(error.text, '\n'));
		free(line.text);
	}
}

static struct mb_table accept(u64 length, const char *text, struct line *line)
{
	struct mb_table table;
	struct mb_error error;

	*line = split(text);
	if (judge(&table, length, line, &error))
		fail_msg("'%s' was refused: %s", text, error.text);
	assert_true(table.layout.length == length);
	return table;
}

static void test_full_line(void **state)
{
	struct line line;
	struct mb_table table = accept(128 * 6, "f2 128 3 /dev/a 8192 - 0 8:16 2048 "
				       "round-robin 1 65536 3 write_mostly 2 nosync", &line);

	assert_int_equal(table.layout.shape.kind, MB_LAYOUT_FAR);
	assert_int_equal(table.layout.shape.copies, 2);
	assert_int_equal(table.layout.shape.legs, 3);
	assert_int_equal(table.layout.shape.chunk_sectors, 128);
	assert_string_equal(table.legs[0].device, "/dev/a");
	assert_null(table.legs[1].device);
	assert_string_equal(table.legs[2].device, "8:16");
	assert_int_equal(table.legs[0].data_offset, 8192);
	assert_int_equal(table.legs[1].data_offset, 0);
	assert_int_equal(table.legs[2].data_offset, 2048);
	assert_string_equal(table.policy, "round-robin");
	assert_int_equal(table.policy_argc, 1);
	assert_string_equal(table.policy_argv[0], "65536");
	assert_int_equal(table.write_mostly, 1u << 2);
	assert_true(table.nosync);
	free(line.text);
}

static void test_write_mostly_repeats(void **state)
{
	struct line line;
	struct mb_table table = accept(8192, "n4 8 4 a 0 b 0 c 0 d 0 queue-length 0 7 "
				       "write_mostly 3 nosync write_mostly 0 write_mostly 3",
				       &line);

	assert_int_equal(table.write_mostly, 0x9);
	assert_true(table.nosync);
	free(line.text);
}

/* Without features the legs are resynced, as fast as they can. */
static void test_defaults(void **state)
{
	static const char *const lines[] = { "n2 8 2 a 0 b 0", "n2 8 2 a 0 b 0 adaptive 0",
					     "n2 8 2 a 0 b 0 adaptive 0 0" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		struct line line = split(lines[i]);
		struct mb_table table;
		struct mb_error error;

		assert_int_equal(mb_table_parse(&table, 8192, line.count, line.word, &error), 0);
		assert_string_equal(table.policy, MB_DEFAULT_POLICY);
		assert_int_equal(table.policy_argc, 0);
		assert_int_equal(table.write_mostly, 0);
		assert_false(table.nosync);
		assert_int_equal(table.resync_limit, 0);
		free(line.text);
	}
}

static void test_resync_limit(void **state)
{
	struct line line;
	struct mb_table table = accept(8192, "n2 8 2 a 0 b 0 queue-length 0 4 resync_limit 5000 "
				       "resync_limit 1073741824", &line);

	assert_int_equal(table.resync_limit, 1u << 30);
	assert_false(table.nosync);
	free(line.text);
}

/* All legs may be missing here: whether a copy is left is for the array to say. */
static void test_missing_legs(void **state)
{
	struct line line;
	struct mb_table table = accept(8192, "n2 8 2 - 0 - 0 nearest-head 0 1 nosync", &line);

	assert_null(table.legs[0].device);
	assert_null(table.legs[1].device);
	free(line.text);
}

/* A policy that is not built in, from a module: its arguments are its own affair. */
static void test_unknown_policy_is_left_to_others(void **state)
{
	struct line line;
	struct mb_table table = accept(8192, "n2 8 2 a 0 b 0 my-policy 3 x 5 nosync 1 nosync",
				       &line);

	assert_string_equal(table.policy, "my-policy");
	assert_int_equal(table.policy_argc, 3);
	assert_string_equal(table.policy_argv[2], "nosync");
	free(line.text);
}

static void test_most_legs(void **state)
{
	char text[MAX_LINE] = "n2 8 32";
	struct mb_table table;
	struct line line;
	u32 leg;

	for (leg = 0; leg < MB_MAX_LEGS; leg++)
		sprintf(text + strlen(text), " /dev/leg%u %u", leg, leg * 8);
	strcat(text, " sequential-affinity 0 3 nosync write_mostly 31");
	table = accept(8192, text, &line);
	for (leg = 0; leg < MB_MAX_LEGS; leg++)
		assert_int_equal(table.legs[leg].data_offset, leg * 8);
	assert_int_equal(table.write_mostly, 1u << 31);
	free(line.text);
}

/* A right line, cut or with one word replaced, must give an error or a table, never a fault. */
static void test_broken_lines(void **state)
{
	static const char *const junk[] = { "", "-", "0", "-1", "12x", "99999999999999999999",
					    "n2", "nosync", "write_mostly", "%s%n" };
	static const char right[] = "f2 128 3 /dev/a 0 - 0 /dev/c 0 round-robin 1 65536 "
				    "3 nosync write_mostly 2";
	struct mb_table table;
	struct mb_error error;
	struct line whole = split(right);
	u32 words, i, j;

	words = whole.count;
	free(whole.text);
	for (i = 0; i <= words; i++) {
		for (j = 0; j < ARRAY_SIZE(junk); j++) {
			struct line line = split(right);
			int result;

			if (i < words)
				line.word[i] = (char *)junk[j];
			else
				line.count = j;
			result = judge(&table, 128 * 6, &line, &error);
			assert_int_equal(result != 0, error.text[0] != '\0');
			free(line.text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong_lines),
		cmocka_unit_test(test_full_line),
		cmocka_unit_test(test_write_mostly_repeats),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_resync_limit),
		cmocka_unit_test(test_missing_legs),
		cmocka_unit_test(test_unknown_policy_is_left_to_others),
		cmocka_unit_test(test_most_legs),
		cmocka_unit_test(test_broken_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
