// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"
#include "copy.h"
#include "copy_plan.h"
#include "interrupt.h"
#include "progress.h"
#include "say.h"

/* One worker reads while another writes; each has a buffer of 4 MiB. */
#define MAX_WORKERS 32u
#define BUFFER_BYTES ((size_t)COPY_MAX_SECTORS << 9)

struct copier {
	const struct copy_leg *legs;
	pthread_mutex_t mutex;		/* protects everything below */
	pthread_cond_t ended;		/* a worker ended */
	struct copy_plan plan;
	u32 running;			/* workers */
	u64 done;			/* bytes of the array */
	char *trouble;			/* the first; no new piece is begun after it */
};

static void set_trouble(struct copier *copier, const char *what, const struct mb_place *place)
{
	const struct copy_leg *leg = &copier->legs[place->leg];
	int number = errno;

	pthread_mutex_lock(&copier->mutex);
	if (!copier->trouble)
		copier->trouble = xprintf("leg %u, %s: %s error at sector %llu: %s", place->leg,
					  leg->name, what,
					  (unsigned long long)(leg->data_offset + place->sector),
					  strerror(number));
	pthread_mutex_unlock(&copier->mutex);
}

typedef ssize_t (*transfer_fn)(int fd, void *buffer, size_t bytes, off_t at);

static ssize_t write_at(int fd, void *buffer, size_t bytes, off_t at)
{
	return pwrite(fd, buffer, bytes, at);
}

/* All of it, or -1 and errno. */
static int transfer(const struct copier *copier, transfer_fn function, u8 *buffer,
		    const struct mb_place *place, u32 sectors)
{
	const struct copy_leg *leg = &copier->legs[place->leg];
	off_t at = (off_t)(leg->data_offset + place->sector) << 9;
	size_t left = (size_t)sectors << 9;

	while (left) {
		ssize_t got = function(leg->direct, buffer, left, at);

		if (got < 0 && errno == EINTR)
			continue;
		if (!got)
			errno = ENOSPC;
		if (got <= 0)
			return -1;
		buffer += got;
		at += got;
		left -= got;
	}
	return 0;
}

static bool take_piece(struct copier *copier, struct copy_piece *piece)
{
	bool taken;

	pthread_mutex_lock(&copier->mutex);
	taken = !copier->trouble && !interrupted() && copy_plan_next(&copier->plan, piece);
	pthread_mutex_unlock(&copier->mutex);
	return taken;
}

static void copy_piece(struct copier *copier, const struct copy_piece *piece, u8 *buffer)
{
	u32 i;

	if (transfer(copier, pread, buffer, &piece->from, piece->sectors)) {
		set_trouble(copier, "read", &piece->from);
		return;
	}
	for (i = 0; i < piece->nr_to; i++) {
		if (transfer(copier, write_at, buffer, &piece->to[i], piece->sectors)) {
			set_trouble(copier, "write", &piece->to[i]);
			return;
		}
	}
	pthread_mutex_lock(&copier->mutex);
	copier->done += (u64)piece->sectors << 9;
	pthread_mutex_unlock(&copier->mutex);
}

static void *work(void *context)
{
	struct copier *copier = context;
	struct copy_piece piece;
	void *buffer;

	if (posix_memalign(&buffer, 4096, BUFFER_BYTES))
		buffer = NULL;
	while (buffer && take_piece(copier, &piece))
		copy_piece(copier, &piece, buffer);
	free(buffer);
	pthread_mutex_lock(&copier->mutex);
	if (!buffer && !copier->trouble)
		copier->trouble = xstrdup("out of memory");
	copier->running--;
	pthread_cond_signal(&copier->ended);
	pthread_mutex_unlock(&copier->mutex);
	return NULL;
}

/* Enough that every leg has one piece being done and one waiting. */
static u32 start_workers(struct copier *copier, pthread_t *workers)
{
	u32 wanted = copier->plan.nr_streams * copier->plan.layout->shape.copies;
	u32 started;

	if (wanted > MAX_WORKERS)
		wanted = MAX_WORKERS;
	pthread_mutex_lock(&copier->mutex);
	for (started = 0; started < wanted; started++)
		if (pthread_create(&workers[started], NULL, work, copier))
			break;
	copier->running = started;
	if (!started)
		copier->trouble = xstrdup("cannot start a thread");
	pthread_mutex_unlock(&copier->mutex);
	return started;
}

static void watch(struct copier *copier, struct progress *progress)
{
	struct timespec until;

	pthread_mutex_lock(&copier->mutex);
	while (copier->running) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 200000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&copier->ended, &copier->mutex, &until);
		progress_show(progress, copier->done);
	}
	pthread_mutex_unlock(&copier->mutex);
}

static int flush_legs(const struct copier *copier)
{
	u32 leg;

	for (leg = 0; leg < copier->plan.layout->shape.legs; leg++)
		if (fsync(copier->legs[leg].direct))
			return say_error("leg %u, %s: cannot flush: %s", leg,
					 copier->legs[leg].name, strerror(errno));
	return 0;
}

int copy_legs(const struct mb_layout *layout, const struct copy_leg *legs, u32 preferred)
{
	struct copier copier = {
		.legs = legs,
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.ended = PTHREAD_COND_INITIALIZER,
	};
	pthread_t workers[MAX_WORKERS];
	struct progress progress;
	u32 started, i;

	copy_plan_init(&copier.plan, layout, preferred);
	progress_start(&progress, "copying", layout->length << 9);
	started = start_workers(&copier, workers);
	watch(&copier, &progress);
	for (i = 0; i < started; i++)
		pthread_join(workers[i], NULL);
	progress_end(&progress, copier.done, copier.done == layout->length << 9);
	if (copier.trouble) {
		say_error("%s", copier.trouble);
		free(copier.trouble);
		return -1;
	}
	if (interrupted())
		return say_error("interrupted");
	return flush_legs(&copier);
}
