// SPDX-License-Identifier: GPL-2.0-only
/* Recorded I/O as fio and blkparse write it, and replaying it. */
#define _GNU_SOURCE
#include "unit.h"

#include "../../userspace/alloc.c"
#include "../../userspace/trace.c"

static const char *read_text(const char *text, struct trace *trace, u64 *line)
{
	FILE *from = fmemopen((void *)text, strlen(text), "r");
	const char *wrong;

	assert_non_null(from);
	wrong = trace_read(from, trace, line);
	fclose(from);
	return wrong;
}

static void check_request(const struct trace *trace, u64 nth, u64 at_ns, u64 sector, u32 sectors,
			  bool write)
{
	const struct replay_request *request = &trace->requests[nth];

	assert_true(nth < trace->nr);
	assert_int_equal(request->at_ns, at_ns);
	assert_int_equal(request->sector, sector);
	assert_int_equal(request->sectors, sectors);
	assert_int_equal(request->write, write);
}

static void test_fio_2(void **state)
{
	struct trace trace;
	u64 line;

	assert_null(read_text("fio version 2 iolog\n/dev/x add\n/dev/x open\n/dev/x read 4096 8192\n"
			      "/dev/x wait 100 0\n\n/dev/x write 1 512\n/dev/x sync 0 0\n"
			      "/dev/x close\n", &trace, &line));
	assert_int_equal(trace.nr, 2);
	assert_false(trace.timed);
	check_request(&trace, 0, 0, 8, 16, false);
	/* Half of two sectors is two sectors. */
	check_request(&trace, 1, 0, 0, 2, true);
	assert_int_equal(trace.end, 24);
	trace_free(&trace);
}

/* Times in us; the first is the beginning. Threads write as they come. */
static void test_fio_3(void **state)
{
	struct trace trace;
	u64 line;

	assert_null(read_text("fio version 3 iolog\n100 f add\n150 f open\n300 f read 512 512\n"
			      "200 f write 0 512\n400 f close\n", &trace, &line));
	assert_int_equal(trace.nr, 2);
	assert_true(trace.timed);
	check_request(&trace, 0, 0, 0, 1, true);
	check_request(&trace, 1, 100000, 1, 1, false);
	trace_free(&trace);
}

#define BLKPARSE_ISSUED \
	"  8,0    1        2     0.000002000  4162  D   R 1000 + 8 [fio]\n" \
	"  8,0    1        3     0.000400000  4162  C   R 1000 + 8 [0]\n"
#define BLKPARSE_QUEUED \
	"  8,0    1        1     0.000001000  4162  Q   R 1000 + 8 [fio]\n" \
	BLKPARSE_ISSUED \
	"  8,0    0        1     1.500001000  4162  Q  WS 2000 + 16 [fio]\n" \
	"  8,0    0        2     1.600000000  4162  Q   D 4000 + 64 [fio]\n" \
	"  8,0    0        3     1.700000000     0  Q FWS [fio]\n" \
	"CPU1 (8,0):\n Reads Queued:           1,        4KiB\n"

static void test_blkparse(void **state)
{
	struct trace trace;
	u64 line;

	assert_null(read_text(BLKPARSE_QUEUED, &trace, &line));
	assert_int_equal(trace.nr, 2);
	assert_true(trace.timed);
	check_request(&trace, 0, 0, 1000, 8, false);
	check_request(&trace, 1, 1500000000, 2000, 16, true);
	trace_free(&trace);
	/* Recorded with only what was issued. */
	assert_null(read_text(BLKPARSE_ISSUED, &trace, &line));
	assert_int_equal(trace.nr, 1);
	check_request(&trace, 0, 0, 1000, 8, false);
	trace_free(&trace);
}

static void check_wrong(const char *text, u64 in_line, const char *part)
{
	struct trace trace;
	const char *wrong;
	u64 line;

	wrong = read_text(text, &trace, &line);
	assert_non_null(wrong);
	if (!strstr(wrong, part))
		fail_msg("'%s' does not say '%s'", wrong, part);
	assert_int_equal(line, in_line);
	assert_null(trace.requests);
}

static void test_wrong_traces(void **state)
{
	check_wrong("fio version 4 iolog\n", 1, "2 and 3");
	check_wrong("fio version 2 iolog\nf read 0\n", 2, "length");
	check_wrong("fio version 2 iolog\nf read 0 512\nf read 0 0\n", 3, "length");
	check_wrong("fio version 2 iolog\nf read 0 99999999999\n", 2, "length");
	check_wrong("fio version 2 iolog\nf read 9999999999999999999 512\n", 2, "length");
	check_wrong("fio version 3 iolog\nf read 0 512\n", 2, "length");
	check_wrong("nothing of the kind\n", 2, "no reads and writes");
	check_wrong("8,0 1 1 0.1 1 Q R 1 + 9999999999 [x]\n", 1, "too large");
}

/* One read a second is never waited for; at any depth all are done. */
static void test_replay(void **state)
{
	struct mb_shape shape = { MB_LAYOUT_NEAR, 2, 2, 1024 };
	struct sim_drive drives[2] = { { .spinning = true }, { .spinning = true } };
	struct replay_request requests[50];
	struct replay_result result;
	struct mb_error error;
	struct sim *sim = calloc(1, sizeof(*sim));
	u32 i, depth;

	random_restart();
	for (i = 0; i < ARRAY_SIZE(requests); i++)
		requests[i] = (struct replay_request){
			.at_ns = i * 1000000000ull,
			.sector = random_below(1000000) * 8,
			.sectors = 8,
			.write = i % 10 == 9,
		};
	drives[0].spinning_shape = drives[1].spinning_shape = spindle_defaults(10000000);
	for (depth = 0; depth < 64; depth += 21) {
		assert_int_equal(sim_start(sim, &shape, drives, 10000000, &mb_adaptive_ops, 0, NULL,
					   &error), 0);
		replay_run(sim, requests, ARRAY_SIZE(requests), depth, &result);
		sim_stop(sim);
		assert_int_equal(result.reads, 45);
		assert_in_range(result.read_latency_ns / 45, 1000000, depth ? 500000000 : 30000000);
		assert_true(result.read_p99_ns >= result.read_latency_ns / 45);
		if (depth)
			assert_in_range(result.run_ns, 50000000, 2000000000);
		else
			assert_in_range(result.run_ns, 49000000000ull, 49100000000ull);
	}
	free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fio_2),
		cmocka_unit_test(test_fio_3),
		cmocka_unit_test(test_blkparse),
		cmocka_unit_test(test_wrong_traces),
		cmocka_unit_test(test_replay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
