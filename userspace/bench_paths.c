// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "alloc.h"
#include "bench.h"
#include "interrupt.h"
#include "say.h"
#include "size.h"

/* Where four readers have a MiB each. */
#define MIN_BYTES (4ull << 20)

struct path {
	struct bench_place place;
	char *path;		/* the place's, by what was opened: fio takes some characters for more than a name */
	int fd;			/* of a file; -1 for none */
	bool to_be_made;
};

static int check_room(const struct bench *bench, const char *path)
{
	char *copy = xstrdup(path), size[2][SIZE_TEXT_LEN];
	const char *folder = dirname(copy);
	struct statvfs filesystem;
	int result = 0;
	u64 room;

	if (statvfs(folder, &filesystem)) {
		result = say_error("%s: %s", folder, strerror(errno));
	} else {
		room = (u64)filesystem.f_bavail * filesystem.f_frsize;
		if (room < bench->file_bytes)
			result = say_error("%s: a file of %s is to be made, and there is room for %s; --size makes a smaller one",
					   folder, size_text(size[0], bench->file_bytes),
					   size_text(size[1], room));
	}
	free(copy);
	return result;
}

static int take_new_file(const struct bench *bench, struct path *path)
{
	path->to_be_made = path->place.writable = true;
	path->place.bytes = bench->file_bytes;
	return check_room(bench, path->place.name);
}

static int refuse_writing(const struct path *path, const char *cure)
{
	return say_error("%s holds something, and the job writes; %s", path->place.name, cure);
}

static int check_bytes(const struct path *path)
{
	char size[SIZE_TEXT_LEN];

	if (path->place.bytes >= MIN_BYTES)
		return 0;
	return say_error("%s has %s; less than 4 MiB tell nothing", path->place.name,
			 size_text(size, path->place.bytes));
}

/* Nobody can put another file in its place: it has no name any more, or never needed one. */
static void use_fd(struct path *path)
{
	path->path = xprintf("/proc/%d/fd/%d", getpid(), path->fd);
	path->place.path = path->path;
}

static int take_file(const struct bench *bench, struct path *path)
{
	struct stat st;

	if (bench->job.writes)
		return refuse_writing(path, "name a file that is not there: it is made, and removed afterwards");
	path->fd = open(path->place.name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (path->fd < 0 || fstat(path->fd, &st))
		return say_error("%s: %s", path->place.name, strerror(errno));
	path->place.bytes = st.st_size;
	if ((u64)st.st_blocks * 512 < path->place.bytes)
		say_warning("%s has holes, or is compressed: what is not on the disk is not read from it",
			    path->place.name);
	use_fd(path);
	return check_bytes(path);
}

static int take_device(const struct bench *bench, struct path *path)
{
	struct device *device = device_by_path(path->place.name);

	if (!device)
		return -1;
	path->place.bytes = device->bytes;
	path->path = xstrdup(device->node);
	path->place.path = path->path;
	device_free(device);
	if (bench->job.writes)
		return refuse_writing(path, "--destroy-data says that it may be lost");
	return check_bytes(path);
}

static int take_path(const struct bench *bench, struct path *path, const char *word)
{
	struct stat st;

	path->place.name = word;
	if (stat(word, &st))
		return errno == ENOENT ? take_new_file(bench, path) :
		       say_error("%s: %s", word, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return say_error("%s is a folder; name a file in it that is not there, such as %s/bench",
				 word, word);
	return S_ISREG(st.st_mode) ? take_file(bench, path) : take_device(bench, path);
}

/*
 * One that came in between is not overwritten. Its name goes at once: whatever
 * happens, nothing is left behind.
 */
static int make_file(struct path *path)
{
	path->fd = open(path->place.name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (path->fd < 0)
		return say_error("%s: cannot be made: %s", path->place.name, strerror(errno));
	if (unlink(path->place.name))
		return say_error("%s: cannot be removed again: %s", path->place.name, strerror(errno));
	if (ftruncate(path->fd, path->place.bytes))
		return say_error("%s: cannot be made as large as %llu bytes: %s", path->place.name,
				 (unsigned long long)path->place.bytes, strerror(errno));
	use_fd(path);
	return 0;
}

static int measure(struct bench *bench, struct path *path)
{
	int result = 0;

	if (path->to_be_made)
		result = make_file(path) || bench_fill(bench, &path->place);
	if (!result)
		result = bench_measure(bench, &path->place, false);
	return result;
}

static void let_go(struct path *path)
{
	if (path->fd >= 0)
		close(path->fd);
	path->fd = -1;
	free(path->path);
	path->path = NULL;
}

static int measure_all(struct bench *bench, struct path *paths)
{
	u32 i, steps = 0;
	int result = 0;

	for (i = 0; i < bench->nr_paths; i++)
		steps += bench->job.nr_steps + paths[i].to_be_made;
	interrupt_catch();
	bench_begin(bench, steps);
	for (i = 0; i < bench->nr_paths && !result && !interrupted(); i++) {
		result = measure(bench, &paths[i]);
		/* A file that was made is gone, and its room free for the next. */
		let_go(&paths[i]);
	}
	bench_end(bench);
	return result;
}

int bench_paths(struct bench *bench)
{
	struct path *paths = xcalloc(bench->nr_paths, sizeof(*paths));
	int result = 0;
	u32 i;

	for (i = 0; i < bench->nr_paths; i++) {
		paths[i].fd = -1;
		result |= take_path(bench, &paths[i], bench->paths[i]);
	}
	if (!result)
		result = measure_all(bench, paths);
	for (i = 0; i < bench->nr_paths; i++)
		let_go(&paths[i]);
	free(paths);
	return result;
}
