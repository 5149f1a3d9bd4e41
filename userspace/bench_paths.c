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

struct path {
	struct bench_place place;
	bool to_be_made;
	bool made;
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
	return check_room(bench, path->place.path);
}

static int refuse_writing(const struct path *path, const char *cure)
{
	return say_error("%s holds something, and the job writes; %s", path->place.path, cure);
}

static int take_file(const struct bench *bench, struct path *path, const struct stat *st)
{
	if (bench->job.writes)
		return refuse_writing(path, "name a file that is not there: it is made, and removed afterwards");
	path->place.bytes = st->st_size;
	return st->st_size ? 0 : say_error("%s is empty: there is nothing to read", path->place.path);
}

static int take_device(const struct bench *bench, struct path *path)
{
	struct device *device = device_by_path(path->place.path);

	if (!device)
		return -1;
	path->place.bytes = device->bytes;
	device_free(device);
	if (bench->job.writes)
		return refuse_writing(path, "--destroy-data says that it may be lost");
	return path->place.bytes ? 0 : say_error("%s has no capacity", path->place.path);
}

static int take_path(const struct bench *bench, struct path *path, const char *word)
{
	struct stat st;

	path->place.name = path->place.path = word;
	if (stat(word, &st))
		return errno == ENOENT ? take_new_file(bench, path) :
		       say_error("%s: %s", word, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return say_error("%s is a folder; name a file in it that is not there, such as %s/bench",
				 word, word);
	return S_ISREG(st.st_mode) ? take_file(bench, path, &st) : take_device(bench, path);
}

/* Nobody's file: one that came in between is not overwritten. */
static int make_file(struct path *path)
{
	int fd = open(path->place.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return say_error("%s: cannot be made: %s", path->place.path, strerror(errno));
	path->made = true;
	if (ftruncate(fd, path->place.bytes)) {
		close(fd);
		return say_error("%s: cannot be made as large as %llu bytes: %s", path->place.path,
				 (unsigned long long)path->place.bytes, strerror(errno));
	}
	close(fd);
	return 0;
}

static int measure(struct bench *bench, struct path *path)
{
	int result = 0;

	if (path->to_be_made)
		result = make_file(path) || bench_fill(bench, &path->place);
	if (!result)
		result = bench_measure(bench, &path->place, false);
	if (path->made && unlink(path->place.path))
		result = say_error("%s: cannot be removed again: %s", path->place.path,
				   strerror(errno));
	return result;
}

static int measure_all(struct bench *bench, struct path *paths)
{
	u32 i, steps = 0;
	int result = 0;

	for (i = 0; i < bench->nr_paths; i++)
		steps += bench->job.nr_steps + paths[i].to_be_made;
	interrupt_catch();
	bench_begin(bench, steps);
	for (i = 0; i < bench->nr_paths && !result && !interrupted(); i++)
		result = measure(bench, &paths[i]);
	bench_end(bench);
	return result;
}

int bench_paths(struct bench *bench)
{
	struct path *paths = xcalloc(bench->nr_paths, sizeof(*paths));
	int result = 0;
	u32 i;

	for (i = 0; i < bench->nr_paths; i++)
		result |= take_path(bench, &paths[i], bench->paths[i]);
	if (!result)
		result = measure_all(bench, paths);
	free(paths);
	return result;
}
