// SPDX-License-Identifier: GPL-2.0-only
#include "health.h"
#include "policy.h"
#include "superblock.h"
#include "table.h"

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
	AT_UPDATED		= 176,	/* u64 */
	AT_FLAGS		= 184,	/* u32 */
	AT_RESYNC_LIMIT		= 188,	/* u32 */
	AT_INTENT_SECTOR	= 192,	/* u32 */
	AT_INTENT_SECTORS	= 196,	/* u32 */
	AT_REGION_SECTORS	= 200,	/* u32 */
	AT_BAD_SECTOR		= 208,	/* u32 */
	AT_BAD_SECTORS		= 212,	/* u32 */
	AT_HISTORY		= 256,	/* 16, then MB_ANCESTORS of 24 */
	AT_POLICY		= 448,	/* 32 */
	AT_POLICY_ARGS		= 480,	/* 256 */
	/* 736 to 1023: room for more of the state */
	AT_LEG_TABLE		= 1024,	/* MB_MAX_LEGS entries */
};

/* Offsets within an entry of the leg table. */
enum {
	ENTRY_UUID	= 0,	/* 16 */
	ENTRY_STATE	= 16,	/* letter */
	ENTRY_MARKS	= 17,	/* u8 */
	ENTRY_REBUILT	= 20,	/* u32, MiB */
	ENTRY_MODEL	= 24,	/* 40 */
	ENTRY_SERIAL	= 64,	/* 32 */
	ENTRY_BYTES	= 96,
};

enum {
	FLAG_DIRTY		= 1u << 0,
	FLAG_COPY_WRITES	= 1u << 1,
	FLAGS_KNOWN		= FLAG_DIRTY | FLAG_COPY_WRITES,

	MARK_WRITE_MOSTLY	= 1u << 0,
	MARK_REBUILDING		= 1u << 1,
	MARKS_KNOWN		= MARK_WRITE_MOSTLY | MARK_REBUILDING,

	ANCESTOR_BYTES		= MB_UUID_BYTES + 8,
};

_Static_assert(AT_HISTORY + MB_UUID_BYTES + MB_ANCESTORS * ANCESTOR_BYTES <= AT_POLICY,
	       "the history has room");
_Static_assert(AT_POLICY_ARGS + MB_POLICY_ARGS_BYTES <= AT_LEG_TABLE, "the policy has room");
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

static bool is_state(char state, bool creating)
{
	if (state == MB_LEG_IN_SYNC || state == MB_LEG_NOT_IN_SYNC)
		return true;
	return creating ? !state : state == MB_LEG_FAILED || state == MB_LEG_MISSING;
}

static int check_leg_states(const struct mb_superblock *superblock, struct mb_error *error)
{
	bool creating = superblock->incompat & MB_INCOMPAT_CREATING;
	u32 leg;

	for (leg = 0; leg < superblock->shape.legs; leg++) {
		const struct mb_superblock_leg *of = &superblock->legs[leg];

		if (!is_state(of->state, creating))
			return mb_error_set(error, "state of leg %u is 0x%02x; allowed are A, a%s", leg,
					    (u8)of->state, creating ? "" : ", D and -");
		if (of->rebuilding && of->state == MB_LEG_IN_SYNC)
			return mb_error_set(error, "leg %u is in sync and being rebuilt", leg);
	}
	return 0;
}

/* Between the superblocks and the data? */
static int check_area(const struct mb_superblock *superblock, const char *what, u64 sector,
		      u64 sectors, struct mb_error *error)
{
	u64 first = MB_SUPERBLOCK_SECTOR + MB_SUPERBLOCK_BLOCKS * (MB_SUPERBLOCK_BYTES >> 9);
	u32 block = MB_SUPERBLOCK_BYTES >> 9;

	if (!sectors || (sector | sectors) & (block - 1) || sector < first ||
	    sector + sectors > superblock->data_offset)
		return mb_error_set(error,
				    "%s takes %llu sectors from %llu on; it must be whole blocks of %u bytes from sector %llu up to the data at %llu",
				    what, (unsigned long long)sectors, (unsigned long long)sector,
				    MB_SUPERBLOCK_BYTES, (unsigned long long)first,
				    (unsigned long long)superblock->data_offset);
	return 0;
}

