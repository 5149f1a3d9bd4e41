// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"
#include "fio.h"
#include "interrupt.h"
#include "program.h"
#include "say.h"
#include "text.h"

/* Between a request to end and the order to. */
#define GRACE_MS 5000
#define MAX_TROUBLE_LINES 4

int fio_need(void)
{
	static const char *const argv[] = { "fio", "--version", NULL };
	int status;

	free(program_run(argv, &status));
	return status ? say_error("fio does the measuring, and is not there: `apt-get install fio`, or the like, brings it") : 0;
}

double fio_percent(const char *line)
{
	const char *at;
	double percent;
	int length;

	if (strncmp(line, "Jobs: ", 6))
		return -1;
	for (at = line; (at = strchr(at, '[')); at++) {
		length = 0;
		if (sscanf(at, "[%lf%%]%n", &percent, &length) == 1 && length)
			return percent < 0 ? 0 : percent > 100 ? 1 : percent / 100;
	}
	return -1;
}

/* A number below an object, by names; 0 if it is not there. */
static double number_at(struct json_object *object, const char *const *names)
{
	for (; *names; names++)
		if (!json_object_object_get_ex(object, *names, &object))
			return 0;
	return json_object_get_double(object);
}

#define NUMBER_AT(object, ...) number_at(object, (const char *const []){ __VA_ARGS__, NULL })

/* The whole latency if fio kept it, else the device's part, which only lacks the submission. */
static double p99_of(struct json_object *job)
{
	double p99 = NUMBER_AT(job, "read", "lat_ns", "percentile", "99.000000");

	return p99 ? p99 : NUMBER_AT(job, "read", "clat_ns", "percentile", "99.000000");
}

static void parse_job(struct json_object *job, struct fio_result *result)
{
	struct json_object *name = NULL;

	json_object_object_get_ex(job, "jobname", &name);
	result->job = text_cleaned(name ? json_object_get_string(name) : "");
	result->read_iops = NUMBER_AT(job, "read", "iops");
	result->read_bytes_s = NUMBER_AT(job, "read", "bw_bytes");
	result->read_mean_ns = NUMBER_AT(job, "read", "lat_ns", "mean");
	result->read_p99_ns = p99_of(job);
	result->write_iops = NUMBER_AT(job, "write", "iops");
	result->write_bytes_s = NUMBER_AT(job, "write", "bw_bytes");
}

static char *error_of(struct json_object *job, const char *name)
{
	int number = NUMBER_AT(job, "error");

	return number ? xprintf("fio's job '%s' failed: %s", name, strerror(number)) : NULL;
}

char *fio_results_parse(struct json_object *report, struct fio_results *results)
{
	struct json_object *jobs = NULL;
	char *wrong = NULL;
	size_t i, nr;

	*results = (struct fio_results){ 0 };
	json_object_object_get_ex(report, "jobs", &jobs);
	if (!json_object_is_type(jobs, json_type_array))
		return xstrdup("fio's report has no jobs");
	nr = json_object_array_length(jobs);
	results->list = xcalloc(nr, sizeof(*results->list));
	for (i = 0; i < nr && !wrong; i++) {
		struct json_object *job = json_object_array_get_idx(jobs, i);

		parse_job(job, &results->list[i]);
		results->nr++;
		wrong = error_of(job, results->list[i].job);
	}
	if (wrong)
		fio_results_free(results);
	return wrong;
}

void fio_results_free(struct fio_results *results)
{
	u32 i;

	for (i = 0; i < results->nr; i++)
		free(results->list[i].job);
	free(results->list);
	*results = (struct fio_results){ 0 };
}

/* What fio says beside its report: how far it is, and what is wrong. */
struct listener {
	fio_watch_fn watch;
	void *context;
	char line[1024];
	size_t length;
	char *trouble;		/* the first lines that are not about how far it is */
	u32 lines;
};

