/* One ply down (solver/one_ply.h): random true facts, with ranks that are too large by some plies, at random positions
 * of small games whose truth is known by retrograde analysis. What one ply down makes of them is true, has no rank that
 * is too small, and is not weaker than any move. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/one_ply.h"
#include "solver/solver.h"
#include "tests/support/cyclic.h"
#include "tests/support/effort.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { POSITIONS_MAX = 20000, VALUES_MAX = 32 };

struct world {
	const struct game *game;
	struct retro *retro;
	unsigned claim[VALUES_MAX]; /* of "First gets at least value_min + (i + 1) * value_step" */
	unsigned values;            /* claims */
	struct pd_fact *facts;      /* of each position */
};

static int threshold_of(const struct world *w, unsigned i)
{
	return w->game->value_min + (int)(i + 1) * w->game->value_step;
}

/* The bound that claim i gives there when it holds, or is refuted; *distance as retro_holds_at. */
static struct pd_reason truth_of(const struct world *w, uint32_t index, unsigned i, unsigned *distance)
{
	bool holds = retro_holds_at(w->retro, w->claim[i], index, distance);
	int bound = holds ? threshold_of(w, i) : threshold_of(w, i) - w->game->value_step;
	return (struct pd_reason){.bound = (int16_t)bound, .side = holds ? PD_LO : PD_HI, .move = PD_NO_MOVE};
}

static void add_random_facts(struct world *w, uint64_t *seed)
{
	for (uint32_t at = 0; at < retro_positions(w->retro); at++) {
		pd_fact_init(&w->facts[at]);
		if (retro_over(w->retro, at))
			continue;
		for (unsigned i = 0; i < w->values; i++) {
			unsigned distance;
			struct pd_reason r = truth_of(w, at, i, &distance);
			bool ranked = pn_bound_ranked(w->game, r.side, r.bound);
			if (walk_below(seed, 3) || (ranked && distance == RETRO_NEVER))
				continue;
			r.rank = ranked ? (uint16_t)(distance + walk_below(seed, 4)) : PD_RANK_NONE;
			r.effort = walk_below(seed, 2) ? 1 + walk_below(seed, 50) : 0;
			r.job = 1 + walk_below(seed, 9);
			ck_assert_ptr_null(pn_reason_wrong(w->game, &r));
			ck_assert_int_ge(pd_fact_add(&w->facts[at], &r), 0);
		}
	}
}

/* The reason is true there, and its rank is not below the distance. */
static void assert_reason_true(const struct world *w, uint32_t at, const struct pd_reason *r)
{
	unsigned i = 0, distance;
	int threshold = r->side == PD_LO ? r->bound : r->bound + w->game->value_step;
	while (threshold_of(w, i) != threshold)
		i++;
	ck_assert_uint_lt(i, w->values);
	ck_assert_int_eq(retro_holds_at(w->retro, w->claim[i], at, &distance), r->side == PD_LO);
	ck_assert_ptr_null(pn_reason_wrong(w->game, r));
	if (pn_bound_ranked(w->game, r->side, r->bound))
		ck_assert_uint_ge(r->rank, distance);
	else
		ck_assert_uint_eq(r->rank, PD_RANK_NONE);
}

/* Its move leads to the bound, as far as what is known there says: of a reason that came from there. */
static void assert_move_leads(const struct world *w, const void *state, const struct pd_reason *r)
{
	const struct game *g = w->game;
	struct walk_state child;
	game_move move;
	ck_assert(game_legal_from_key(g, state, r->move, &move));
	memcpy(child.bytes, state, g->state_size);
	g->rules->play(g, child.bytes, move);
	uint32_t below = retro_find(w->retro, child.bytes);
	int value;
	if (g->rules->terminal(g, child.bytes, &value)) {
		ck_assert(r->side == PD_LO ? value >= r->bound : value <= r->bound);
		ck_assert(r->effort || r->rank == (pn_bound_ranked(g, r->side, r->bound) ? 1 : PD_RANK_NONE));
		return;
	}
	const struct pd_reason *found = pd_fact_find(&w->facts[below], r->side, r->bound);
	ck_assert_ptr_nonnull(found);
	ck_assert(r->rank == PD_RANK_NONE || found->rank < r->rank || r->effort);
}

/* What a move gives a side, as rank of a bound; false: it does not. */
static bool gives(const struct world *w, const void *child, enum pd_side side, int bound, unsigned *rank)
{
	int value;
	*rank = 0;
	if (w->game->rules->terminal(w->game, child, &value))
		return side == PD_LO ? value >= bound : value <= bound;
	const struct pd_reason *r = pd_fact_find(&w->facts[retro_find(w->retro, child)], side, bound);
	*rank = r ? r->rank : 0;
	return r != NULL;
}

/* For each bound: what the moves give, by the plainest definition. */
static void assert_whole(const struct world *w, const void *state, const struct pd_fact *known)
{
	const struct game *g = w->game;
	game_move moves[GAME_MOVES_MAX];
	struct walk_state child;
	unsigned count = g->rules->moves(g, state, moves);
	bool first = g->rules->first_to_move(g, state);
	for (unsigned i = 0; i < 2 * w->values; i++) {
		enum pd_side side = i < w->values ? PD_LO : PD_HI;
		int bound = i < w->values ? threshold_of(w, i) : threshold_of(w, i - w->values) - g->value_step;
		bool own = first == (side == PD_LO);
		unsigned best = PD_RANK_NONE, worst = 0, rank, giving = 0;
		for (unsigned m = 0; m < count; m++) {
			memcpy(child.bytes, state, g->state_size);
			g->rules->play(g, child.bytes, moves[m]);
			if (!gives(w, child.bytes, side, bound, &rank))
				continue;
			giving++;
			best = rank < best ? rank : best;
			worst = rank > worst ? rank : worst;
		}
		if (own ? !giving : giving < count)
			continue;
		const struct pd_reason *r = pd_fact_find(known, side, bound);
		ck_assert_ptr_nonnull(r);
		if (pn_bound_ranked(g, side, bound))
			ck_assert_uint_le(r->rank, 1 + (own ? best : worst));
	}
}

