// SPDX-License-Identifier: GPL-2.0-only
/* The on-disk identity: what is written is read back, what is wrong is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "superblock.h"

/* Bit by bit, so that no library's table is its own oracle. */
static u32 crc32c(u32 crc, const u8 *data, size_t bytes)
{
	size_t i;
	int bit;

	for (i = 0; i < bytes; i++) {
		crc ^= data[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? (crc >> 1) ^ 0x82f63b78u : crc >> 1;
	}
	return crc;
}

static struct mb_superblock example(void)
{
	struct mb_superblock superblock = {
		.generation = 0x0102030405060708ull,
		.compat = 0x80000001u,
		.incompat = MB_INCOMPAT_CREATING,
		.name = "vm",
		.leg = 1,
		.shape = { .kind = MB_LAYOUT_FAR, .copies = 2, .legs = 3, .chunk_sectors = 1024 },
		.length = 3 * 1024 * 100,
		.data_offset = 8192,
		.leg_sectors = 1024 * 200,
		.logical_block_bytes = 4096,
		.created = 1700000000,
	};
	u32 leg;

	memset(superblock.array_uuid, 0xa5, MB_UUID_BYTES);
	for (leg = 0; leg < 3; leg++) {
		memset(superblock.legs[leg].uuid, 0x10 + leg, MB_UUID_BYTES);
		superblock.legs[leg].state = leg == 1 ? 'A' : 'a';
		snprintf(superblock.legs[leg].model, MB_MODEL_BYTES + 1, "Model %u", leg);
		snprintf(superblock.legs[leg].serial, MB_SERIAL_BYTES + 1, "S/N %u", leg);
	}
	return superblock;
}

/* Gives a changed block the checksum that it should have. */
static void seal(u8 *block)
{
	u32 crc;

	memset(block + 8, 0, 4);
	crc = ~crc32c(~0u, block, MB_SUPERBLOCK_BYTES);
	block[8] = crc;
	block[9] = crc >> 8;
	block[10] = crc >> 16;
	block[11] = crc >> 24;
}

static void checksum_is_crc32c(void **state)
{
	(void)state;
	/* The check value of the CRC catalogue. */
	assert_int_equal(~crc32c(~0u, (const u8 *)"123456789", 9), 0xe3069283u);
}

static void comes_back_whole(void **state)
{
	struct mb_superblock in = example(), out;
	u8 block[MB_SUPERBLOCK_BYTES], again[MB_SUPERBLOCK_BYTES];
	struct mb_error error;
	u32 number;

	(void)state;
	memset(in.legs[2].model, 'm', MB_MODEL_BYTES);
	memset(in.legs[2].serial, 's', MB_SERIAL_BYTES);
	memset(in.name, 'n', MB_NAME_BYTES);
	for (number = 0; number < MB_SUPERBLOCK_BLOCKS; number++) {
		memset(&out, 0, sizeof(out));
		mb_superblock_encode(block, &in, number, crc32c);
		assert_int_equal(mb_superblock_decode(&out, block, number, crc32c, &error),
				 MB_SUPERBLOCK_VALID);
		assert_memory_equal(in.legs, out.legs, sizeof(in.legs));
		assert_string_equal(in.name, out.name);
		mb_superblock_encode(again, &out, number, crc32c);
		assert_memory_equal(block, again, sizeof(block));
	}
}

/* The documented places, written out by hand: the format never moves. */
static void lies_where_documented(void **state)
{
	static const u8 start[32] = {
		'M', 'I', 'R', 'R', 'B', 'A', 'L', 0,
		0, 0, 0, 0,			/* checksum, masked below */
		1, 0, 1, 0,
		8, 7, 6, 5, 4, 3, 2, 1,
		1, 0, 0, 0x80, 1, 0, 0, 0,
	};
	static const u8 geometry[48] = {
		1, 0, 3, 0, 'f', 2, 0, 0, 0, 4, 0, 0, 0, 0x10, 0, 0,
		0, 0xb0, 4, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0,
		0, 0x20, 3, 0, 0, 0, 0, 0, 0, 0xf1, 0x53, 0x65, 0, 0, 0, 0,
	};
	struct mb_superblock in = example();
	u8 block[MB_SUPERBLOCK_BYTES];
	int i;

	(void)state;
	mb_superblock_encode(block, &in, 1, crc32c);
	memset(block + 8, 0, 4);
	assert_memory_equal(block, start, sizeof(start));
	assert_memory_equal(block + 32, in.array_uuid, 16);
	assert_memory_equal(block + 48, "vm\0\0", 4);
	assert_memory_equal(block + 112, in.legs[1].uuid, 16);
	assert_memory_equal(block + 128, geometry, sizeof(geometry));
	for (i = 176; i < 1024; i++)
		assert_int_equal(block[i], 0);
	assert_memory_equal(block + 1024 + 2 * 96, in.legs[2].uuid, 16);
	assert_memory_equal(block + 1024 + 96 + 16, "A\0\0\0\0\0\0", 8);
	assert_memory_equal(block + 1024 + 2 * 96 + 16, "a\0\0\0\0\0\0", 8);
	assert_memory_equal(block + 1024 + 2 * 96 + 24, "Model 2", 8);
	assert_memory_equal(block + 1024 + 2 * 96 + 64, "S/N 2", 6);
	for (i = 1024 + 3 * 96; i < 4096; i++)
		assert_int_equal(block[i], 0);
}

static void every_byte_is_covered(void **state)
{
	struct mb_superblock in = example(), out;
	u8 block[MB_SUPERBLOCK_BYTES];
	struct mb_error error;
	u32 i;

	(void)state;
	mb_superblock_encode(block, &in, 0, crc32c);
	for (i = 0; i < MB_SUPERBLOCK_BYTES; i++) {
		block[i] ^= 1u << (i % 8);
		assert_int_equal(mb_superblock_decode(&out, block, 0, crc32c, &error),
				 i < 8 ? MB_SUPERBLOCK_ABSENT : MB_SUPERBLOCK_DAMAGED);
		block[i] ^= 1u << (i % 8);
	}
	assert_int_equal(mb_superblock_decode(&out, block, 0, crc32c, &error), MB_SUPERBLOCK_VALID);
	assert_int_equal(mb_superblock_decode(&out, block, 1, crc32c, &error),
			 MB_SUPERBLOCK_DAMAGED);
	assert_non_null(strstr(error.text, "misplaced"));
}

struct wrong_value {
	u32 at;
	u8 value;
	const char *says;
};

/* A block with a right checksum and one wrong value in it. */
static void assert_refused(const struct mb_superblock *in, const struct wrong_value *wrong)
{
	u8 block[MB_SUPERBLOCK_BYTES];
	struct mb_superblock out;
	struct mb_error error = { .text = "" };

	mb_superblock_encode(block, in, 0, crc32c);
	block[wrong->at] = wrong->value;
	seal(block);
	if (mb_superblock_decode(&out, block, 0, crc32c, &error) != MB_SUPERBLOCK_UNSUPPORTED ||
	    !strstr(error.text, wrong->says))
		fail_msg("byte %u as 0x%02x gave '%s'", wrong->at, wrong->value, error.text);
}

static void refuses_nonsense(void **state)
{
	static const struct wrong_value wrong[] = {
		{ 12, 2, "format version is 2" },
		{ 28, 4, "incompatible feature bits 0x4" },
		{ 31, 0x80, "incompatible feature bits 0x80000000" },
		{ 48, 0, "array name is empty" },
		{ 49, '/', "byte 0x2f at position 1" },
		{ 49, 7, "byte 0x07 at position 1" },
		{ 49, ' ', "byte 0x20 at position 1" },
		{ 49, '\'', "byte 0x27 at position 1" },
		{ 49, '$', "byte 0x24 at position 1" },
		{ 49, 0xe9, "byte 0xe9 at position 1" },
		{ 48, '#', "begins with '#'" },
		{ 48, '-', "begins with '-'" },
		{ 112, 0, "another UUID in the leg table" },
		{ 128, 3, "leg number is 3; the array has 3 legs" },
		{ 130, 1, "number of legs is 1" },
		{ 130, 33, "number of legs is 33" },
		{ 132, 'x', "layout letter is 0x78" },
		{ 133, 1, "number of copies is 1" },
		{ 136, 1, "chunk is 1025 sectors" },
		{ 140, 1, "logical block size is 4097" },
		{ 141, 0x20, "logical block size is 8192" },
		{ 144, 1, "whole number of chunks" },
		{ 145, 0xb4, "no array of layout f2 on 3 legs" },
		{ 152, 4, "whole number of logical blocks" },
		{ 153, 0, "data offset is 0 sectors" },
		{ 161, 0x1c, "the layout needs 204800" },
	};
	struct mb_superblock in = example();
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_refused(&in, &wrong[i]);
}

static struct mb_superblock with_state(void)
{
	struct mb_superblock superblock = example();
	struct mb_state *state = &superblock.state;
	u32 i;

	superblock.incompat = MB_INCOMPAT_METADATA;
	superblock.legs[0] = (struct mb_superblock_leg){
		.uuid = { 1 }, .state = 'a', .rebuilding = true, .rebuilt = 0x01020304,
	};
	superblock.legs[2].state = 'D';
	superblock.legs[2].write_mostly = true;
	*state = (struct mb_state){
		.dirty = true,
		.resync_limit = 0x11121314,
		.updated = 0x2122232425262728ull,
		.intent_sector = 256,
		.intent_sectors = 128,
		.region_sectors = 2048,
		.bad_sector = 1024,
		.bad_sectors = 8,
		.policy = "adaptive",
		.policy_args = "32768",
	};
	memset(state->history.uuid, 0x31, MB_UUID_BYTES);
	for (i = 0; i < MB_ANCESTORS; i++) {
		memset(state->history.ancestors[i].uuid, 0x41 + i, MB_UUID_BYTES);
		state->history.ancestors[i].left_at = 0x5152535455565758ull + i;
	}
	return superblock;
}

static void state_comes_back_whole(void **state)
{
	struct mb_superblock in = with_state(), out;
	u8 block[MB_SUPERBLOCK_BYTES], again[MB_SUPERBLOCK_BYTES];
	struct mb_error error;

	(void)state;
	memset(in.state.policy, 'p', MB_POLICY_BYTES - 1);
	memset(in.state.policy_args, 'a', MB_POLICY_ARGS_BYTES);
	mb_superblock_encode(block, &in, 0, crc32c);
	if (mb_superblock_decode(&out, block, 0, crc32c, &error) != MB_SUPERBLOCK_VALID)
		fail_msg("%s", error.text);
	assert_memory_equal(&in.state.history, &out.state.history, sizeof(in.state.history));
	assert_string_equal(in.state.policy, out.state.policy);
	assert_string_equal(in.state.policy_args, out.state.policy_args);
	assert_true(out.state.dirty && !out.state.copy_writes);
	assert_true(out.legs[0].rebuilding && out.legs[2].write_mostly && !out.legs[1].rebuilding);
	mb_superblock_encode(again, &out, 0, crc32c);
	assert_memory_equal(block, again, sizeof(block));
}

/* The documented places of the state. */
static void state_lies_where_documented(void **state)
{
	static const u8 numbers[40] = {
		0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21, 1, 0, 0, 0, 0x14, 0x13, 0x12, 0x11,
		0, 1, 0, 0, 0x80, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 8, 0, 0, 0,
	};
	static const u8 last_ancestor[8] = { 0x5e, 0x57, 0x56, 0x55, 0x54, 0x53, 0x52, 0x51 };
	struct mb_superblock in = with_state();
	u8 block[MB_SUPERBLOCK_BYTES];
	int i;

	(void)state;
	mb_superblock_encode(block, &in, 0, crc32c);
	assert_memory_equal(block + 176, numbers, sizeof(numbers));
	for (i = 216; i < 256; i++)
		assert_int_equal(block[i], 0);
	for (i = 0; i < 16; i++) {
		assert_int_equal(block[256 + i], 0x31);
		assert_int_equal(block[272 + 6 * 24 + i], 0x47);
	}
	assert_memory_equal(block + 272 + 6 * 24 + 16, last_ancestor, 8);
	for (i = 440; i < 448; i++)
		assert_int_equal(block[i], 0);
	assert_memory_equal(block + 448, "adaptive\0", 9);
	assert_memory_equal(block + 480, "32768\0", 6);
	for (i = 736; i < 1024; i++)
		assert_int_equal(block[i], 0);
	assert_memory_equal(block + 1024 + 16, "a\2\0\0\4\3\2\1", 8);
	assert_memory_equal(block + 1024 + 2 * 96 + 16, "D\1\0\0\0\0\0\0", 8);
}

static void refuses_nonsense_in_the_state(void **state)
{
	static const struct wrong_value wrong[] = {
		{ 184, 4, "flags 0x4 of the array" },
		{ 192, 0x90 - 1, "whole blocks" },
		{ 193, 0, "whole blocks" },
		{ 196, 0, "takes 0 sectors" },
		{ 197, 0x70, "up to the data at 8192" },
		{ 200, 1, "region size is 2049" },
		{ 201, 0, "region size is 0" },
		{ 209, 1, "overlap" },
		{ 212, 0, "list of bad ranges takes 0 sectors" },
		{ 213, 0x80, "list of bad ranges takes" },
		{ 448, 0, "read policy has no name" },
		{ 449, 7, "byte 0x07 at position 1" },
		{ 480, 0xe9, "byte 0xe9 at position 0" },
		{ 1024 + 16, 'x', "state of leg 0 is 0x78" },
		{ 1024 + 16, 0, "state of leg 0 is 0x00" },
		{ 1024 + 16, 'A', "leg 0 is in sync and being rebuilt" },
		{ 1024 + 17, 6, "marks 0x4 of leg 0" },
	};
	struct mb_superblock in = with_state();
	struct mb_error error;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_refused(&in, &wrong[i]);
	memset(in.state.history.uuid, 0, MB_UUID_BYTES);
	assert_int_equal(mb_superblock_check(&in, &error), -1);
	/* A bitmap that is too small for the array. */
	in = with_state();
	in.state.region_sectors = 8;
	in.state.intent_sectors = 8;
	assert_int_equal(mb_superblock_check(&in, &error), -1);
	assert_non_null(strstr(error.text, "need more"));
}

/* Whatever is on the disk: refused, or values that may be written again. */
static void any_mutation_is_refused_or_sound(void **state)
{
	u8 block[MB_SUPERBLOCK_BYTES];
	struct mb_superblock in, out;
	struct mb_error error;
	u32 round, changes, sound = 0;

	(void)state;
	srand(1);
	for (round = 0; round < 20000; round++) {
		in = round & 1 ? example() : with_state();
		mb_superblock_encode(block, &in, 0, crc32c);
		for (changes = rand() % 4 + 1; changes; changes--)
			block[12 + rand() % (round & 2 ? 1300 : 240)] = rand() % 4 ? 1 << rand() % 8 : rand();
		seal(block);
		if (mb_superblock_decode(&out, block, 0, crc32c, &error) != MB_SUPERBLOCK_VALID)
			continue;
		sound++;
		assert_int_equal(mb_superblock_check(&out, &error), 0);
		assert_true(strlen(out.name) <= MB_NAME_BYTES && out.leg < out.shape.legs);
	}
	assert_in_range(sound, 1000, 19000);
}

/* Each on its own and in a name; at the limit of the length, and beyond. */
static void names_are_what_shells_take(void **state)
{
	static const char allowed[] = "abcxyzABCXYZ0189#+-.:=@_";
	static const char *const refused[] = { "", ".", "..", "control", "#a", "-a", "a b", "a/b", "a~" };
	char name[MB_NAME_BYTES + 2];
	struct mb_error error;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(allowed) - 1; i++) {
		snprintf(name, sizeof(name), "a%c", allowed[i]);
		assert_int_equal(mb_superblock_name_check(name, &error), 0);
	}
	for (i = 0; i < ARRAY_SIZE(refused); i++)
		assert_int_equal(mb_superblock_name_check(refused[i], &error), -1);
	memset(name, 'n', sizeof(name));
	name[MB_NAME_BYTES] = '\0';
	assert_int_equal(mb_superblock_name_check(name, &error), 0);
	name[MB_NAME_BYTES] = 'n';
	name[MB_NAME_BYTES + 1] = '\0';
	assert_int_equal(mb_superblock_name_check(name, &error), -1);
	assert_non_null(strstr(error.text, "at most 64"));
}

