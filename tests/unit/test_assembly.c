// SPDX-License-Identifier: GPL-2.0-only
/* Which legs have seen all that was acknowledged, whatever happened to them. */
#include "assembly.h"
#include "health.h"
#include "unit.h"

#define UUID(n) ((const u8[MB_UUID_BYTES]){ 0xee, (n) & 0xff, (n) >> 8 & 0xff, (n) >> 16 })

/*
 * Histories
 */

static struct mb_history history_of(u32 nr)
{
	struct mb_history history;

	memset(&history, 0, sizeof(history));
	memcpy(history.uuid, UUID(nr), MB_UUID_BYTES);
	return history;
}

static void assert_kin(const struct mb_history *history, u64 generation,
		       const struct mb_history *other, u64 other_generation, enum mb_kinship kin)
{
	static const enum mb_kinship reverse[] = {
		[MB_KIN_SAME] = MB_KIN_SAME, [MB_KIN_PAST] = MB_KIN_FUTURE,
		[MB_KIN_FUTURE] = MB_KIN_PAST, [MB_KIN_APART] = MB_KIN_APART,
	};

	assert_int_equal(mb_history_compare(history, generation, other, other_generation), kin);
	assert_int_equal(mb_history_compare(other, other_generation, history, generation),
			 reverse[kin]);
}

static void test_one_history(void **state)
{
	struct mb_history history = history_of(1);

	assert_kin(&history, 5, &history, 5, MB_KIN_SAME);
	assert_kin(&history, 4, &history, 5, MB_KIN_PAST);
}

static void test_branches(void **state)
{
	struct mb_history trunk = history_of(1), one = trunk, other = trunk, both;

	mb_history_branch(&one, UUID(2), 5);
	assert_kin(&trunk, 4, &one, 6, MB_KIN_PAST);
	assert_kin(&trunk, 5, &one, 6, MB_KIN_PAST);
	/* It went on where it was left by the other one. */
	assert_kin(&trunk, 6, &one, 6, MB_KIN_APART);
	assert_kin(&trunk, 6, &one, 900, MB_KIN_APART);
	mb_history_branch(&other, UUID(3), 5);
	assert_kin(&one, 6, &other, 6, MB_KIN_APART);
	both = one;
	mb_history_branch(&both, UUID(4), 9);
	assert_kin(&trunk, 5, &both, 10, MB_KIN_PAST);
	assert_kin(&one, 9, &both, 10, MB_KIN_PAST);
	assert_kin(&one, 10, &both, 10, MB_KIN_APART);
	assert_kin(&other, 6, &both, 10, MB_KIN_APART);
}

/* What is forgotten counts as apart: nobody knows when it was left. */
static void test_forgotten_history(void **state)
{
	struct mb_history trunk = history_of(1), now = trunk;
	u32 i;

	for (i = 0; i < MB_ANCESTORS; i++) {
		mb_history_branch(&now, UUID(2 + i), 5 + i);
		assert_kin(&trunk, 5, &now, 6 + i, MB_KIN_PAST);
	}
	mb_history_branch(&now, UUID(100), 50);
	assert_kin(&trunk, 5, &now, 51, MB_KIN_APART);
}

/*
 * Legs
 */

static struct mb_superblock superblocks[MB_MAX_LEGS];
static const struct mb_superblock *legs[MB_MAX_LEGS];

static void make_legs(u32 copies, u32 nr)
{
	u32 i, leg;

	memset(legs, 0, sizeof(legs));
	for (i = 0; i < nr; i++) {
		superblocks[i] = (struct mb_superblock){
			.generation = 7,
			.incompat = MB_INCOMPAT_METADATA,
			.name = "vm",
			.leg = i,
			.shape = { MB_LAYOUT_NEAR, copies, nr, 128 },
			.length = (u64)nr * 128 * copies,
			.state = { .history = history_of(1) },
		};
		memcpy(superblocks[i].array_uuid, UUID(77), MB_UUID_BYTES);
		for (leg = 0; leg < nr; leg++) {
			memcpy(superblocks[i].legs[leg].uuid, UUID(200 + leg), MB_UUID_BYTES);
			superblocks[i].legs[leg].state = MB_LEG_IN_SYNC;
		}
		legs[i] = &superblocks[i];
	}
}

static void assert_judged(u32 nr, u32 in_sync, u32 behind, u32 lost)
{
	struct mb_assembly assembly;
	struct mb_error error;

	if (mb_assembly_judge(legs, nr, &assembly, &error))
		fail_msg("%s", error.text);
	assert_int_equal(assembly.in_sync, in_sync);
	assert_int_equal(assembly.behind, behind);
	assert_int_equal(assembly.lost, lost);
}

static void assert_refused(u32 nr, const char *part)
{
	struct mb_assembly assembly;
	struct mb_error error;

	assert_int_equal(mb_assembly_judge(legs, nr, &assembly, &error), -1);
	assert_contains(error.text, part);
}

