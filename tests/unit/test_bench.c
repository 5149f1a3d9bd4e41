// SPDX-License-Identifier: GPL-2.0-only
/* What `bench` says to fio, and what it takes from fio's answers. */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>

#include "../../userspace/alloc.c"
#include "../../userspace/text.c"
#include "../../userspace/program.c"
#include "../../userspace/interrupt.c"
#include "../../userspace/fio.c"
#include "../../userspace/bench_job.c"

static char said[256];

int say_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(said, sizeof(said), fmt, args);
	va_end(args);
	return -1;
}

static void test_percent(void **state)
{
	assert_true(fio_percent("Jobs: 1 (f=1): [r(1)][75.0%][r=1997KiB/s][r=499 IOPS][eta 00m:01s]") == 0.75);
	assert_true(fio_percent("Jobs: 2 (f=2), 0-500 IOPS: [R(2)][100.0%][eta 00m:00s]") == 1);
	assert_true(fio_percent("Jobs: 1 (f=0): [/(1)][-.-%]") < 0);
	assert_true(fio_percent("Jobs: 1 (f=1)") < 0);
	assert_true(fio_percent("fio: job [50.0%] dropped") < 0);
}

static char *parse(const char *text, struct fio_results *results)
{
	struct json_object *report = json_tokener_parse(text);
	char *wrong = fio_results_parse(report, results);

	json_object_put(report);
	return wrong;
}

#define JOB(name, error, latency) \
	"{\"jobname\": \"" name "\", \"error\": " error ", \"read\": {\"iops\": 83.5, \"bw_bytes\": 342016, " \
	latency "}, \"write\": {\"iops\": 2, \"bw_bytes\": 8192}}"

static void test_results(void **state)
{
	struct fio_results results;

	assert_null(parse("{\"jobs\": [" JOB("a", "0",
		    "\"lat_ns\": {\"mean\": 12000000.5, \"percentile\": {\"99.000000\": 20000000}}") ", "
		    JOB("b", "0", "\"clat_ns\": {\"percentile\": {\"99.000000\": 30000000}}") "]}", &results));
	assert_int_equal(results.nr, 2);
	assert_string_equal(results.list[0].job, "a");
	assert_true(results.list[0].read_iops == 83.5);
	assert_true(results.list[0].read_bytes_s == 342016);
	assert_true(results.list[0].read_mean_ns == 12000000.5);
	assert_true(results.list[0].read_p99_ns == 20000000);
	assert_true(results.list[0].write_iops == 2);
	assert_true(results.list[1].read_mean_ns == 0);
	assert_true(results.list[1].read_p99_ns == 30000000);
	fio_results_free(&results);
}

static void test_results_wrong(void **state)
{
	struct fio_results results;
	char *wrong = parse("{\"jobs\": [" JOB("a", "0", "\"x\": 0") ", " JOB("b", "5", "\"x\": 0") "]}",
			    &results);

	assert_string_equal(wrong, "fio's job 'b' failed: Input/output error");
	assert_int_equal(results.nr, 0);
	free(wrong);
	wrong = parse("{}", &results);
	assert_string_equal(wrong, "fio's report has no jobs");
	free(wrong);
	wrong = parse("[1]", &results);
	assert_string_equal(wrong, "fio's report has no jobs");
	free(wrong);
}

static bool has(const struct bench_argv *argv, const char *word)
{
	u32 i;

	for (i = 0; i < argv->nr; i++)
		if (!strcmp(argv->words[i], word))
			return true;
	return false;
}

/* What is there is only read, by fio's own rule. */
static void test_argv(void **state)
{
	struct bench_place place = { .name = "x", .path = "/dev/sda", .bytes = 4ull << 30 };
	struct bench_argv argv;
	struct bench_job job;

	assert_int_equal(bench_job_find("raid10", &job), 0);
	assert_false(job.writes);
	bench_job_argv(&argv, &job, 3, &place, 7);
	assert_string_equal(argv.words[0], "fio");
	assert_true(has(&argv, "--readonly"));
	assert_true(has(&argv, "--filename=/dev/sda"));
	assert_true(has(&argv, "--name=readers-4"));
	assert_true(has(&argv, "--runtime=7"));
	assert_true(has(&argv, "--size=1073741824"));
	assert_true(has(&argv, "--offset_increment=1073741824"));
	assert_true(has(&argv, "--numjobs=4"));
	bench_argv_free(&argv);

	place.writable = true;
	assert_int_equal(bench_job_find("homelab", &job), 0);
	assert_true(job.writes);
	bench_job_argv(&argv, &job, 0, &place, 7);
	assert_false(has(&argv, "--readonly"));
	assert_true(has(&argv, "--size=1073741824"));
	bench_argv_free(&argv);
	place.bytes = 100 * MIB;
	bench_job_argv(&argv, &job, 0, &place, 7);
	assert_true(has(&argv, "--size=104857600"));
	bench_argv_free(&argv);
}

static const char *refused(const char *text)
{
	static char line[256];

	snprintf(line, sizeof(line), "%s", text);
	return refused_part(line);
}

static void test_job_file_lines(void **state)
{
	assert_null(refused("rw=randread\n"));
	assert_null(refused("  bs = 4k\r\n"));
	assert_null(refused("time_based\n"));
	assert_null(refused("ioengine=libaio\n"));
	assert_null(refused("; filename=/dev/sda\n"));
	assert_null(refused("# include x\n"));
	assert_null(refused("[filename]\n"));
	assert_null(refused("\n"));
	assert_string_equal(refused("filename=/dev/sda\n"), "filename");
	assert_string_equal(refused("\t directory = /srv\n"), "directory");
	assert_string_equal(refused("include other.fio\n"), "include");
	assert_string_equal(refused("${V}=other\n"), "${V}");
	assert_string_equal(refused("unlink=1\n"), "unlink");
	assert_string_equal(refused("exec_prerun=rm x\n"), "exec_prerun");
	assert_string_equal(refused("ioengine=filedelete\n"), "ioengine=filedelete");
	assert_string_equal(refused("ioengine=external:/x.so\n"), "ioengine=external:/x.so");
	assert_string_equal(refused("ioengine=\n"), "ioengine=");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_percent),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_results_wrong),
		cmocka_unit_test(test_argv),
		cmocka_unit_test(test_job_file_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
