// SPDX-License-Identifier: GPL-2.0-only
/*
 * What adaptive gives on simulated drives, beside the rule by which md raid10
 * reads near layouts and beside every fixed policy. The figures are the
 * simulator's; those of the module and of md itself are measured in a guest.
 */
#include "replay.h"
#include "unit.h"
#include "workload.h"

#define TB (1000000000000ull / 512)
#define MIB 2048u		/* sectors */
#define SECOND 1000000000ull
#define CHUNK 1024

struct machine {
	struct mb_shape shape;
	struct sim_drive drives[MB_MAX_LEGS];
	u64 leg_sectors;
};

static struct machine laid_out(enum mb_layout_kind kind, u32 copies, u32 legs)
{
	struct machine machine = {
		.shape = { kind, copies, legs, CHUNK },
		.leg_sectors = 6 * TB,
	};
	u32 i;

	for (i = 0; i < legs; i++) {
		machine.drives[i].spinning = true;
		machine.drives[i].spinning_shape = spindle_defaults(6 * TB);
	}
	return machine;
}

static struct machine spinning(u32 copies, u32 legs)
{
	return laid_out(MB_LAYOUT_NEAR, copies, legs);
}

static struct sim_drive solid_drive(u32 read_ns)
{
	struct sim_drive drive = { .solid_shape = spindle_solid_defaults() };

	drive.solid_shape.read_ns = read_ns;
	drive.solid_shape.jitter_ns = read_ns / 10;
	/* So that latency is the limit, not the way out. */
	drive.solid_shape.sector_ns = 10;
	return drive;
}

static void start(struct sim *sim, const struct machine *machine, const struct mb_policy_ops *ops)
{
	struct mb_error error;

	if (sim_start(sim, &machine->shape, machine->drives, machine->leg_sectors, ops, 0, NULL,
		      &error))
		fail_msg("%s", error.text);
}

/* Random requests of 4 KiB over 5/6 of the array, requests in 100 seconds. */
static u64 mixed_iops(const struct machine *machine, const struct mb_policy_ops *ops, u32 depth,
		      u32 write_percent, u64 run_ns)
{
	struct workload workload = {
		.nr_random = 1,
		.warm_up_ns = run_ns / 4,
		.run_ns = run_ns,
	};
	struct job_result random[WORKLOAD_MAX_JOBS], readers[WORKLOAD_MAX_JOBS];
	struct sim sim;

	start(&sim, machine, ops);
	workload.random[0] = (struct random_job){
		.sectors = sim.layout.length / 6 * 5,
		.block = 8,
		.depth = depth,
		.write_percent = write_percent,
		.seed = 7,
	};
	workload_run(&sim, &workload, random, readers);
	sim_stop(&sim);
	return random[0].requests * 100 * SECOND / run_ns;
}

static u64 random_iops(const struct machine *machine, const struct mb_policy_ops *ops, u32 depth,
		       u64 run_ns)
{
	return mixed_iops(machine, ops, depth, 0, run_ns);
}

/*
 * Readers in sequence, far apart; KB/s of all. They read ahead as far as the
 * policy wants, in requests of at most so many sectors.
 */
static u64 reader_rate(const struct machine *machine, const struct mb_policy_ops *ops, u32 count,
		       u32 request)
{
	struct workload workload = {
		.nr_readers = count,
		.warm_up_ns = 2 * SECOND,
		.run_ns = 8 * SECOND,
	};
	struct job_result random[WORKLOAD_MAX_JOBS], readers[WORKLOAD_MAX_JOBS];
	u64 sectors = 0, ahead;
	struct sim sim;
	u32 i;

	start(&sim, machine, ops);
	ahead = mb_policy_read_ahead(ops, mb_policy_window(ops, sim.config), &sim.layout);
	/* Else the kernel's own: twice what it takes to have a chunk of each leg. */
	if (!ahead)
		ahead = 2 * machine->shape.legs * CHUNK;
	for (i = 0; i < count; i++)
		workload.readers[i] = (struct reader_job){
			/*
			 * All near the outer edge, where the rate is that of a lone drive, and
			 * nowhere at the beginning of a window.
			 */
			.start = (u64)i * 100 * 1024 * MIB + 3200 + i * 808,
			.sectors = 90ull * 1024 * MIB,
			.ahead = ahead,
			.request = request,
			.copy_ns = 512,
		};
	workload_run(&sim, &workload, random, readers);
	sim_stop(&sim);
	for (i = 0; i < count; i++)
		sectors += readers[i].sectors;
	return sectors * 512 / 1000 * SECOND / workload.run_ns;
}