static int check_intent(const struct mb_superblock *superblock, struct mb_error *error)
{
	const struct mb_state *state = &superblock->state;
	u64 region = state->region_sectors, bits = (u64)state->intent_sectors << 12;

	if (check_area(superblock, "write-intent bitmap", state->intent_sector,
		       state->intent_sectors, error))
		return -1;
	if (state->intent_sectors > MB_INTENT_SECTORS)
		return mb_error_set(error, "write-intent bitmap takes %u sectors; allowed are at most %u",
				    state->intent_sectors, MB_INTENT_SECTORS);
	if (region < MB_SUPERBLOCK_BYTES >> 9 || (region & (region - 1)))
		return mb_error_set(error, "region size is %llu sectors; allowed are powers of two from %u",
				    (unsigned long long)region, MB_SUPERBLOCK_BYTES >> 9);
	if (div64_u64(superblock->length - 1, region) >= bits)
		return mb_error_set(error,
				    "write-intent bitmap has %llu bits; %llu sectors in regions of %llu need more",
				    (unsigned long long)bits, (unsigned long long)superblock->length,
				    (unsigned long long)region);
	return 0;
}

/* What goes into a table line, or is printed, is text; @least: of its characters. */
static int check_text(const char *what, const char *text, char least, struct mb_error *error)
{
	const char *c;

	for (c = text; *c; c++)
		if (*c < least || *c > '~')
			return mb_error_set(error, "%s have the byte 0x%02x at position %u", what, (u8)*c,
					    (u32)(c - text));
	return 0;
}

static u32 count_words(const char *text)
{
	u32 words = 0;

	for (; *text; text++)
		words += *text != ' ' && (text[1] == ' ' || !text[1]);
	return words;
}

/* What a table line would refuse no start could get over. */
static int check_policy(const char *name, const char *args, struct mb_error *error)
{
	if (!*name)
		return mb_error_set(error, "read policy has no name");
	if (strlen(name) >= MB_POLICY_NAME_LEN)
		return mb_error_set(error, "name of the policy has more than %u characters",
				    MB_POLICY_NAME_LEN - 1);
	if (check_text("letters of the policy's name", name, '!', error) ||
	    check_text("arguments of the policy", args, ' ', error))
		return -1;
	if (count_words(args) > MB_MAX_POLICY_ARGS)
		return mb_error_set(error, "policy has %u arguments; allowed are at most %u",
				    count_words(args), MB_MAX_POLICY_ARGS);
	return 0;
}

static void copy_text(char *to, const char *from, size_t room)
{
	memset(to, 0, room + 1);
	put_text((u8 *)to, from, room);
}

int mb_state_set_policy(struct mb_state *state, const char *name, const char *args,
			struct mb_error *error)
{
	int result = check_policy(name, args, error);

	if (!result && strlen(args) > MB_POLICY_ARGS_BYTES)
		result = mb_error_set(error, "arguments of the policy have more than %u characters",
				      MB_POLICY_ARGS_BYTES);
	copy_text(state->policy, result ? MB_DEFAULT_POLICY : name, MB_POLICY_BYTES);
	copy_text(state->policy_args, result ? "" : args, MB_POLICY_ARGS_BYTES);
	return result;
}

static int check_state(const struct mb_superblock *superblock, struct mb_error *error)
{
	const struct mb_state *state = &superblock->state;

	if (is_zero(state->history.uuid, MB_UUID_BYTES))
		return mb_error_set(error, "UUID of the history is all zero");
	if (check_leg_states(superblock, error) || check_intent(superblock, error) ||
	    check_area(superblock, "list of bad ranges", state->bad_sector, state->bad_sectors,
		       error))
		return -1;
	if (state->bad_sector < (u64)state->intent_sector + state->intent_sectors &&
	    state->intent_sector < (u64)state->bad_sector + state->bad_sectors)
		return mb_error_set(error, "write-intent bitmap and list of bad ranges overlap");
	if (state->resync_limit > MB_MAX_RESYNC_LIMIT)
		return mb_error_set(error, "limit of resync is %u KiB/s; allowed are at most %u",
				    state->resync_limit, MB_MAX_RESYNC_LIMIT);
	return check_policy(state->policy, state->policy_args, error);
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
	if (!(superblock->incompat & MB_INCOMPAT_KNOWN))
		return mb_error_set(error,
				    "'%s' was made by a version that kept no metadata; `mirrorbal erase` its legs and create it again with the same options and --assume-clean",
				    superblock->name);
	if ((superblock->incompat & MB_INCOMPAT_CREATING) && check_leg_states(superblock, error))
		return -1;
	if ((superblock->incompat & MB_INCOMPAT_METADATA) && check_state(superblock, error))
		return -1;
	return check_place(superblock, &layout, error);
}