static void take_line(struct listener *listener)
{
	double done;

	listener->line[listener->length] = '\0';
	listener->length = 0;
	done = fio_percent(listener->line);
	if (done >= 0)
		listener->watch(done, listener->context);
	else if (*listener->line && listener->lines++ < MAX_TROUBLE_LINES)
		xappend(&listener->trouble, "; ", "%s", listener->line);
}

/* Its status line is written over and over, with carriage returns in between. */
static void take_output(struct listener *listener, const char *part, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		if (part[i] == '\n' || part[i] == '\r')
			take_line(listener);
		else if (listener->length < sizeof(listener->line) - 1)
			listener->line[listener->length++] = part[i];
}

static u64 now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000ull + time.tv_nsec / 1000000;
}

/* Asked first. @deadline: 0 before it was. False when there is nothing left to hear. */
static bool end(const struct program *fio, u64 *deadline)
{
	if (!*deadline) {
		kill(fio->pid, SIGTERM);
		*deadline = now_ms() + GRACE_MS;
	} else if (now_ms() >= *deadline) {
		kill(-fio->pid, SIGKILL);
		return false;
	}
	return true;
}

static void listen_to(const struct program *fio, struct listener *listener)
{
	struct pollfd poll_fd = { .fd = fio->output, .events = POLLIN };
	char part[512];
	u64 deadline = 0;
	ssize_t got;

	for (;;) {
		if (interrupted() && !end(fio, &deadline))
			return;
		if (poll(&poll_fd, 1, 500) <= 0)
			continue;
		got = read(fio->output, part, sizeof(part));
		if (!got || (got < 0 && errno != EINTR))
			return;
		if (got > 0)
			take_output(listener, part, got);
	}
}

static const char **with_report_options(const char *const *argv, char *output)
{
	const char *const own[] = { "--output-format=json", "--eta=always", "--eta-newline=1", output };
	const char **all;
	size_t nr, i;

	for (nr = 0; argv[nr]; nr++)
		;
	all = xcalloc(nr + ARRAY_SIZE(own) + 1, sizeof(*all));
	all[0] = argv[0];
	/* Before the first job: what follows it would be of that job. */
	for (i = 0; i < ARRAY_SIZE(own); i++)
		all[1 + i] = own[i];
	for (i = 1; i < nr; i++)
		all[ARRAY_SIZE(own) + i] = argv[i];
	return all;
}

static int read_report(int fd, struct fio_results *results)
{
	struct json_object *report = json_object_from_fd(fd);
	char *wrong = report ? fio_results_parse(report, results) :
		      xprintf("fio's report cannot be read: %s", json_util_get_last_err());

	json_object_put(report);
	if (!wrong)
		return 0;
	say_error("%s", wrong);
	free(wrong);
	return -1;
}

/* The report goes to memory that is gone with the two processes. */
static int run_to_memory(const char *const *argv, int memory, struct listener *listener,
			 struct fio_results *results)
{
	char *output = xprintf("--output=/proc/self/fd/%d", memory);
	const char **all = with_report_options(argv, output);
	struct program fio;
	int status;

	status = program_start(&fio, all);
	free(all);
	free(output);
	if (status)
		return say_error("cannot run fio: %s", strerror(errno));
	listen_to(&fio, listener);
	status = program_end(&fio);
	if (interrupted())
		return -1;
	if (listener->trouble)
		text_clean(listener->trouble);
	if (status)
		return say_error("fio ended with status %d: %s", status,
				 listener->trouble ? listener->trouble : "it did not say why");
	lseek(memory, 0, SEEK_SET);
	return read_report(memory, results);
}

int fio_run(const char *const *argv, fio_watch_fn watch, void *context,
	    struct fio_results *results)
{
	struct listener listener = { .watch = watch, .context = context };
	int memory = memfd_create("fio", 0), result;

	if (memory < 0)
		return say_error("no memory for fio's report: %s", strerror(errno));
	result = run_to_memory(argv, memory, &listener, results);
	free(listener.trouble);
	close(memory);
	return result;
}