/* Every position with its fact. Returns how many reasons came from below. */
static unsigned look_at_all(struct world *w)
{
	const struct game *g = w->game;
	struct walk_state state, child;
	game_move moves[GAME_MOVES_MAX];
	unsigned gained = 0;
	for (uint32_t at = 0; at < retro_positions(w->retro); at++) {
		struct pd_fact known = {0};
		struct pn_one_ply look;
		struct pd_fail fail;
		if (retro_over(w->retro, at))
			continue;
		retro_state(w->retro, at, state.bytes);
		ck_assert(pd_fact_copy(&known, &w->facts[at]));
		unsigned count = g->rules->moves(g, state.bytes, moves);
		pn_one_ply_begin(&look, g, state.bytes, &known);
		for (unsigned i = 0; i < count; i++) {
			memcpy(child.bytes, state.bytes, g->state_size);
			g->rules->play(g, child.bytes, moves[i]);
			pn_one_ply_move(&look, moves[i], child.bytes, &w->facts[retro_find(w->retro, child.bytes)]);
		}
		ck_assert_msg(!pn_one_ply_end(&look, &fail), "%s", fail.text);
		for (uint32_t i = 0; i < known.count; i++) {
			const struct pd_reason *r = &pd_fact_reasons(&known)[i];
			assert_reason_true(w, at, r);
			if (r->move != PD_NO_MOVE)
				assert_move_leads(w, state.bytes, r);
			gained += r->move != PD_NO_MOVE;
		}
		assert_whole(w, state.bytes, &known);
		pd_fact_fini(&known);
	}
	return gained;
}

static unsigned try_world(const struct game *g, unsigned rounds, uint64_t *seed)
{
	struct world w = {.game = g, .retro = retro_new(g, POSITIONS_MAX)};
	struct walk_state start;
	unsigned gained = 0;
	g->rules->start(g, start.bytes);
	ck_assert(retro_add(w.retro, start.bytes));
	w.values = (unsigned)((g->value_max - g->value_min) / g->value_step);
	ck_assert_uint_le(w.values, VALUES_MAX);
	for (unsigned i = 0; i < w.values; i++)
		w.claim[i] = retro_solve(w.retro, threshold_of(&w, i));
	w.facts = calloc(retro_positions(w.retro), sizeof *w.facts);
	for (unsigned round = 0; round < rounds; round++) {
		add_random_facts(&w, seed);
		gained += look_at_all(&w);
		for (uint32_t at = 0; at < retro_positions(w.retro); at++)
			pd_fact_fini(&w.facts[at]);
	}
	free(w.facts);
	retro_free(w.retro);
	return gained;
}

START_TEST(what_one_ply_tells_is_true_and_whole)
{
	static const char *const games[] = {"mnk:3,3,3",        "dots:2x1",     "dots:1x3",       "atari-go:2x2",
					    "breakthrough:2x4", "connect4:3x3", "domineering:3x3"};
	uint64_t seed = walk_seed("one ply", 4);
	unsigned gained = 0;
	for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
		struct game *g;
		ck_assert(!game_open(games[i], NULL, &g, NULL));
		gained += try_world(g, effort_of(20, 1), &seed);
		game_close(g);
	}
	ck_assert_uint_gt(gained, 500);
}
END_TEST

START_TEST(also_where_positions_come_back)
{
	uint64_t seed = walk_seed("one ply, cycles", 7);
	unsigned gained = 0, graphs = effort_of(400, 20);
	for (unsigned i = 0; i < graphs; i++) {
		struct game *g = cyclic_game(seed + i);
		gained += try_world(g, 3, &seed);
		game_close(g);
	}
	ck_assert_uint_gt(gained, graphs);
}
END_TEST

START_TEST(facts_that_contradict_each_other_are_an_error)
{
	struct game *g;
	struct walk_state state, child;
	struct pn_one_ply look;
	struct pd_fail fail = {0};
	struct pd_fact known = {0};
	game_move move;
	ck_assert(!game_open("mnk:3,3,3", NULL, &g, NULL));
	ck_assert(!g->rules->parse(g, "a1 a2 b1 b2", state.bytes, NULL)); /* First wins with c1 */
	const struct pd_reason lie = {.side = PD_HI, .bound = 0, .rank = 3, .move = PD_NO_MOVE};
	ck_assert_int_eq(pd_fact_add(&known, &lie), 1);
	ck_assert(!g->rules->move_parse(g, state.bytes, "c1", &move, NULL));
	memcpy(child.bytes, state.bytes, g->state_size);
	g->rules->play(g, child.bytes, move);
	pn_one_ply_begin(&look, g, state.bytes, &known);
	pn_one_ply_move(&look, move, child.bytes, NULL);
	ck_assert_int_eq(pn_one_ply_end(&look, &fail), PD_E_CORRUPT);
	ck_assert_msg(strstr(fail.text, "a1 a2 b1 b2") || strstr(fail.text, "contradict"), "%s", fail.text);
	pd_fact_fini(&known);
	game_close(g);
}
END_TEST

SUITE(one_ply)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, what_one_ply_tells_is_true_and_whole);
	tcase_add_test(c, also_where_positions_come_back);
	tcase_add_test(c, facts_that_contradict_each_other_are_an_error);
}
