// SPDX-License-Identifier: GPL-2.0-only
/*
 * The simulated spinning drive against what a reader of linux-raid measured of
 * real ones in 2016: random reads of 4 KiB, one at a time, of 5 TB on drives of
 * 6 TB, before and after md learnt to choose the nearest head; and reading in
 * sequence at the media rate.
 */
#include "drive.h"
#include "layout.h"
#include "unit.h"

#define TB (1000000000000ull / 512)
#define READS 20000
#define BLOCK 8			/* sectors */
#define CHUNK 1024

/* What a rule compares of a copy: the least serves the read, the first among equals. */
typedef u64 rule(const struct spindle_drive *drives, const struct mb_place *place);

/* md before the patch: the first leg that is idle, and one reader finds all idle. */
static u64 first_idle(const struct spindle_drive *drives, const struct mb_place *place)
{
	return place->leg;
}

static u64 nearest_head(const struct spindle_drive *drives, const struct mb_place *place)
{
	u64 head = drives[place->leg].position;

	return head > place->sector ? head - place->sector : place->sector - head;
}

static u64 lowest_address(const struct spindle_drive *drives, const struct mb_place *place)
{
	return place->sector;
}

static const struct mb_place *choose(rule *of, const struct spindle_drive *drives,
				     const struct mb_place *places, u32 copies)
{
	const struct mb_place *least = places;
	u32 i;

	for (i = 1; i < copies; i++)
		if (of(drives, &places[i]) < of(drives, least))
			least = &places[i];
	return least;
}

/* One read after another; returns reads in a million seconds. */
static u64 random_reads(const struct mb_shape *shape, rule *rule)
{
	struct spindle_shape drive = spindle_defaults(6 * TB);
	struct spindle_drive *drives = calloc(shape->legs, sizeof(*drives));
	struct mb_place places[MB_MAX_LEGS];
	struct mb_layout layout;
	struct mb_error error;
	u64 now = 0;
	u32 i;

	random_restart();
	assert_int_equal(mb_layout_init(&layout, shape, mb_shape_capacity(shape, 6 * TB), &error), 0);
	for (i = 0; i < shape->legs; i++)
		spindle_init(&drives[i], &drive, i);
	for (i = 0; i < READS; i++) {
		struct spindle_command read = {
			.sectors = BLOCK,
			.arrived = now,
		};
		const struct mb_place *place;

		mb_layout_map(&layout, random_below(5 * TB / BLOCK) * BLOCK, places);
		place = choose(rule, drives, places, shape->copies);
		read.sector = place->sector;
		assert_int_equal(spindle_pick(&drives[place->leg], &read, 1, now), 0);
		now = spindle_start(&drives[place->leg], &read, now);
	}
	free(drives);
	return READS * 1000000000000ull / (now / 1000);
}

static void test_random_rows(void **state)
{
	static const struct {
		const char *name;
		struct mb_shape shape;
		rule *rule;
		u64 published;
	} rows[] = {
		/* A single drive is a mirror of which one leg is read. */
		{ "Single", { MB_LAYOUT_NEAR, 2, 2, CHUNK }, first_idle, 83 },
		{ "RAID10-4-n4 before", { MB_LAYOUT_NEAR, 4, 4, CHUNK }, first_idle, 83 },
		{ "RAID10-4-n4 after", { MB_LAYOUT_NEAR, 4, 4, CHUNK }, nearest_head, 115 },
		{ "RAID10-4-f4", { MB_LAYOUT_FAR, 4, 4, CHUNK }, lowest_address, 115 },
		{ "RAID10-3-n2 before", { MB_LAYOUT_NEAR, 2, 3, CHUNK }, first_idle, 96 },
		{ "RAID10-3-n2 after", { MB_LAYOUT_NEAR, 2, 3, CHUNK }, nearest_head, 107 },
		{ "RAID10-3-f2", { MB_LAYOUT_FAR, 2, 3, CHUNK }, lowest_address, 111 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 micro = random_reads(&rows[i].shape, rows[i].rule);
		u64 wanted = rows[i].published * 1000000;

		print_message("# %-20s %3llu.%llu IOPS, published %llu\n", rows[i].name,
			      (unsigned long long)(micro / 1000000),
			      (unsigned long long)(micro / 100000 % 10),
			      (unsigned long long)rows[i].published);
		if (micro < wanted / 100 * 95 || micro > wanted / 100 * 105)
			fail_msg("%s is more than 5 %% off", rows[i].name);
	}
}

/* Read 256 MiB in sequence from @sector, so much at a time; returns KB/s. */
static u64 sequential_rate(struct spindle_drive *drive, u64 sector, u32 sectors, u64 pause_ns)
{
	u64 now = 0, start = 0, done;

	for (done = 0; done < 256 << 11; done += sectors) {
		struct spindle_command read = {
			.sector = sector + done,
			.sectors = sectors,
			.arrived = now,
		};

		now = spindle_start(drive, &read, now) + pause_ns;
		if (!done)
			start = now;
	}
	return (done - sectors) * 512 * 1000000 / (now - start);
}

static void assert_near(u64 value, u64 wanted, u32 percent)
{
	if (value * 100 < wanted * (100 - percent) || value * 100 > wanted * (100 + percent))
		fail_msg("%llu is more than %u %% from %llu", (unsigned long long)value, percent,
			 (unsigned long long)wanted);
}

static void test_media_rate(void **state)
{
	struct spindle_shape shape = spindle_defaults(6 * TB);
	static const u32 sizes[] = { 256, 2048, 8192 };
	struct spindle_drive drive;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		spindle_init(&drive, &shape, 1);
		assert_near(sequential_rate(&drive, 0, sizes[i], 5000), 218000, 2);
		spindle_init(&drive, &shape, 1);
		assert_near(sequential_rate(&drive, 6 * TB - (512 << 11), sizes[i], 5000), 109000, 2);
	}
}

/* Without reading on, the platter has turned past when the next request comes. */
static void test_without_reading_on(void **state)
{
	struct spindle_shape shape = spindle_defaults(6 * TB);
	struct spindle_drive drive;

	shape.segments = 0;
	spindle_init(&drive, &shape, 1);
	/* A turn for each request. */
	assert_near(sequential_rate(&drive, 0, 8, 5000), 8 * 512 * 1000000ull / 8333333, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_rows),
		cmocka_unit_test(test_media_rate),
		cmocka_unit_test(test_without_reading_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
