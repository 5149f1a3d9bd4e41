// SPDX-License-Identifier: GPL-2.0-only
#include "health.h"
#include "superblock.h"

/* Offsets of the fields, in bytes. What is not named here is written as zero. */
enum {
	AT_MAGIC		= 0,	/* 8 */
	AT_CHECKSUM		= 8,	/* u32 */
	AT_VERSION		= 12,	/* u16 */
	AT_NUMBER		= 14,	/* u16 */
	AT_GENERATION		= 16,	/* u64 */
	AT_COMPAT		= 24,	/* u32 */
	AT_INCOMPAT		= 28,	/* u32 */
	AT_ARRAY_UUID		= 32,	/* 16 */
	AT_NAME			= 48,	/* 64 */
	AT_LEG_UUID		= 112,	/* 16 */
	AT_LEG			= 128,	/* u16 */
	AT_LEGS			= 130,	/* u16 */
	AT_KIND			= 132,	/* letter */
	AT_COPIES		= 133,	/* u8 */
	AT_CHUNK_SECTORS	= 136,	/* u32 */
	AT_LOGICAL_BLOCK	= 140,	/* u32 */
	AT_LENGTH		= 144,	/* u64 */
	AT_DATA_OFFSET		= 152,	/* u64 */
	AT_LEG_SECTORS		= 160,	/* u64 */
	AT_CREATED		= 168,	/* u64 */
	/* 176 to 1023: room for state, see docs/on-disk-format.md */
	AT_LEG_TABLE		= 1024,	/* MB_MAX_LEGS entries */
};

/* Offsets within an entry of the leg table. */
enum {
	ENTRY_UUID	= 0,	/* 16 */
	ENTRY_STATE	= 16,	/* letter */
	/* 17 to 23: room for more of it */
	ENTRY_MODEL	= 24,	/* 40 */
	ENTRY_SERIAL	= 64,	/* 32 */
	ENTRY_BYTES	= 96,
};

_Static_assert(AT_LEG_TABLE + MB_MAX_LEGS * ENTRY_BYTES == MB_SUPERBLOCK_BYTES,
	       "the leg table fills the block");
_Static_assert(ENTRY_SERIAL + MB_SERIAL_BYTES == ENTRY_BYTES, "the serial number ends an entry");

static const u8 magic[8] = { 'M', 'I', 'R', 'R', 'B', 'A', 'L', 0 };

/* Fields are not aligned for every machine; copies are. */
static u16 get16(const u8 *at)
{
	__le16 value;

	memcpy(&value, at, sizeof(value));
	return le16_to_cpu(value);
}

static u32 get32(const u8 *at)
{
	__le32 value;

	memcpy(&value, at, sizeof(value));
	return le32_to_cpu(value);
}

static u64 get64(const u8 *at)
{
	__le64 value;

	memcpy(&value, at, sizeof(value));
	return le64_to_cpu(value);
}

static void put16(u8 *at, u16 value)
{
	__le16 little = cpu_to_le16(value);

	memcpy(at, &little, sizeof(little));
}

static void put32(u8 *at, u32 value)
{
	__le32 little = cpu_to_le32(value);

	memcpy(at, &little, sizeof(little));
}

static void put64(u8 *at, u64 value)
{
	__le64 little = cpu_to_le64(value);

	memcpy(at, &little, sizeof(little));
}

/* Text fills its field with zeros and needs none behind it. */
static void put_text(u8 *at, const char *text, size_t room)
{
	size_t i;

	for (i = 0; i < room && text[i]; i++)
		at[i] = text[i];
}

static void get_text(char *text, const u8 *at, size_t room)
{
	memcpy(text, at, room);
	text[room] = '\0';
}

/* The checksum covers the block as if its own field were zero. */
static u32 checksum(const u8 *block, mb_crc32c_fn crc32c)
{
	static const u8 zero[4];
	u32 crc = ~0u;

	crc = crc32c(crc, block, AT_CHECKSUM);
	crc = crc32c(crc, zero, sizeof(zero));
	crc = crc32c(crc, block + AT_CHECKSUM + sizeof(zero),
		     MB_SUPERBLOCK_BYTES - AT_CHECKSUM - sizeof(zero));
	return ~crc;
}

static bool is_zero(const u8 *bytes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (bytes[i])
			return false;
	return true;
}

