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

static void print_line(const struct progress *progress, u64 done)
{
	double part = progress->total ? (double)done / progress->total : 1;
	char size[3][SIZE_TEXT_LEN], left[32], bar[BAR_WIDTH + 1];

	memset(bar, '.', BAR_WIDTH);
	memset(bar, '=', (size_t)(part * BAR_WIDTH));
	bar[BAR_WIDTH] = '\0';
	time_left(left, sizeof(left), progress, done);
	fprintf(stderr, "%s%s [%s] %5.1f %%  %s of %s  %s/s  %s left%s",
		progress->terminal ? "\r" : "", progress->what, bar, 100 * part,
		size_text(size[0], done), size_text(size[1], progress->total),
		size_text(size[2], progress->rate), left, progress->terminal ? "\033[K" : "\n");
	fflush(stderr);
}

void progress_show(struct progress *progress, u64 done)
{
	int percent = progress->total ? 100.0 * done / progress->total : 100;

	update_rate(progress, done);
	if (progress->terminal) {
		print_line(progress, done);
		return;
	}
	/* The last line is that of progress_end(). */
	if (percent < progress->next_percent || percent >= 100)
		return;
	print_line(progress, done);
	progress->next_percent = percent / 10 * 10 + 10;
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
