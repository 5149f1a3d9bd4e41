/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading and writing the identity of a leg. "Stamp" is what people see of it. */
#ifndef MB_SUPERBLOCK_IO_H
#define MB_SUPERBLOCK_IO_H

#include "superblock.h"

/**
 * superblock_read - what a device says of itself
 * @node: its path
 * @superblock: receives the values where the verdict is VALID
 * @verdict: receives the verdict
 * @error: receives what is wrong unless the verdict is VALID
 *
 * Return: 0, or -1 with errno set if the device cannot be read.
 */
int superblock_read(const char *node, struct mb_superblock *superblock,
		    enum mb_superblock_verdict *verdict, struct mb_error *error);

/**
 * superblock_read_blocks - the two blocks as they are
 * @fd: the device, open past the page cache
 * @blocks: receives both; aligned to 4096
 *
 * Return: 0, or -1 with errno set. A device that ends before is all zero.
 */
int superblock_read_blocks(int fd, u8 *blocks);

/* Room for both blocks, aligned for direct I/O. */
u8 *superblock_buffer(void);

/**
 * superblock_write - write both blocks, one after the other, each flushed
 * @direct: the device, open past the page cache
 * @superblock: values that mb_superblock_check() accepts
 *
 * One of them is whole at any moment.
 *
 * Return: 0, or -1 with errno set.
 */
int superblock_write(int direct, const struct mb_superblock *superblock);

/**
 * superblock_verify - is this what was written there?
 * @direct: the device, open past the page cache
 * @superblock: what superblock_write() was given
 *
 * Return: 0; -1 with errno set if it cannot be read, errno 0 if something else
 *         is there.
 */
int superblock_verify(int direct, const struct mb_superblock *superblock);

/**
 * superblock_fill_areas - no region differs, no range is bad
 * @direct: the device, open past the page cache
 * @superblock: says where both lie
 *
 * Return: 0, or -1 with errno set.
 */
int superblock_fill_areas(int direct, const struct mb_superblock *superblock);

/*
 * Write zeros over those of the blocks that carry the magic; 0, or -1 with
 * errno set. What else may lie there by now is not ours.
 */
int superblock_erase(int direct);

/* CRC32C as mb_crc32c_fn wants it. */
u32 superblock_crc32c(u32 crc, const u8 *data, size_t bytes);

#endif /* MB_SUPERBLOCK_IO_H */
