// SPDX-License-Identifier: GPL-2.0-only
/*
 * Direct I/O as only programs with buffers of their own shape do it: requests
 * of any number of blocks, from buffers in many pieces that start anywhere in
 * a page. What is read is compared with what was written.
 *
 *   direct-io DEVICE BLOCK ALIGN MIB OPERATIONS SEED
 *	BLOCK	bytes of a block of the device: pieces are whole blocks
 *	ALIGN	bytes, at least 4: pieces start at multiples of it
 *	MIB	so much of the device is used, from its start
 *   direct-io --cut DEVICE BLOCK ALIGN
 *	writes one block in pieces of ALIGN bytes, which few drives can take;
 *	status 3 if it is refused
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_BYTES (4u << 20)
#define MAX_PIECES 200
#define PAGE 4096u

struct device {
	int fd;
	const char *path;
	size_t block;
	size_t align;
	size_t size;
	unsigned char *content;	/* what it must hold */
	unsigned char *arena;	/* pieces lie here, apart from one another */
};

static uint64_t random_state;

static uint64_t random_number(uint64_t below)
{
	/* xorshift64 */
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % below;
}

static void fail(const char *what, const struct device *device, size_t at, size_t length)
{
	fprintf(stderr, "%s: %s of %zu bytes at %zu: %s\n", device->path, what, length, at,
		errno ? strerror(errno) : "wrong data");
	exit(1);
}

/* Sizes of all magnitudes, not mostly large ones. */
static size_t random_length(const struct device *device)
{
	size_t most = device->block;

	while (most < MAX_BYTES && random_number(8))
		most *= 2;
	if (most > MAX_BYTES)
		most = MAX_BYTES;
	return (1 + random_number(most / device->block)) * device->block;
}

/* Cut a length in pieces of whole blocks, each somewhere else in memory. */
static int cut(const struct device *device, size_t length, struct iovec *pieces)
{
	size_t blocks = length / device->block, used = 0;
	int most = 1 + random_number(MAX_PIECES), nr = 0;

	while (blocks) {
		size_t take = nr + 1 == most ? blocks : 1 + random_number(blocks * 2 / most + 1);
		size_t start = random_number(PAGE / device->align) * device->align;

		if (take > blocks)
			take = blocks;
		pieces[nr].iov_base = device->arena + used + start;
		pieces[nr].iov_len = take * device->block;
		used += (start + pieces[nr].iov_len + PAGE) / PAGE * PAGE;
		blocks -= take;
		nr++;
	}
	return nr;
}

static void write_some(struct device *device, size_t at, size_t length)
{
	struct iovec pieces[MAX_PIECES];
	int nr = cut(device, length, pieces), i;
	unsigned char *to = device->content + at;
	size_t word;

	for (i = 0; i < nr; i++) {
		uint32_t *from = pieces[i].iov_base, first = random_number(UINT32_MAX);

		for (word = 0; word < pieces[i].iov_len / sizeof(*from); word++)
			from[word] = first + word;
		memcpy(to, from, pieces[i].iov_len);
		to += pieces[i].iov_len;
	}
	errno = 0;
	if (pwritev(device->fd, pieces, nr, at) != (ssize_t)length)
		fail("write", device, at, length);
}

static void read_some(struct device *device, size_t at, size_t length)
{
	struct iovec pieces[MAX_PIECES];
	int nr = cut(device, length, pieces), i;
	const unsigned char *wanted = device->content + at;

	for (i = 0; i < nr; i++)
		memset(pieces[i].iov_base, 0xa5, pieces[i].iov_len);
	errno = 0;
	if (preadv(device->fd, pieces, nr, at) != (ssize_t)length)
		fail("read", device, at, length);
	for (i = 0; i < nr; i++) {
		if (memcmp(pieces[i].iov_base, wanted, pieces[i].iov_len))
			fail("read", device, at, length);
		wanted += pieces[i].iov_len;
	}
}

static void run(struct device *device, unsigned long operations)
{
	size_t at, length;

	for (at = 0; at < device->size; at += MAX_BYTES)
		write_some(device, at, MAX_BYTES);
	while (operations--) {
		length = random_length(device);
		at = random_number((device->size - length) / device->block + 1) * device->block;
		if (random_number(2))
			write_some(device, at, length);
		else
			read_some(device, at, length);
	}
	for (at = 0; at < device->size; at += MAX_BYTES)
		read_some(device, at, MAX_BYTES);
}

static int write_cut_block(struct device *device)
{
	struct iovec pieces[1024];
	int nr = device->block / device->align, i;

	if (nr > 1024)
		nr = 1024;
	for (i = 0; i < nr; i++) {
		pieces[i].iov_base = device->arena + i * PAGE;
		pieces[i].iov_len = device->align;
	}
	pieces[nr - 1].iov_len = device->block - (nr - 1) * device->align;
	if (pwritev(device->fd, pieces, nr, 0) == (ssize_t)device->block)
		return 0;
	printf("refused: %s\n", strerror(errno));
	return 3;
}

static size_t number(const char *text)
{
	char *end;
	size_t value = strtoull(text, &end, 10);

	if (!*text || *end || !value) {
		fprintf(stderr, "direct-io: %s: not a number\n", text);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	struct device device = { 0 };
	int once = argc > 1 && !strcmp(argv[1], "--cut");

	if (argc != (once ? 5 : 7)) {
		fputs("usage: direct-io DEVICE BLOCK ALIGN MIB OPERATIONS SEED\n"
		      "       direct-io --cut DEVICE BLOCK ALIGN\n", stderr);
		return 2;
	}
	argv += once;
	device.path = argv[1];
	device.block = number(argv[2]);
	device.align = number(argv[3]);
	device.arena = aligned_alloc(PAGE, MAX_BYTES + (MAX_PIECES + 1024) * 3 * PAGE);
	device.fd = open(device.path, O_RDWR | O_DIRECT);
	if (device.fd < 0 || !device.arena) {
		perror(device.path);
		return 2;
	}
	memset(device.arena, 0x5a, MAX_BYTES + (MAX_PIECES + 1024) * 3 * PAGE);
	if (once)
		return write_cut_block(&device);

	device.size = number(argv[4]) << 20;
	device.content = malloc(device.size);
	random_state = number(argv[6]);
	if (!device.content || device.size < MAX_BYTES || device.size % MAX_BYTES) {
		fputs("direct-io: MIB must be a multiple of 4\n", stderr);
		return 2;
	}
	run(&device, number(argv[5]));
	return 0;
}