/* Which copies win means something only while they are being copied. */
static void states_count_while_creating(void **state)
{
	struct mb_superblock in = example(), out;
	u8 block[MB_SUPERBLOCK_BYTES];
	struct mb_error error;

	(void)state;
	in.incompat = MB_INCOMPAT_CREATING;
	mb_superblock_encode(block, &in, 0, crc32c);
	assert_int_equal(mb_superblock_decode(&out, block, 0, crc32c, &error), MB_SUPERBLOCK_VALID);
	assert_int_equal(out.legs[0].state, 'a');
	assert_int_equal(out.legs[1].state, 'A');
	in.legs[2].state = 'x';
	assert_int_equal(mb_superblock_check(&in, &error), -1);
	assert_non_null(strstr(error.text, "state of leg 2 is 0x78"));
	in.incompat = 0;
	assert_int_equal(mb_superblock_check(&in, &error), -1);
	assert_non_null(strstr(error.text, "kept no metadata"));
}

static void assert_fits_not(const struct mb_superblock *superblock, const struct mb_layout *layout,
			    u32 leg, u64 data_offset, const char *why)
{
	struct mb_error error = { "" };

	assert_int_equal(mb_superblock_fits(superblock, layout, leg, data_offset, &error), -1);
	if (!strstr(error.text, why))
		fail_msg("'%s' does not say '%s'", error.text, why);
}

