// SPDX-License-Identifier: GPL-2.0-only
#include <time.h>
#include <unistd.h>

#include "progress.h"
#include "size.h"

#define BAR_WIDTH 30
/* Weight of the newest second in the rate. */
#define NEWEST 0.3

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

void progress_start(struct progress *progress, const char *what, u64 total)
{
	*progress = (struct progress){
		.what = what, .total = total, .terminal = isatty(STDERR_FILENO),
		.started = now(), .shown = now(), .next_percent = 10,
	};
}

static void update_rate(struct progress *progress, u64 done)
{
	double seconds = now() - progress->shown, newest;

	if (seconds < 0.1)
		return;
	newest = (done - progress->shown_done) / seconds;
	progress->rate = progress->rate ? (1 - NEWEST) * progress->rate + NEWEST * newest : newest;
	progress->shown += seconds;
	progress->shown_done = done;
}

static void time_left(char *text, size_t size, const struct progress *progress, u64 done)
{
	unsigned long seconds;

	if (!progress->rate) {
		snprintf(text, size, "-:--");
		return;
	}
	seconds = (progress->total - done) / progress->rate + 0.5;
	if (seconds >= 3600)
		snprintf(text, size, "%lu:%02lu:%02lu", seconds / 3600, seconds / 60 % 60,
			 seconds % 60);
	else
		snprintf(text, size, "%lu:%02lu", seconds / 60, seconds % 60);
}

static void print_line(const struct progress *progress, u64 done, const char *detail)
{
	double part = progress->total ? (double)done / progress->total : 1;
	char left[32], bar[BAR_WIDTH + 1];

	memset(bar, '.', BAR_WIDTH);
	memset(bar, '=', (size_t)(part * BAR_WIDTH));
	bar[BAR_WIDTH] = '\0';
	time_left(left, sizeof(left), progress, done);
	fprintf(stderr, "%s%s [%s] %5.1f %%  %s  %s left%s", progress->terminal ? "\r" : "",
		progress->what, bar, 100 * part, detail, left,
		progress->terminal ? "\033[K" : "\n");
	fflush(stderr);
}

/* Is a line due? On a terminal always; elsewhere for each tenth but the last, which is said at the end. */
static bool is_due(struct progress *progress, u64 done)
{
	int percent = progress->total ? 100.0 * done / progress->total : 100;

	if (progress->terminal)
		return true;
	if (percent < progress->next_percent || percent >= 100)
		return false;
	progress->next_percent = percent / 10 * 10 + 10;
	return true;
}

void progress_show(struct progress *progress, u64 done)
{
	char size[3][SIZE_TEXT_LEN], detail[3 * SIZE_TEXT_LEN + 16];

	update_rate(progress, done);
	if (!is_due(progress, done))
		return;
	snprintf(detail, sizeof(detail), "%s of %s  %s/s", size_text(size[0], done),
		 size_text(size[1], progress->total), size_text(size[2], progress->rate));
	print_line(progress, done, detail);
}

void progress_show_step(struct progress *progress, u64 done, const char *step)
{
	update_rate(progress, done);
	if (is_due(progress, done))
		print_line(progress, done, step);
}

void progress_clear(const struct progress *progress)
{
	if (progress->terminal)
		fputs("\r\033[K", stderr);
}

void progress_end(struct progress *progress, u64 done, bool complete)
{
	double seconds = now() - progress->started;
	char size[3][SIZE_TEXT_LEN];

	fprintf(stderr, "%s%s: %s%s of %s in %.1f s, %s/s\n",
		progress->terminal ? "\r\033[K" : "", progress->what,
		complete ? "" : "stopped after ", size_text(size[0], done),
		size_text(size[1], progress->total), seconds,
		size_text(size[2], seconds > 0 ? done / seconds : done));
}