static void test_all_there(void **state)
{
	make_legs(2, 4);
	assert_judged(4, 0xf, 0, 0);
	legs[2] = NULL;
	assert_judged(4, 0xb, 0, 0x4);
	legs[3] = NULL;
	assert_refused(4, "mask 0xc");
	memset(legs, 0, sizeof(legs));
	assert_refused(4, "no leg");
}

/* The power went while a superblock was being written: who has it and who has not are alike. */
static void test_half_written(void **state)
{
	make_legs(2, 2);
	superblocks[1].generation = 8;
	assert_judged(2, 0x3, 0, 0);
	superblocks[1].generation = 9;
	assert_judged(2, 0x2, 0x1, 0x1);
	/* It may have been the one by which leg 0 was failed. */
	superblocks[1].generation = 8;
	superblocks[1].legs[0].state = MB_LEG_FAILED;
	assert_judged(2, 0x2, 0x1, 0);
}

static void test_stale_legs(void **state)
{
	make_legs(3, 3);
	superblocks[0].generation = 20;
	superblocks[0].legs[1].state = MB_LEG_FAILED;
	superblocks[0].legs[2].state = MB_LEG_NOT_IN_SYNC;
	superblocks[2] = superblocks[0];
	superblocks[2].leg = 2;
	assert_judged(3, 0x1, 0x6, 0);
	/* A leg that was away cannot be alone and say that it is in sync, while the others are known. */
	legs[0] = NULL;
	assert_refused(3, "missing");
}

/* In the place of a leg there is another one, by its own word an old one of this array. */
static void test_replaced_leg(void **state)
{
	make_legs(2, 2);
	memcpy(superblocks[1].legs[1].uuid, UUID(999), MB_UUID_BYTES);
	superblocks[1].generation = 6;
	assert_judged(2, 0x1, 0x2, 0x2);
}

static void test_two_halves(void **state)
{
	make_legs(2, 2);
	mb_history_branch(&superblocks[0].state.history, UUID(2), 7);
	superblocks[0].generation = 8;
	superblocks[0].legs[1].state = MB_LEG_MISSING;
	assert_judged(2, 0x1, 0x2, 0);
	mb_history_branch(&superblocks[1].state.history, UUID(3), 7);
	superblocks[1].generation = 30;
	superblocks[1].legs[0].state = MB_LEG_MISSING;
	assert_refused(2, "legs 0 and 1 have each been used without the other");
}

/* That they count the same is chance if they say different things. */
static void test_same_number(void **state)
{
	make_legs(2, 2);
	superblocks[1].legs[0].state = MB_LEG_FAILED;
	assert_refused(2, "legs 0 and 1 have each been used without the other");
}

static void test_not_of_one_array(void **state)
{
	make_legs(2, 2);
	memcpy(superblocks[1].array_uuid, UUID(78), MB_UUID_BYTES);
	strcpy(superblocks[1].name, "other");
	assert_refused(2, "different arrays ('vm' and 'other')");
	make_legs(2, 2);
	superblocks[1].leg = 0;
	assert_refused(2, "leg 1 says that it is leg 0");
	make_legs(2, 2);
	superblocks[1].shape.chunk_sectors = 256;
	assert_refused(2, "disagree");
	make_legs(2, 2);
	superblocks[1].incompat |= MB_INCOMPAT_CREATING;
	assert_refused(2, "leg 1 is of an array whose creation was not finished");
}

/*
 * A world: an array is used, its legs fail, vanish and come back, the power goes at any moment, and whoever starts it
 * follows the rules. Acknowledged writes have numbers; a leg has seen all up to one of them, or is known to lack some.
 */

#define WORLD_LEGS 3

struct world {
	struct mb_superblock disk[WORLD_LEGS];	/* as they are on the legs */
	u32 seen[WORLD_LEGS];		/* bit mask of acknowledged writes, each in the history of some start */
	u32 plugged;			/* legs that can be found */
	u32 next_uuid;
};

/* A start: what it holds in memory. */
struct session {
	struct mb_superblock now;
	u32 used;		/* legs in sync */
};

static void write_superblock(struct world *world, const struct session *session, u32 leg)
{
	world->disk[leg] = session->now;
	world->disk[leg].leg = leg;
}

#define NO_LEG MB_MAX_LEGS

/*
 * Writes the superblock to the legs in sync, then to one more if there is one; or
 * to the first of them only, then the power goes.
 */
static bool write_superblocks(struct world *world, struct session *session, u32 one_more)
{
	u32 leg, left = random_below(8) ? MB_MAX_LEGS : random_below(WORLD_LEGS);

	session->now.generation++;
	for (leg = 0; leg < WORLD_LEGS && left; leg++)
		if (session->used & 1u << leg) {
			write_superblock(world, session, leg);
			left--;
		}
	if (one_more != NO_LEG && left) {
		write_superblock(world, session, one_more);
		left--;
	}
	return left;
}

