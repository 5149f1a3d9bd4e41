// SPDX-License-Identifier: GPL-2.0-only
#include "bench.h"
#include "json.h"
#include "report.h"

static double iops(const struct fio_result *result)
{
	return result->read_iops + result->write_iops;
}

/* A row as a part of what md raid10 did of the same job; 0 where there is nothing to compare. */
static double of_md(const struct bench *bench, const struct bench_row *row)
{
	u32 i;

	for (i = 0; i < bench->nr_rows && !row->md; i++) {
		const struct bench_row *md = &bench->rows[i];

		if (md->md && md->nth == row->nth && iops(&md->result))
			return iops(&row->result) / iops(&md->result);
	}
	return 0;
}

/* As many digits as say something; 0 is what was not measured. */
static void cell(struct report *report, double value)
{
	if (value)
		report_cell(report, "%.*f", value < 1 ? 3 : value < 100 ? 2 : 0, value);
	else
		report_cell(report, "%s", "");
}

static void print_row(const struct bench *bench, struct report *report,
		      const struct bench_row *row)
{
	const struct fio_result *result = &row->result;

	report_cell(report, "%s", row->place);
	report_cell(report, "%s", result->job);
	cell(report, result->read_iops);
	cell(report, result->read_bytes_s / 1e6);
	cell(report, result->read_mean_ns / 1e6);
	cell(report, result->read_p99_ns / 1e6);
	cell(report, result->write_iops);
	cell(report, of_md(bench, row));
}

static void print_table(const struct bench *bench)
{
	static const char *const columns[] = {
		"ON", "JOB", ">READS/S", ">READ-MB/S", ">READ-MEAN-MS", ">READ-P99-MS", ">WRITES/S",
		">OF-MD", NULL
	};
	struct report *report = report_new(0, columns);
	u32 i;

	for (i = 0; i < bench->nr_rows; i++)
		print_row(bench, report, &bench->rows[i]);
	report_print(report, stdout);
}

static void put_double(struct json_object *object, const char *key, double value)
{
	json_object_object_add(object, key, json_object_new_double(value));
}

/* A latency that was not measured is null. */
static void put_latency(struct json_object *object, const char *key, double ns)
{
	if (ns)
		put_double(object, key, ns);
	else
		json_object_object_add(object, key, NULL);
}

static void print_json(const struct bench *bench)
{
	u32 i;

	for (i = 0; i < bench->nr_rows; i++) {
		const struct fio_result *result = &bench->rows[i].result;
		double ratio = of_md(bench, &bench->rows[i]);
		struct json_object *object = json_object_new_object();

		json_put_text(object, "on", bench->rows[i].place);
		json_put_text(object, "job", result->job);
		put_double(object, "read_iops", result->read_iops);
		put_double(object, "read_bytes_per_second", result->read_bytes_s);
		put_latency(object, "read_mean_ns", result->read_mean_ns);
		put_latency(object, "read_p99_ns", result->read_p99_ns);
		put_double(object, "write_iops", result->write_iops);
		put_double(object, "write_bytes_per_second", result->write_bytes_s);
		if (ratio)
			put_double(object, "of_md", ratio);
		json_print_line(object);
	}
}

void bench_report(const struct bench *bench)
{
	if (bench->json)
		print_json(bench);
	else if (bench->nr_rows)
		print_table(bench);
}