static void assert_ratio(const char *what, u64 value, u64 base, u32 percent)
{
	print_message("# %-40s %8llu, %llu.%02llu of %llu, wanted %u.%02u\n", what,
		      (unsigned long long)value, (unsigned long long)(value / base),
		      (unsigned long long)(value * 100 / base % 100), (unsigned long long)base,
		      percent / 100, percent % 100);
	if (value * 100 < base * percent)
		fail_msg("%s: too few", what);
}

/* The first figure is what DESIGN asks for against md where the simulator reaches it. */
static void test_random_against_md(void **state)
{
	static const struct {
		u32 copies, legs, depth, percent;
	} rows[] = {
		{ 4, 4, 1, 138 }, { 4, 4, 2, 128 }, { 4, 4, 4, 103 }, { 4, 4, 8, 103 },
		{ 4, 4, 32, 110 }, { 4, 4, 128, 112 }, { 2, 2, 1, 122 }, { 2, 2, 2, 98 },
		{ 2, 2, 4, 101 }, { 2, 2, 32, 105 }, { 2, 4, 4, 101 }, { 2, 4, 32, 104 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine = spinning(rows[i].copies, rows[i].legs);
		char what[64];

		snprintf(what, sizeof(what), "n%u on %u, QD %u", rows[i].copies, rows[i].legs,
			 rows[i].depth);
		assert_ratio(what, random_iops(&machine, &mb_adaptive_ops, rows[i].depth,
					       40 * SECOND),
			     random_iops(&machine, &replay_md_near_ops, rows[i].depth, 40 * SECOND),
			     rows[i].percent);
	}
}

/* Never worth while to choose another policy. */
static void test_random_against_fixed(void **state)
{
	static const u32 depths[] = { 1, 4, 32 };
	const struct mb_policy_ops *const *policies;
	struct machine machine = spinning(2, 4);
	u32 nr, i, j;

	policies = mb_policy_builtins(&nr);
	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		u64 adaptive = random_iops(&machine, &mb_adaptive_ops, depths[i], 40 * SECOND);

		for (j = 0; j < nr; j++) {
			char what[64];

			if (policies[j] == &mb_adaptive_ops)
				continue;
			snprintf(what, sizeof(what), "QD %u, beside %s", depths[i],
				 policies[j]->name);
			assert_ratio(what, adaptive,
				     random_iops(&machine, policies[j], depths[i], 40 * SECOND),
				     98);
		}
	}
}

/* Writes go to all legs and everywhere: parts of the address space would only make them wait. */
static void test_beside_writes(void **state)
{
	static const struct {
		u32 copies, legs, depth, write_percent;
	} rows[] = {
		{ 4, 4, 8, 10 }, { 4, 4, 8, 30 }, { 4, 4, 32, 30 }, { 2, 2, 8, 30 }, { 2, 4, 32, 50 },
	};
	static const struct mb_policy_ops *const others[] = {
		&replay_md_near_ops, &mb_nearest_head_ops, &mb_queue_length_ops, &mb_split_ops,
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine = spinning(rows[i].copies, rows[i].legs);
		u64 adaptive = mixed_iops(&machine, &mb_adaptive_ops, rows[i].depth,
					  rows[i].write_percent, 40 * SECOND);

		for (j = 0; j < ARRAY_SIZE(others); j++) {
			char what[64];

			snprintf(what, sizeof(what), "n%u on %u, QD %u, %u %% writes, %s",
				 rows[i].copies, rows[i].legs, rows[i].depth,
				 rows[i].write_percent, others[j]->name);
			assert_ratio(what, adaptive,
				     mixed_iops(&machine, others[j], rows[i].depth,
						rows[i].write_percent, 40 * SECOND), 97);
		}
	}
}