int mb_superblock_fits(const struct mb_superblock *superblock, const struct mb_layout *layout,
		       u32 leg, u64 data_offset, struct mb_error *error)
{
	const struct mb_shape *has = &superblock->shape, *wanted = &layout->shape;

	if (superblock->incompat & MB_INCOMPAT_CREATING)
		return mb_error_set(error, "the creation of '%s' was not finished", superblock->name);
	if (superblock->leg != leg)
		return mb_error_set(error, "it is leg %u of '%s'", superblock->leg, superblock->name);
	if (has->kind != wanted->kind || has->copies != wanted->copies || has->legs != wanted->legs ||
	    has->chunk_sectors != wanted->chunk_sectors || superblock->length != layout->length)
		return mb_error_set(error,
				    "'%s' is %c%u with chunks of %u sectors on %u legs, %llu sectors long, not %c%u, %u, %u and %llu",
				    superblock->name, mb_layout_letter(has->kind), has->copies,
				    has->chunk_sectors, has->legs,
				    (unsigned long long)superblock->length,
				    mb_layout_letter(wanted->kind), wanted->copies,
				    wanted->chunk_sectors, wanted->legs,
				    (unsigned long long)layout->length);
	if (superblock->data_offset != data_offset)
		return mb_error_set(error, "its data begin at sector %llu, not %llu",
				    (unsigned long long)superblock->data_offset,
				    (unsigned long long)data_offset);
	return 0;
}

void mb_superblock_place_areas(struct mb_superblock *superblock)
{
	struct mb_state *state = &superblock->state;
	u64 bits = (u64)MB_INTENT_SECTORS << 12;

	state->intent_sector = MB_INTENT_SECTOR;
	state->intent_sectors = MB_INTENT_SECTORS;
	state->bad_sector = MB_BAD_SECTOR;
	state->bad_sectors = MB_BAD_SECTORS;
	state->region_sectors = MB_MIN_REGION_SECTORS;
	while (div64_u64(superblock->length - 1, state->region_sectors) >= bits &&
	       state->region_sectors < MB_MAX_REGION_SECTORS)
		state->region_sectors *= 2;
}

static void encode_leg_table(u8 *table, const struct mb_superblock *superblock)
{
	u32 leg;

	for (leg = 0; leg < superblock->shape.legs; leg++) {
		const struct mb_superblock_leg *from = &superblock->legs[leg];
		u8 *entry = table + leg * ENTRY_BYTES;

		memcpy(entry + ENTRY_UUID, from->uuid, MB_UUID_BYTES);
		entry[ENTRY_STATE] = from->state;
		entry[ENTRY_MARKS] = (from->write_mostly ? MARK_WRITE_MOSTLY : 0) |
				     (from->rebuilding ? MARK_REBUILDING : 0);
		put32(entry + ENTRY_REBUILT, from->rebuilt);
		put_text(entry + ENTRY_MODEL, from->model, MB_MODEL_BYTES);
		put_text(entry + ENTRY_SERIAL, from->serial, MB_SERIAL_BYTES);
	}
}

static void encode_history(u8 *at, const struct mb_history *history)
{
	u32 i;

	memcpy(at, history->uuid, MB_UUID_BYTES);
	at += MB_UUID_BYTES;
	for (i = 0; i < MB_ANCESTORS; i++, at += ANCESTOR_BYTES) {
		memcpy(at, history->ancestors[i].uuid, MB_UUID_BYTES);
		put64(at + MB_UUID_BYTES, history->ancestors[i].left_at);
	}
}