static void must_fit_the_table(void **state)
{
	struct mb_superblock in = with_state();
	struct mb_layout layout, other;
	struct mb_error error;

	(void)state;
	assert_int_equal(mb_layout_init(&layout, &in.shape, in.length, &error), 0);
	assert_int_equal(mb_superblock_fits(&in, &layout, 1, 8192, &error), 0);
	assert_fits_not(&in, &layout, 0, 8192, "it is leg 1 of 'vm'");
	assert_fits_not(&in, &layout, 1, 8200, "its data begin at sector 8192, not 8200");
	other = layout;
	other.length -= 3 * 1024;
	assert_fits_not(&in, &other, 1, 8192, "not f2, 1024, 3 and 304128");
	other = layout;
	other.shape.kind = MB_LAYOUT_OFFSET;
	assert_fits_not(&in, &other, 1, 8192, "not o2,");
	other = layout;
	other.shape.copies = 3;
	assert_fits_not(&in, &other, 1, 8192, "not f3,");
	other = layout;
	other.shape.legs = 4;
	assert_fits_not(&in, &other, 1, 8192, ", 4 and");
	other = layout;
	other.shape.chunk_sectors = 2048;
	assert_fits_not(&in, &other, 1, 8192, "f2, 2048,");
	in.incompat |= MB_INCOMPAT_CREATING;
	assert_fits_not(&in, &layout, 1, 8192, "the creation of 'vm' was not finished");
}