/* Against a lone drive, which reads 218 MB/s at its outer edge. */
static void test_readers(void **state)
{
	static const struct {
		enum mb_layout_kind kind;
		u32 copies, legs, readers, percent;
	} rows[] = {
		{ MB_LAYOUT_NEAR, 2, 2, 1, 170 }, { MB_LAYOUT_NEAR, 2, 4, 1, 280 },
		{ MB_LAYOUT_NEAR, 4, 4, 1, 250 }, { MB_LAYOUT_NEAR, 2, 2, 2, 195 },
		{ MB_LAYOUT_NEAR, 2, 4, 4, 340 }, { MB_LAYOUT_NEAR, 4, 4, 4, 360 },
		{ MB_LAYOUT_NEAR, 2, 2, 4, 175 }, { MB_LAYOUT_NEAR, 4, 4, 2, 300 },
		/* Beside what the other rules for streams would give: 1.3, 0.9 and 0.9. */
		{ MB_LAYOUT_NEAR, 2, 3, 1, 150 }, { MB_LAYOUT_FAR, 2, 2, 1, 180 },
		{ MB_LAYOUT_FAR, 4, 4, 1, 350 },
		/* In each stripe a leg's rows come in descending order: a head goes back for some. */
		{ MB_LAYOUT_OFFSET, 2, 2, 1, 120 }, { MB_LAYOUT_OFFSET, 4, 4, 1, 180 },
		{ MB_LAYOUT_OFFSET, 2, 2, 2, 180 }, { MB_LAYOUT_OFFSET, 2, 4, 2, 240 },
		{ MB_LAYOUT_OFFSET, 2, 4, 4, 300 }, { MB_LAYOUT_OFFSET, 4, 4, 4, 340 },
	};
	/* Pages that lie apart in memory, and together: the kernel makes requests of both kinds. */
	static const u32 requests[] = { MIB, 64 * MIB };
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		u32 at = i / 2;
		struct machine machine = laid_out(rows[at].kind, rows[at].copies, rows[at].legs);
		char what[64];

		snprintf(what, sizeof(what), "%c%u on %u, %u readers, %s requests",
			 mb_layout_letter(rows[at].kind), rows[at].copies, rows[at].legs, rows[at].readers,
			 i % 2 ? "large" : "small");
		assert_ratio(what, reader_rate(&machine, &mb_adaptive_ops, rows[at].readers,
					       requests[i % 2]), 218000, rows[at].percent);
	}
}

/*
 * An array is never slower than one bare drive, whatever the policy: that gives 83 reads
 * a second, and 218 MB/s to a reader.
 */
static void test_no_worse_than_a_bare_drive(void **state)
{
	static const struct {
		enum mb_layout_kind kind;
		u32 copies, legs;
	} rows[] = {
		{ MB_LAYOUT_NEAR, 2, 2 }, { MB_LAYOUT_NEAR, 2, 3 }, { MB_LAYOUT_NEAR, 4, 4 },
		{ MB_LAYOUT_FAR, 2, 2 }, { MB_LAYOUT_FAR, 2, 3 }, { MB_LAYOUT_FAR, 4, 4 },
		{ MB_LAYOUT_OFFSET, 2, 2 }, { MB_LAYOUT_OFFSET, 2, 3 }, { MB_LAYOUT_OFFSET, 2, 4 },
		{ MB_LAYOUT_OFFSET, 4, 4 },
	};
	const struct mb_policy_ops *const *policies;
	u32 nr, i, j;

	policies = mb_policy_builtins(&nr);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine = laid_out(rows[i].kind, rows[i].copies, rows[i].legs);

		for (j = 0; j < nr; j++) {
			char what[64];

			snprintf(what, sizeof(what), "%c%u on %u, %s", mb_layout_letter(rows[i].kind),
				 rows[i].copies, rows[i].legs, policies[j]->name);
			assert_ratio(what, random_iops(&machine, policies[j], 1, 60 * SECOND),
				     8300, 97);
			assert_ratio(what, reader_rate(&machine, policies[j], 1, MIB), 218000, 97);
		}
	}
}