static void encode_state(u8 *block, const struct mb_state *state)
{
	put64(block + AT_UPDATED, state->updated);
	put32(block + AT_FLAGS, (state->dirty ? FLAG_DIRTY : 0) |
	      (state->copy_writes ? FLAG_COPY_WRITES : 0));
	put32(block + AT_RESYNC_LIMIT, state->resync_limit);
	put32(block + AT_INTENT_SECTOR, state->intent_sector);
	put32(block + AT_INTENT_SECTORS, state->intent_sectors);
	put32(block + AT_REGION_SECTORS, state->region_sectors);
	put32(block + AT_BAD_SECTOR, state->bad_sector);
	put32(block + AT_BAD_SECTORS, state->bad_sectors);
	encode_history(block + AT_HISTORY, &state->history);
	put_text(block + AT_POLICY, state->policy, MB_POLICY_BYTES);
	put_text(block + AT_POLICY_ARGS, state->policy_args, MB_POLICY_ARGS_BYTES);
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
	if (superblock->incompat & MB_INCOMPAT_METADATA)
		encode_state(block, &superblock->state);
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
		to->write_mostly = entry[ENTRY_MARKS] & MARK_WRITE_MOSTLY;
		to->rebuilding = entry[ENTRY_MARKS] & MARK_REBUILDING;
		to->rebuilt = get32(entry + ENTRY_REBUILT);
		get_text(to->model, entry + ENTRY_MODEL, MB_MODEL_BYTES);
		get_text(to->serial, entry + ENTRY_SERIAL, MB_SERIAL_BYTES);
	}
}

static void decode_history(struct mb_history *history, const u8 *at)
{
	u32 i;

	memcpy(history->uuid, at, MB_UUID_BYTES);
	at += MB_UUID_BYTES;
	for (i = 0; i < MB_ANCESTORS; i++, at += ANCESTOR_BYTES) {
		memcpy(history->ancestors[i].uuid, at, MB_UUID_BYTES);
		history->ancestors[i].left_at = get64(at + MB_UUID_BYTES);
	}
}

static void decode_state(struct mb_state *state, const u8 *block)
{
	u32 flags = get32(block + AT_FLAGS);

	state->updated = get64(block + AT_UPDATED);
	state->dirty = flags & FLAG_DIRTY;
	state->copy_writes = flags & FLAG_COPY_WRITES;
	state->resync_limit = get32(block + AT_RESYNC_LIMIT);
	state->intent_sector = get32(block + AT_INTENT_SECTOR);
	state->intent_sectors = get32(block + AT_INTENT_SECTORS);
	state->region_sectors = get32(block + AT_REGION_SECTORS);
	state->bad_sector = get32(block + AT_BAD_SECTOR);
	state->bad_sectors = get32(block + AT_BAD_SECTORS);
	decode_history(&state->history, block + AT_HISTORY);
	get_text(state->policy, block + AT_POLICY, MB_POLICY_BYTES);
	get_text(state->policy_args, block + AT_POLICY_ARGS, MB_POLICY_ARGS_BYTES);
}

/* Flags and marks have no room for a meaning that may be passed over. */
static int check_unknown(const struct mb_superblock *superblock, const u8 *block, struct mb_error *error)
{
	u32 flags = get32(block + AT_FLAGS) & ~FLAGS_KNOWN, leg;

	if (!(superblock->incompat & MB_INCOMPAT_METADATA))
		return 0;
	if (flags)
		return mb_error_set(error, "flags 0x%x of the array are unknown", flags);
	for (leg = 0; leg < superblock->shape.legs; leg++) {
		u32 marks = block[AT_LEG_TABLE + leg * ENTRY_BYTES + ENTRY_MARKS] & ~MARKS_KNOWN;

		if (marks)
			return mb_error_set(error, "marks 0x%x of leg %u are unknown", marks, leg);
	}
	return 0;
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
	if (superblock->incompat & MB_INCOMPAT_METADATA)
		decode_state(&superblock->state, block);
	else
		memset(&superblock->state, 0, sizeof(superblock->state));
	if (mb_superblock_check(superblock, error) || check_unknown(superblock, block, error))
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
	superblock->number = number;
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
