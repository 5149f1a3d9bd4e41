// SPDX-License-Identifier: GPL-2.0-only
#include "number.h"
#include "rig.h"
#include "unit.h"

/* Whole stripes for every shape used here, and room for readers far apart. */
#define RIG_ROWS 3600

void rig_split_words(struct rig_words *words, const char *text)
{
	char *word, *rest;

	assert_true(strlen(text) < sizeof(words->text));
	strcpy(words->text, text);
	words->count = 0;
	for (word = strtok_r(words->text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		assert_true(words->count < RIG_MAX_WORDS);
		words->word[words->count++] = word;
	}
}

void rig_start(struct rig *rig, const char *name, u32 legs, u32 chunk_sectors,
	       const struct mb_policy_ops *ops, const char *args)
{
	struct mb_shape shape = { .legs = legs, .chunk_sectors = chunk_sectors };
	struct mb_policy_array array = { .layout = &rig->layout };
	struct mb_error error = { .text = "" };
	struct rig_words words;
	u64 copies, length;

	memset(rig, 0, sizeof(*rig));
	assert_true(mb_layout_kind(name[0], &shape.kind));
	assert_true(mb_number_parse(name + 1, MB_MAX_LEGS, &copies));
	shape.copies = copies;
	length = mb_shape_capacity(&shape, (u64)RIG_ROWS * chunk_sectors);
	if (mb_layout_init(&rig->layout, &shape, length, &error))
		fail_msg("%s", error.text);

	rig->ops = ops;
	rig->readable = (1u << legs) - 1;
	rig->depth = 1;
	rig->config = calloc(1, ops->config_size + 1);
	rig->state = calloc(1, ops->state_size + 1);
	assert_non_null(rig->config);
	assert_non_null(rig->state);
	rig_split_words(&words, args);
	if (mb_policy_configure(ops, rig->config, &rig->layout, words.count, words.word, &error))
		fail_msg("%s", error.text);
	if (ops->init_state)
		ops->init_state(rig->config, &array, rig->state);
}

void rig_set_rotational(struct rig *rig, u32 legs)
{
	struct mb_policy_array array = { .layout = &rig->layout, .rotational_legs = legs };
	u32 leg;

	for (leg = 0; leg < rig->layout.shape.legs; leg++)
		rig->views[leg].rotational = legs & 1u << leg;
	memset(rig->state, 0, rig->ops->state_size);
	if (rig->ops->init_state)
		rig->ops->init_state(rig->config, &array, rig->state);
}

void rig_stop(struct rig *rig)
{
	free(rig->config);
	free(rig->state);
}

static void complete_one(struct rig *rig)
{
	rig->views[rig->queue[rig->oldest]].in_flight_here--;
	rig->oldest = (rig->oldest + 1) % RIG_MAX_DEPTH;
	rig->queued--;
}

/* A read as a policy sees it; the candidates that it points to are @candidates. */
static struct mb_read gather(const struct rig *rig, struct mb_place *candidates, u64 sector,
			     u32 sectors)
{
	struct mb_place places[MB_MAX_LEGS];
	struct mb_read read = {
		.sector = sector,
		.sectors = sectors,
		.ms = rig->ms,
		.candidates = candidates,
		.views = rig->views,
	};
	u32 copy;

	assert_true(sectors <= mb_layout_contiguous(&rig->layout, sector));
	mb_layout_map(&rig->layout, sector, places);
	read.first_leg = places[0].leg;
	for (copy = 0; copy < rig->layout.shape.copies; copy++)
		if (rig->readable & 1u << places[copy].leg)
			candidates[read.nr_candidates++] = places[copy];
	assert_true(read.nr_candidates > 0);
	return read;
}

u32 rig_cut(struct rig *rig, u64 sector, u32 sectors)
{
	struct mb_place candidates[MB_MAX_LEGS] = { 0 };
	struct mb_read read = gather(rig, candidates, sector, sectors);

	return rig->ops->cut(rig->config, rig->state, &read);
}

u32 rig_read(struct rig *rig, u64 sector, u32 sectors)
{
	struct mb_place candidates[MB_MAX_LEGS] = { 0 };
	struct mb_read read;
	u32 leg, choice = 0;

	while (rig->queued >= rig->depth)
		complete_one(rig);
	read = gather(rig, candidates, sector, sectors);

	/* As in the module, a policy is asked only where there is a choice. */
	if (read.nr_candidates > 1)
		choice = rig->ops->select(rig->config, rig->state, &read);
	assert_true(choice < read.nr_candidates);
	leg = candidates[choice].leg;
	rig->views[leg].last_end = candidates[choice].sector + sectors;
	rig->reads[leg]++;
	rig->views[leg].in_flight_here++;
	rig->queue[(rig->oldest + rig->queued++) % RIG_MAX_DEPTH] = leg;
	return leg;
}

void rig_finish(struct rig *rig)
{
	while (rig->queued)
		complete_one(rig);
}

void rig_reset_counts(struct rig *rig)
{
	memset(rig->reads, 0, sizeof(rig->reads));
}

u32 rig_imbalance(const struct rig *rig)
{
	u64 most = 0, fewest = ~0ull, sum = 0;
	u32 legs = rig->layout.shape.legs, leg;

	for (leg = 0; leg < legs; leg++) {
		sum += rig->reads[leg];
		if (rig->reads[leg] > most)
			most = rig->reads[leg];
		if (rig->reads[leg] < fewest)
			fewest = rig->reads[leg];
	}
	assert_true(sum > 0);
	return (most - fewest) * 1000 * legs / sum;
}