/* Reads of each leg in so long; returns reads of the array in 100 seconds. */
static u64 solid_reads(const struct machine *machine, u32 depth, u64 run_ns, u64 *reads)
{
	struct workload workload = { .nr_random = 1, .run_ns = run_ns };
	struct job_result random[WORKLOAD_MAX_JOBS], readers[WORKLOAD_MAX_JOBS];
	struct sim sim;
	u32 i;

	start(&sim, machine, &mb_adaptive_ops);
	workload.random[0] = (struct random_job){
		.sectors = sim.layout.length, .block = 8, .depth = depth, .seed = 3,
	};
	workload_run(&sim, &workload, random, readers);
	for (i = 0; i < machine->shape.legs; i++)
		reads[i] = sim.legs[i].reads;
	sim_stop(&sim);
	return random[0].requests * 100 * SECOND / run_ns;
}

static struct machine two(struct sim_drive first, struct sim_drive second)
{
	return (struct machine){
		.shape = { MB_LAYOUT_NEAR, 2, 2, CHUNK },
		.drives = { first, second },
		.leg_sectors = TB / 2,
	};
}

static void test_equal_solid_legs(void **state)
{
	struct machine machine = two(solid_drive(80000), solid_drive(80000));
	static const u32 depths[] = { 1, 32 };
	u64 reads[2];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		solid_reads(&machine, depths[i], SECOND / 2, reads);
		if (reads[0] * 100 > reads[1] * 102 || reads[1] * 100 > reads[0] * 102)
			fail_msg("QD %u: %llu and %llu reads", depths[i],
				 (unsigned long long)reads[0], (unsigned long long)reads[1]);
	}
}

static void test_unequal_solid_legs(void **state)
{
	struct machine machine = two(solid_drive(80000), solid_drive(20000));
	struct machine fast = two(solid_drive(20000), solid_drive(20000));
	u64 reads[2], alone[2], best;

	solid_reads(&machine, 1, SECOND / 2, reads);
	assert_ratio("QD 1, reads of the fast leg", reads[1], reads[0] + reads[1], 95);
	assert_true(reads[0] > 0);
	/* The best possible: 32 in flight, which either leg can have at once, on the fast one. */
	best = solid_reads(&fast, 32, SECOND / 2, alone);
	assert_ratio("QD 32, 80 and 20 us", solid_reads(&machine, 32, SECOND / 2, reads), best, 95);
}

/* An SSD with an HDD as its mirror: as if the SSD were alone. */
static void test_solid_with_spinning(void **state)
{
	struct machine machine = two(solid_drive(80000), solid_drive(80000));
	struct machine solid = machine;
	static const u32 depths[] = { 1, 8 };
	u64 reads[2];
	u32 i;

	machine.drives[1].spinning = true;
	machine.drives[1].spinning_shape = spindle_defaults(TB);
	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		u64 alone = solid_reads(&solid, depths[i], 2 * SECOND, reads);

		assert_ratio("an SSD with an HDD", solid_reads(&machine, depths[i], 2 * SECOND,
							       reads), alone, 95);
	}
}

/* A reader keeps its leg, and random reads have the three others. */
static void test_reader_beside_random(void **state)
{
	struct workload workload = {
		.nr_random = 1,
		.nr_readers = 1,
		.readers = { { .sectors = 500ull * 1024 * MIB, .ahead = 8 * MIB, .request = MIB,
			       .copy_ns = 512 } },
		.warm_up_ns = 5 * SECOND,
		.run_ns = 30 * SECOND,
	};
	struct job_result random[WORKLOAD_MAX_JOBS], readers[WORKLOAD_MAX_JOBS];
	struct machine machine = spinning(4, 4), three = spinning(3, 3);
	struct sim sim;

	start(&sim, &machine, &mb_adaptive_ops);
	workload.random[0] = (struct random_job){
		.sectors = sim.layout.length / 6 * 5, .block = 8, .depth = 4, .seed = 7,
	};
	workload_run(&sim, &workload, random, readers);
	sim_stop(&sim);
	assert_ratio("a reader beside random reads",
		     readers[0].sectors * 512 / 1000 * SECOND / workload.run_ns, 218000, 80);
	assert_ratio("random reads beside a reader",
		     random[0].requests * 100 * SECOND / workload.run_ns,
		     random_iops(&three, &mb_adaptive_ops, 4, 30 * SECOND), 90);
}