static void assert_policy(const char *name, const char *args, const char *why)
{
	struct mb_superblock in = with_state();
	struct mb_error error = { "" };

	assert_int_equal(mb_state_set_policy(&in.state, name, args, &error), why ? -1 : 0);
	if (why && !strstr(error.text, why))
		fail_msg("'%s' does not say '%s'", error.text, why);
	assert_string_equal(in.state.policy, why ? "adaptive" : name);
	assert_string_equal(in.state.policy_args, why ? "" : args);
	/* Whatever it is, it can be stored. */
	assert_int_equal(mb_superblock_check(&in, &error), 0);
}

static void policies_that_can_be_kept(void **state)
{
	char name[64], args[300];

	(void)state;
	assert_policy("round-robin", "65536", NULL);
	assert_policy("p", " 1  2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 ", NULL);
	assert_policy("p", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", "17 arguments");
	assert_policy("", "", "has no name");
	assert_policy("adaptive 3", "", "0x20 at position 8");
	assert_policy("p", "a\xc3\xa9", "0xc3 at position 1");
	memset(name, 'n', sizeof(name));
	name[31] = '\0';
	assert_policy(name, "", NULL);
	name[31] = 'n';
	name[32] = '\0';
	assert_policy(name, "", "more than 31");
	memset(args, 'a', sizeof(args));
	args[256] = '\0';
	assert_policy("p", args, NULL);
	args[256] = 'a';
	args[257] = '\0';
	assert_policy("p", args, "more than 256");
}

static void areas_of_new_arrays(void **state)
{
	struct mb_superblock in = with_state();
	struct mb_error error;

	(void)state;
	mb_superblock_place_areas(&in);
	assert_int_equal(mb_superblock_check(&in, &error), 0);
	assert_int_equal(in.state.region_sectors, 8192);
	/* A bit more than the bitmap holds of the smallest regions: 524288 of 4 MiB. */
	in.length = 524288ull * 8192;
	mb_superblock_place_areas(&in);
	assert_int_equal(in.state.region_sectors, 8192);
	in.length++;
	mb_superblock_place_areas(&in);
	assert_int_equal(in.state.region_sectors, 16384);
	in.length = 524288ull << 31;
	mb_superblock_place_areas(&in);
	assert_true(in.state.region_sectors == 1u << 31);
	/* Longer than any regions reach; mb_superblock_check() says so. */
	in.length = MB_MAX_LENGTH;
	mb_superblock_place_areas(&in);
	assert_true(in.state.region_sectors == 1u << 31);
}

static void zero_identities_are_refused(void **state)
{
	struct mb_superblock in = example();
	struct mb_error error;

	(void)state;
	assert_int_equal(mb_superblock_check(&in, &error), 0);
	in.generation = 0;
	assert_int_equal(mb_superblock_check(&in, &error), -1);
	in = example();
	memset(in.array_uuid, 0, MB_UUID_BYTES);
	assert_int_equal(mb_superblock_check(&in, &error), -1);
	in = example();
	memset(in.legs[1].uuid, 0, MB_UUID_BYTES);
	assert_int_equal(mb_superblock_check(&in, &error), -1);
}

static void unknown_compatible_bits_are_passed_over(void **state)
{
	struct mb_superblock in = example(), out;
	u8 block[MB_SUPERBLOCK_BYTES];
	struct mb_error error;

	(void)state;
	in.compat = ~0u;
	in.incompat = MB_INCOMPAT_CREATING;
	mb_superblock_encode(block, &in, 0, crc32c);
	assert_int_equal(mb_superblock_decode(&out, block, 0, crc32c, &error), MB_SUPERBLOCK_VALID);
	assert_true(out.compat == ~0u);
	assert_int_equal(out.incompat, MB_INCOMPAT_CREATING);
}

/* What a leg says, by what its two blocks are. */
static enum mb_superblock_verdict chosen(const u8 *blocks, u64 *generation)
{
	struct mb_superblock out;
	struct mb_error error;
	enum mb_superblock_verdict verdict = mb_superblock_choose(&out, blocks, crc32c, &error);

	*generation = verdict == MB_SUPERBLOCK_VALID ? out.generation : 0;
	return verdict;
}

static void the_newest_whole_block_counts(void **state)
{
	u8 blocks[2 * MB_SUPERBLOCK_BYTES], *other = blocks + MB_SUPERBLOCK_BYTES;
	struct mb_superblock in = example();
	u64 generation;

	(void)state;
	memset(blocks, 0, sizeof(blocks));
	assert_int_equal(chosen(blocks, &generation), MB_SUPERBLOCK_ABSENT);

	in.generation = 5;
	mb_superblock_encode(blocks, &in, 0, crc32c);
	assert_int_equal(chosen(blocks, &generation), MB_SUPERBLOCK_VALID);
	assert_int_equal(generation, 5);

	in.generation = 6;
	mb_superblock_encode(other, &in, 1, crc32c);
	assert_int_equal(chosen(blocks, &generation), MB_SUPERBLOCK_VALID);
	assert_int_equal(generation, 6);

	in.generation = 7;
	mb_superblock_encode(blocks, &in, 0, crc32c);
	assert_int_equal(chosen(blocks, &generation), MB_SUPERBLOCK_VALID);
	assert_int_equal(generation, 7);

	/* A write of block 0 that was torn leaves block 1. */
	blocks[600] ^= 1;
	assert_int_equal(chosen(blocks, &generation), MB_SUPERBLOCK_VALID);
	assert_int_equal(generation, 6);

	other[600] ^= 1;
	assert_int_equal(chosen(blocks, &generation), MB_SUPERBLOCK_DAMAGED);

	memset(blocks, 0, MB_SUPERBLOCK_BYTES);
	assert_int_equal(chosen(blocks, &generation), MB_SUPERBLOCK_DAMAGED);
}

/* Falling back to the older block would bring back a state that is over. */
static void a_newer_format_hides_the_older_block(void **state)
{
	u8 blocks[2 * MB_SUPERBLOCK_BYTES], *other = blocks + MB_SUPERBLOCK_BYTES;
	struct mb_superblock in = example();
	u64 generation;

	(void)state;
	in.generation = 5;
	mb_superblock_encode(blocks, &in, 0, crc32c);
	in.generation = 6;
	mb_superblock_encode(other, &in, 1, crc32c);
	other[28] = 4;
	seal(other);
	assert_int_equal(chosen(blocks, &generation), MB_SUPERBLOCK_UNSUPPORTED);
}

/* For those who ask about a block without reading its values. */
static void verify_alone_knows_the_features(void **state)
{
	struct mb_superblock in = example();
	u8 block[MB_SUPERBLOCK_BYTES];
	struct mb_error error;

	(void)state;
	mb_superblock_encode(block, &in, 1, crc32c);
	assert_int_equal(mb_superblock_verify(block, 1, crc32c, &error), MB_SUPERBLOCK_VALID);
	block[29] = 1;
	seal(block);
	assert_int_equal(mb_superblock_verify(block, 1, crc32c, &error),
			 MB_SUPERBLOCK_UNSUPPORTED);
	assert_non_null(strstr(error.text, "incompatible feature bits 0x100"));
}

static void both_blocks_lie_before_the_data(void **state)
{
	(void)state;
	assert_int_equal(MB_SUPERBLOCK_SECTOR * 512, 64 * 1024);
	assert_true(MB_SUPERBLOCK_SECTOR + MB_SUPERBLOCK_BLOCKS * MB_SUPERBLOCK_BYTES / 512 <=
		    MB_STAMPED_MIN_DATA_OFFSET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checksum_is_crc32c),
		cmocka_unit_test(comes_back_whole),
		cmocka_unit_test(lies_where_documented),
		cmocka_unit_test(every_byte_is_covered),
		cmocka_unit_test(refuses_nonsense),
		cmocka_unit_test(state_comes_back_whole),
		cmocka_unit_test(state_lies_where_documented),
		cmocka_unit_test(refuses_nonsense_in_the_state),
		cmocka_unit_test(any_mutation_is_refused_or_sound),
		cmocka_unit_test(names_are_what_shells_take),
		cmocka_unit_test(states_count_while_creating),
		cmocka_unit_test(must_fit_the_table),
		cmocka_unit_test(areas_of_new_arrays),
		cmocka_unit_test(policies_that_can_be_kept),
		cmocka_unit_test(zero_identities_are_refused),
		cmocka_unit_test(unknown_compatible_bits_are_passed_over),
		cmocka_unit_test(the_newest_whole_block_counts),
		cmocka_unit_test(a_newer_format_hides_the_older_block),
		cmocka_unit_test(verify_alone_knows_the_features),
		cmocka_unit_test(both_blocks_lie_before_the_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