static bool start_session(struct world *world, struct session *session, bool degraded)
{
	const struct mb_superblock *found[MB_MAX_LEGS] = { NULL };
	struct mb_assembly assembly;
	struct mb_error error;
	u32 leg;

	for (leg = 0; leg < WORLD_LEGS; leg++)
		found[leg] = world->plugged & 1u << leg ? &world->disk[leg] : NULL;
	if (mb_assembly_judge(found, WORLD_LEGS, &assembly, &error) || (assembly.lost && !degraded))
		return false;
	session->now = world->disk[assembly.newest];
	session->used = assembly.in_sync;
	for (leg = 0; leg < WORLD_LEGS; leg++)
		if (!(session->used & 1u << leg))
			session->now.legs[leg].state = world->plugged & 1u << leg ? MB_LEG_FAILED :
						       MB_LEG_MISSING;
	if (assembly.lost)
		mb_history_branch(&session->now.state.history, UUID(world->next_uuid++),
				  session->now.generation);
	return write_superblocks(world, session, NO_LEG);
}

/* All legs in use have seen the same: what reading any of them gives. */
static void check_session(const struct world *world, const struct session *session)
{
	u32 seen = 0, leg;

	for (leg = 0; leg < WORLD_LEGS; leg++)
		if (session->used & 1u << leg)
			seen = world->seen[leg];
	for (leg = 0; leg < WORLD_LEGS; leg++)
		if (session->used & 1u << leg)
			assert_int_equal(world->seen[leg], seen);
}

static void acknowledge(struct world *world, const struct session *session, u32 write)
{
	u32 leg;

	for (leg = 0; leg < WORLD_LEGS; leg++)
		if (session->used & 1u << leg)
			world->seen[leg] = world->seen[leg] * 31 + write;
}

/* A leg is told that it is not in sync, then one in sync is copied over it, then it is told that it is. */
static bool rebuild(struct world *world, struct session *session, u32 leg)
{
	memcpy(session->now.legs[leg].uuid, world->disk[leg].legs[leg].uuid, MB_UUID_BYTES);
	session->now.legs[leg].state = MB_LEG_NOT_IN_SYNC;
	if (!write_superblocks(world, session, leg))
		return false;
	world->seen[leg] = ~0u;
	if (!random_below(4))
		return false;
	world->seen[leg] = world->seen[__builtin_ctz(session->used)];
	session->now.legs[leg].state = MB_LEG_IN_SYNC;
	if (!write_superblocks(world, session, leg))
		return false;
	session->used |= 1u << leg;
	return true;
}

static bool live_on(struct world *world, struct session *session)
{
	u32 leg = random_below(WORLD_LEGS), bit = 1u << leg;

	switch (random_below(5)) {
	case 0:
		if (session->used == bit || !(session->used & bit))
			return true;
		session->used &= ~bit;
		session->now.legs[leg].state = MB_LEG_FAILED;
		return write_superblocks(world, session, NO_LEG);
	case 1:
		if (session->used & bit || !(world->plugged & bit))
			return true;
		return rebuild(world, session, leg);
	default:
		acknowledge(world, session, random_below(1000));
		return true;
	}
}

static void test_world(void **state)
{
	u32 round, starts = 0, i;

	random_restart();
	for (round = 0; round < 3000; round++) {
		struct world world = { .plugged = (1u << WORLD_LEGS) - 1, .next_uuid = 1000 };
		u32 leg;

		make_legs(WORLD_LEGS, WORLD_LEGS);
		memcpy(world.disk, superblocks, sizeof(world.disk));
		for (i = 0; i < 12; i++) {
			struct session session;
			bool alive;

			for (leg = 0; leg < WORLD_LEGS; leg++)
				world.plugged = (world.plugged & ~(1u << leg)) | (u32)(random_below(4) > 0) << leg;
			alive = start_session(&world, &session, random_below(2));
			while (alive && random_below(6)) {
				check_session(&world, &session);
				starts++;
				alive = live_on(&world, &session);
			}
		}
	}
	assert_true(starts > 3000);
}

static void test_states_are_noted(void **state)
{
	struct mb_superblock *superblock = &superblocks[0];

	make_legs(2, 4);
	superblock->legs[1].rebuilding = true;
	superblock->legs[2].rebuilding = true;
	mb_assembly_note_states(superblock, 0x7, 0x3);
	assert_int_equal(superblock->legs[0].state, 'A');
	assert_int_equal(superblock->legs[1].state, 'A');
	assert_false(superblock->legs[1].rebuilding);
	assert_int_equal(superblock->legs[2].state, 'D');
	assert_true(superblock->legs[2].rebuilding);
	assert_int_equal(superblock->legs[3].state, '-');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states_are_noted),
		cmocka_unit_test(test_one_history),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_forgotten_history),
		cmocka_unit_test(test_all_there),
		cmocka_unit_test(test_half_written),
		cmocka_unit_test(test_stale_legs),
		cmocka_unit_test(test_replaced_leg),
		cmocka_unit_test(test_two_halves),
		cmocka_unit_test(test_same_number),
		cmocka_unit_test(test_not_of_one_array),
		cmocka_unit_test(test_world),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
