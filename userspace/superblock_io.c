// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <ext2fs/ext2fs.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "alloc.h"
#include "superblock_io.h"
#include "verb.h"

#define BOTH_BYTES (MB_SUPERBLOCK_BLOCKS * MB_SUPERBLOCK_BYTES)

static off_t block_at(u32 number)
{
	return MB_SUPERBLOCK_SECTOR * 512l + number * (off_t)MB_SUPERBLOCK_BYTES;
}

u32 superblock_crc32c(u32 crc, const u8 *data, size_t bytes)
{
	return ext2fs_crc32c_le(crc, data, bytes);
}

u8 *superblock_buffer(void)
{
	void *buffer;

	if (posix_memalign(&buffer, MB_SUPERBLOCK_BYTES, BOTH_BYTES)) {
		fputs("mirrorbal: out of memory\n", stderr);
		exit(EXIT_FAILED);
	}
	return memset(buffer, 0, BOTH_BYTES);
}

int superblock_read_blocks(int fd, u8 *blocks)
{
	ssize_t got = pread(fd, blocks, BOTH_BYTES, block_at(0));

	if (got < 0)
		return -1;
	memset(blocks + got, 0, BOTH_BYTES - got);
	return 0;
}

int superblock_read(const char *node, struct mb_superblock *superblock,
		    enum mb_superblock_verdict *verdict, struct mb_error *error)
{
	int fd = open(node, O_RDONLY | O_DIRECT | O_CLOEXEC | O_NONBLOCK);
	u8 *blocks;
	int result;

	/* The page cache may be older than what the module wrote; second best. */
	if (fd < 0 && errno == EINVAL)
		fd = open(node, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -1;
	blocks = superblock_buffer();
	result = superblock_read_blocks(fd, blocks);
	if (!result)
		*verdict = mb_superblock_choose(superblock, blocks, superblock_crc32c, error);
	free(blocks);
	close(fd);
	return result;
}

static int write_block(int direct, const u8 *block, u32 number)
{
	ssize_t wrote = pwrite(direct, block, MB_SUPERBLOCK_BYTES, block_at(number));

	if (wrote != MB_SUPERBLOCK_BYTES) {
		if (wrote >= 0)
			errno = EIO;
		return -1;
	}
	return fsync(direct);
}

int superblock_write(int direct, const struct mb_superblock *superblock)
{
	u8 *block = superblock_buffer();
	u32 first = superblock->generation % MB_SUPERBLOCK_BLOCKS;
	u32 i;
	int result = 0;

	for (i = 0; i < MB_SUPERBLOCK_BLOCKS && !result; i++) {
		u32 number = (first + i) % MB_SUPERBLOCK_BLOCKS;

		mb_superblock_encode(block, superblock, number, superblock_crc32c);
		result = write_block(direct, block, number);
	}
	free(block);
	return result;
}

int superblock_verify(int direct, const struct mb_superblock *superblock)
{
	u8 *blocks = superblock_buffer(), *expected = superblock_buffer();
	int result = superblock_read_blocks(direct, blocks);
	u32 i;

	for (i = 0; i < MB_SUPERBLOCK_BLOCKS; i++)
		mb_superblock_encode(expected + i * MB_SUPERBLOCK_BYTES, superblock, i,
				     superblock_crc32c);
	if (!result && memcmp(blocks, expected, BOTH_BYTES)) {
		errno = 0;
		result = -1;
	}
	free(expected);
	free(blocks);
	return result;
}

static int fill(int direct, u32 sector, u32 sectors, u8 value)
{
	size_t bytes = (size_t)sectors * 512;
	void *buffer;
	ssize_t wrote;

	if (posix_memalign(&buffer, MB_SUPERBLOCK_BYTES, bytes)) {
		errno = ENOMEM;
		return -1;
	}
	memset(buffer, value, bytes);
	wrote = pwrite(direct, buffer, bytes, (off_t)sector * 512);
	free(buffer);
	if (wrote >= 0 && (size_t)wrote < bytes)
		errno = EIO;
	return wrote == (ssize_t)bytes ? 0 : -1;
}

int superblock_fill_areas(int direct, const struct mb_superblock *superblock)
{
	const struct mb_state *state = &superblock->state;

	if (fill(direct, state->intent_sector, state->intent_sectors, 0) ||
	    fill(direct, state->bad_sector, state->bad_sectors, 0))
		return -1;
	return fsync(direct);
}

int superblock_erase(int direct)
{
	u8 *blocks = superblock_buffer(), *zeros = superblock_buffer();
	int result = superblock_read_blocks(direct, blocks);
	struct mb_error ignored;
	u32 i;

	for (i = 0; i < MB_SUPERBLOCK_BLOCKS && !result; i++)
		if (mb_superblock_verify(blocks + i * MB_SUPERBLOCK_BYTES, i, superblock_crc32c,
					 &ignored) != MB_SUPERBLOCK_ABSENT)
			result = write_block(direct, zeros, i);
	free(zeros);
	free(blocks);
	return result;
}