static bool is_name_character(char c)
{
	static const char others[] = "#+-.:=@_";
	size_t i;

	for (i = 0; i < sizeof(others) - 1; i++)
		if (c == others[i])
			return true;
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

int mb_superblock_name_check(const char *name, struct mb_error *error)
{
	const char *c;

	if (!*name)
		return mb_error_set(error, "array name is empty");
	if (*name == '#' || *name == '-')
		return mb_error_set(error,
				    "array name begins with '%c', which would be taken for a comment or an option",
				    *name);
	for (c = name; *c; c++)
		if (!is_name_character(*c))
			return mb_error_set(error,
					    "array name has the byte 0x%02x at position %u; allowed are letters, digits and #+-.:=@_",
					    (u8)*c, (u32)(c - name));
	if ((u32)(c - name) > MB_NAME_BYTES)
		return mb_error_set(error, "array name has %u characters; allowed are at most %u",
				    (u32)(c - name), MB_NAME_BYTES);
	if (!strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, "control"))
		return mb_error_set(error, "array name is '%s', which means something else in /dev/mapper",
				    name);
	return 0;
}

/* For now legs have a state only while the array is being created. */
static int check_states(const struct mb_superblock *superblock, struct mb_error *error)
{
	u32 leg;

	for (leg = 0; leg < superblock->shape.legs; leg++) {
		char state = superblock->legs[leg].state;

		if (state && state != MB_LEG_IN_SYNC && state != MB_LEG_NOT_IN_SYNC)
			return mb_error_set(error, "state of leg %u is 0x%02x; allowed are %c and %c", leg,
					    (u8)state, MB_LEG_IN_SYNC, MB_LEG_NOT_IN_SYNC);
	}
	return 0;
}

static int check_place(const struct mb_superblock *superblock, const struct mb_layout *layout,
		       struct mb_error *error)
{
	u32 block = superblock->logical_block_bytes;
	u64 needed = mb_layout_leg_sectors(layout, superblock->leg);

	if (block < 512 || block > MB_SUPERBLOCK_BYTES || (block & (block - 1)))
		return mb_error_set(error,
				    "logical block size is %u bytes; allowed are powers of two from 512 to %u",
				    block, MB_SUPERBLOCK_BYTES);
	if (superblock->data_offset < MB_STAMPED_MIN_DATA_OFFSET ||
	    superblock->data_offset > MB_MAX_LENGTH)
		return mb_error_set(error,
				    "data offset is %llu sectors; allowed are %u and more, so that both superblocks lie before it",
				    (unsigned long long)superblock->data_offset,
				    MB_STAMPED_MIN_DATA_OFFSET);
	if (superblock->data_offset & ((block >> 9) - 1))
		return mb_error_set(error,
				    "data offset is %llu sectors; it must be a whole number of logical blocks of %u bytes",
				    (unsigned long long)superblock->data_offset, block);
	if (superblock->leg_sectors < needed || superblock->leg_sectors > MB_MAX_LENGTH)
		return mb_error_set(error,
				    "the leg has %llu sectors for data; the layout needs %llu",
				    (unsigned long long)superblock->leg_sectors,
				    (unsigned long long)needed);
	return 0;
}

int mb_superblock_check(const struct mb_superblock *superblock, struct mb_error *error)
{
	struct mb_layout layout;

	if (superblock->incompat & ~MB_INCOMPAT_KNOWN)
		return mb_error_set(error, "incompatible feature bits 0x%x are unknown",
				    superblock->incompat & ~MB_INCOMPAT_KNOWN);
	if (!superblock->generation)
		return mb_error_set(error, "generation is 0; the first is 1");
	if (is_zero(superblock->array_uuid, MB_UUID_BYTES))
		return mb_error_set(error, "array UUID is all zero");
	if (mb_superblock_name_check(superblock->name, error))
		return -1;
	if (mb_layout_init(&layout, &superblock->shape, superblock->length, error))
		return -1;
	if (superblock->leg >= superblock->shape.legs)
		return mb_error_set(error, "leg number is %u; the array has %u legs",
				    superblock->leg, superblock->shape.legs);
	if (is_zero(superblock->legs[superblock->leg].uuid, MB_UUID_BYTES))
		return mb_error_set(error, "UUID of leg %u is all zero", superblock->leg);
	if ((superblock->incompat & MB_INCOMPAT_CREATING) && check_states(superblock, error))
		return -1;
	return check_place(superblock, &layout, error);
}