struct slowdown {
	struct sim *sim;
	u32 factor;
};

static void change_speed(void *context, u64 now)
{
	struct slowdown *slowdown = context;

	slowdown->sim->legs[0].solid.slow = slowdown->factor;
}

/* Share of leg 0 in the reads of the next so many ns, in thousandths. */
static u64 share_of_leg_0(struct sim *sim, u64 ns)
{
	u64 before0 = sim->legs[0].reads, before1 = sim->legs[1].reads, reads0;

	sim_run(sim, sim->now + ns);
	reads0 = sim->legs[0].reads - before0;
	return reads0 * 1000 / (reads0 + sim->legs[1].reads - before1);
}

static void again(struct sim_io *io, u64 now)
{
	struct sim *sim = io->owner;

	io->sector = random_below(sim->layout.length / 8) * 8;
	sim_submit(sim, io);
}

/* A leg turns ten times slower, and recovers. */
static void test_fail_slow(void **state)
{
	struct machine machine = two(solid_drive(80000), solid_drive(80000));
	static const u32 depths[] = { 1, 32 };
	struct sim_io ios[32] = { 0 };
	struct slowdown slow = { .factor = 10 }, well = { .factor = 1 };
	struct sim sim;
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		start(&sim, &machine, &mb_adaptive_ops);
		slow.sim = well.sim = &sim;
		for (j = 0; j < depths[i]; j++) {
			ios[j] = (struct sim_io){ .sectors = 8, .done = again, .owner = &sim };
			sim_submit(&sim, &ios[j]);
		}
		assert_in_range(share_of_leg_0(&sim, SECOND), 490, 510);
		sim_at(&sim, sim.now, change_speed, &slow);
		sim_run(&sim, sim.now + SECOND);
		/* Less than one in a hundred: the 99th percentile is the other leg's. */
		assert_in_range(share_of_leg_0(&sim, SECOND), 0, 9);
		sim_at(&sim, sim.now, change_speed, &well);
		sim_run(&sim, sim.now + 10 * SECOND);
		assert_in_range(share_of_leg_0(&sim, SECOND), 480, 520);
		sim_stop(&sim);
	}
}

/* An SSD slower than the HDD that mirrors it, until it recovers. */
static void test_fail_slow_beside_heads(void **state)
{
	struct machine machine = two(solid_drive(80000), solid_drive(80000));
	struct slowdown slow = { .factor = 1000 }, well = { .factor = 1 };
	struct sim_io io = { .sectors = 8, .done = again };
	struct sim sim;

	machine.drives[1].spinning = true;
	machine.drives[1].spinning_shape = spindle_defaults(TB);
	start(&sim, &machine, &mb_adaptive_ops);
	io.owner = slow.sim = well.sim = &sim;
	sim_submit(&sim, &io);
	assert_in_range(share_of_leg_0(&sim, SECOND), 990, 1000);
	sim_at(&sim, sim.now, change_speed, &slow);
	sim_run(&sim, sim.now + 5 * SECOND);
	assert_in_range(share_of_leg_0(&sim, 10 * SECOND), 0, 50);
	sim_at(&sim, sim.now, change_speed, &well);
	sim_run(&sim, sim.now + 60 * SECOND);
	assert_in_range(share_of_leg_0(&sim, SECOND), 990, 1000);
	sim_stop(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_against_md),
		cmocka_unit_test(test_random_against_fixed),
		cmocka_unit_test(test_beside_writes),
		cmocka_unit_test(test_readers),
		cmocka_unit_test(test_no_worse_than_a_bare_drive),
		cmocka_unit_test(test_equal_solid_legs),
		cmocka_unit_test(test_unequal_solid_legs),
		cmocka_unit_test(test_solid_with_spinning),
		cmocka_unit_test(test_fail_slow),
		cmocka_unit_test(test_fail_slow_beside_heads),
		cmocka_unit_test(test_reader_beside_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
