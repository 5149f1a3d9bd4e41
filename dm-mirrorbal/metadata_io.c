// SPDX-License-Identifier: GPL-2.0-only
#include <linux/crc32c.h>

#include "leg_io.h"
#include "metadata_io.h"

static u32 checksum(u32 crc, const u8 *data, size_t bytes)
{
	return crc32c(crc, data, bytes);
}

int mb_superblock_read_leg(struct mb_array *array, u32 leg, struct page *pages,
			   struct mb_superblock *superblock, struct mb_error *error)
{
	blk_status_t status;

	status = mb_leg_page_io(array, leg, MB_SUPERBLOCK_SECTOR, REQ_OP_READ | REQ_META, pages,
				MB_SUPERBLOCK_BLOCKS * MB_SUPERBLOCK_BYTES);
	if (status)
		return mb_error_set(error, "its superblock cannot be read (error %d)",
				    -blk_status_to_errno(status));
	if (mb_superblock_choose(superblock, page_address(pages), checksum, error) !=
	    MB_SUPERBLOCK_VALID)
		return -1;
	return 0;
}

blk_status_t mb_superblock_write_leg(struct mb_array *array, u32 leg, struct page *page,
				     const struct mb_superblock *superblock, u32 number)
{
	u64 sector = MB_SUPERBLOCK_SECTOR + number * (MB_SUPERBLOCK_BYTES >> SECTOR_SHIFT);

	mb_superblock_encode(page_address(page), superblock, number, checksum);
	return mb_leg_page_io(array, leg, sector, REQ_OP_WRITE | REQ_SYNC | REQ_META | REQ_FUA,
			      page, MB_SUPERBLOCK_BYTES);
}