static void encode_leg_table(u8 *table, const struct mb_superblock *superblock)
{
	u32 leg;

	for (leg = 0; leg < superblock->shape.legs; leg++) {
		const struct mb_superblock_leg *from = &superblock->legs[leg];
		u8 *entry = table + leg * ENTRY_BYTES;

		memcpy(entry + ENTRY_UUID, from->uuid, MB_UUID_BYTES);
		entry[ENTRY_STATE] = from->state;
		put_text(entry + ENTRY_MODEL, from->model, MB_MODEL_BYTES);
		put_text(entry + ENTRY_SERIAL, from->serial, MB_SERIAL_BYTES);
	}
}

void mb_superblock_encode(u8 *block, const struct mb_superblock *superblock, u32 number,
			  mb_crc32c_fn crc32c)
{
	memset(block, 0, MB_SUPERBLOCK_BYTES);
	memcpy(block + AT_MAGIC, magic, sizeof(magic));
	put16(block + AT_VERSION, MB_SUPERBLOCK_VERSION);
	put16(block + AT_NUMBER, number);
	put64(block + AT_GENERATION, superblock->generation);
	put32(block + AT_COMPAT, superblock->compat);
	put32(block + AT_INCOMPAT, superblock->incompat);
	memcpy(block + AT_ARRAY_UUID, superblock->array_uuid, MB_UUID_BYTES);
	put_text(block + AT_NAME, superblock->name, MB_NAME_BYTES);
	memcpy(block + AT_LEG_UUID, superblock->legs[superblock->leg].uuid, MB_UUID_BYTES);
	put16(block + AT_LEG, superblock->leg);
	put16(block + AT_LEGS, superblock->shape.legs);
	block[AT_KIND] = mb_layout_letter(superblock->shape.kind);
	block[AT_COPIES] = superblock->shape.copies;
	put32(block + AT_CHUNK_SECTORS, superblock->shape.chunk_sectors);
	put32(block + AT_LOGICAL_BLOCK, superblock->logical_block_bytes);
	put64(block + AT_LENGTH, superblock->length);
	put64(block + AT_DATA_OFFSET, superblock->data_offset);
	put64(block + AT_LEG_SECTORS, superblock->leg_sectors);
	put64(block + AT_CREATED, superblock->created);
	encode_leg_table(block + AT_LEG_TABLE, superblock);
	put32(block + AT_CHECKSUM, checksum(block, crc32c));
}

static enum mb_superblock_verdict verify_whole(const u8 *block, u32 number, mb_crc32c_fn crc32c,
					       struct mb_error *error)
{
	if (memcmp(block + AT_MAGIC, magic, sizeof(magic))) {
		mb_error_set(error, "block %u is no mirrorbal superblock", number);
		return MB_SUPERBLOCK_ABSENT;
	}
	if (get32(block + AT_CHECKSUM) != checksum(block, crc32c)) {
		mb_error_set(error,
			     "block %u is damaged: its checksum is 0x%08x, its contents give 0x%08x",
			     number, get32(block + AT_CHECKSUM), checksum(block, crc32c));
		return MB_SUPERBLOCK_DAMAGED;
	}
	if (get16(block + AT_NUMBER) != number) {
		mb_error_set(error, "block %u is misplaced: it says that it is block %u", number,
			     get16(block + AT_NUMBER));
		return MB_SUPERBLOCK_DAMAGED;
	}
	return MB_SUPERBLOCK_VALID;
}

enum mb_superblock_verdict mb_superblock_verify(const u8 *block, u32 number, mb_crc32c_fn crc32c,
						struct mb_error *error)
{
	enum mb_superblock_verdict verdict = verify_whole(block, number, crc32c, error);
	u32 unknown;

	if (verdict != MB_SUPERBLOCK_VALID)
		return verdict;
	if (get16(block + AT_VERSION) != MB_SUPERBLOCK_VERSION) {
		mb_error_set(error, "format version is %u; this version of mirrorbal knows %u",
			     get16(block + AT_VERSION), MB_SUPERBLOCK_VERSION);
		return MB_SUPERBLOCK_UNSUPPORTED;
	}
	unknown = get32(block + AT_INCOMPAT) & ~MB_INCOMPAT_KNOWN;
	if (unknown) {
		mb_error_set(error,
			     "incompatible feature bits 0x%x are unknown to this version of mirrorbal; a newer one wrote them",
			     unknown);
		return MB_SUPERBLOCK_UNSUPPORTED;
	}
	return MB_SUPERBLOCK_VALID;
}

u64 mb_superblock_generation(const u8 *block)
{
	return get64(block + AT_GENERATION);
}

static void decode_leg_table(struct mb_superblock *superblock, const u8 *table)
{
	u32 leg;

	for (leg = 0; leg < MB_MAX_LEGS; leg++) {
		struct mb_superblock_leg *to = &superblock->legs[leg];
		const u8 *entry = table + leg * ENTRY_BYTES;

		memcpy(to->uuid, entry + ENTRY_UUID, MB_UUID_BYTES);
		to->state = entry[ENTRY_STATE];
		get_text(to->model, entry + ENTRY_MODEL, MB_MODEL_BYTES);
		get_text(to->serial, entry + ENTRY_SERIAL, MB_SERIAL_BYTES);
	}
}

static int decode_values(struct mb_superblock *superblock, const u8 *block, struct mb_error *error)
{
	superblock->generation = mb_superblock_generation(block);
	superblock->compat = get32(block + AT_COMPAT);
	superblock->incompat = get32(block + AT_INCOMPAT);
	memcpy(superblock->array_uuid, block + AT_ARRAY_UUID, MB_UUID_BYTES);
	get_text(superblock->name, block + AT_NAME, MB_NAME_BYTES);
	superblock->leg = get16(block + AT_LEG);
	if (!mb_layout_kind(block[AT_KIND], &superblock->shape.kind))
		return mb_error_set(error, "layout letter is 0x%02x; allowed are n, f and o",
				    block[AT_KIND]);
	superblock->shape.copies = block[AT_COPIES];
	superblock->shape.legs = get16(block + AT_LEGS);
	superblock->shape.chunk_sectors = get32(block + AT_CHUNK_SECTORS);
	superblock->logical_block_bytes = get32(block + AT_LOGICAL_BLOCK);
	superblock->length = get64(block + AT_LENGTH);
	superblock->data_offset = get64(block + AT_DATA_OFFSET);
	superblock->leg_sectors = get64(block + AT_LEG_SECTORS);
	superblock->created = get64(block + AT_CREATED);
	decode_leg_table(superblock, block + AT_LEG_TABLE);
	if (mb_superblock_check(superblock, error))
		return -1;
	if (memcmp(block + AT_LEG_UUID, superblock->legs[superblock->leg].uuid, MB_UUID_BYTES))
		return mb_error_set(error, "leg %u has another UUID in the leg table",
				    superblock->leg);
	return 0;
}

enum mb_superblock_verdict mb_superblock_decode(struct mb_superblock *superblock, const u8 *block,
						u32 number, mb_crc32c_fn crc32c,
						struct mb_error *error)
{
	enum mb_superblock_verdict verdict = mb_superblock_verify(block, number, crc32c, error);

	if (verdict != MB_SUPERBLOCK_VALID)
		return verdict;
	if (decode_values(superblock, block, error))
		return MB_SUPERBLOCK_UNSUPPORTED;
	return MB_SUPERBLOCK_VALID;
}

enum mb_superblock_verdict mb_superblock_choose(struct mb_superblock *superblock, const u8 *blocks,
						mb_crc32c_fn crc32c, struct mb_error *error)
{
	enum mb_superblock_verdict first, second;
	const u8 *other = blocks + MB_SUPERBLOCK_BYTES;
	struct mb_error ignored;

	first = verify_whole(blocks, 0, crc32c, error);
	second = verify_whole(other, 1, crc32c,
			      first == MB_SUPERBLOCK_DAMAGED ? &ignored : error);

	if (second == MB_SUPERBLOCK_VALID &&
	    (first != MB_SUPERBLOCK_VALID ||
	     mb_superblock_generation(other) > mb_superblock_generation(blocks)))
		return mb_superblock_decode(superblock, other, 1, crc32c, error);
	if (first == MB_SUPERBLOCK_VALID)
		return mb_superblock_decode(superblock, blocks, 0, crc32c, error);
	return first == MB_SUPERBLOCK_DAMAGED ? first : second;
}
