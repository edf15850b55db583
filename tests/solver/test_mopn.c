/* Multiple-outcome proof-number search: the worked example, the reduction to PN search, values by backward induction,
 * fewer expansions than the PN searches that find the same values. */
#include "solver/mopn.h"

#include <stdio.h>
#include <string.h>

#include "solver/tree_search.h"
#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/graph.h"
#include "tests/support/suite.h"
#include "tests/support/trees.h"

enum { EXPANSIONS_MAX = 4 * TREES_NODES_MAX };

/* A search alone, without a solver. */
struct rig {
	const struct game *game;
	struct pn_options options;
	struct fact_buffer facts;
	int16_t lo, hi;
	struct mopn *mopn;
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
};

/* Begins a search for the claim, or for the value by way of that claim. */
static void rig_init(struct rig *r, const struct game *game, bool value, int threshold)
{
	memset(r, 0, sizeof *r);
	r->game = game;
	r->lo = game->value_min;
	r->hi = game->value_max;
	pn_options_init(&r->options);
	r->options.mobility = false;
	r->options.detail = PN_FULL;
	fact_buffer_init(&r->facts);
	r->mopn = (void *)pn_engine_mopn.create(&(struct pn_engine_setup){
		.game = game,
		.options = &r->options,
		.facts = &r->facts,
		.level1_bytes = 1 << 20,
		.lo = value ? &r->lo : NULL,
		.hi = value ? &r->hi : NULL,
	});
	ck_assert_ptr_nonnull(r->mopn);
	struct question q = question_of(game, threshold);
	game->rules->start(game, r->root);
	ck_assert(pn_engine_mopn.start(&r->mopn->top.engine, &q, r->root));
}

static void rig_fini(struct rig *r)
{
	pn_engine_mopn.destroy(&r->mopn->top.engine);
	fact_buffer_fini(&r->facts);
}

/* The node expanded, a state of andor. */
static uint32_t rig_expand(struct rig *r)
{
	struct tree *tree = &r->mopn->top.tree;
	uint32_t node;
	mopn_descend(r->mopn);
	memcpy(&node, tree_state(tree, tree->depth), sizeof node);
	ck_assert(mopn_expand(r->mopn));
	return node;
}

static bool rig_is_solved(const struct rig *r)
{
	for (unsigned i = 0; i < r->mopn->count; i++)
		if (!num_solved(mopn_pair(r->mopn, TREE_ROOT, i)))
			return false;
	return true;
}

/* The value of a solved root. */
static int rig_value(const struct rig *r)
{
	int value = r->game->value_min;
	for (unsigned i = 0; i < r->mopn->count; i++)
		if (mopn_pair(r->mopn, TREE_ROOT, i)[0] == 0 && r->mopn->question[i].threshold > value)
			value = r->mopn->question[i].threshold;
	return value;
}

/* --- the worked example --------------------------------------------------------------------- */

/* Compares the root's numbers with G and S of the outcomes 0, 1, 2; UINT32_MAX stands for infinite. */
static void check_root(const struct rig *r, const uint32_t g[3], const uint32_t s[3])
{
	ck_assert_uint_eq(g[0], 0);
	ck_assert_uint_eq(s[2], 0);
	for (unsigned i = 0; i < 2; i++) {
		int threshold = r->mopn->question[i].threshold;
		const uint32_t *num = mopn_pair(r->mopn, TREE_ROOT, i);
		ck_assert_uint_eq(num[0] < PN_INF ? num[0] : UINT32_MAX, g[threshold]);
		ck_assert_uint_eq(num[1] < PN_INF ? num[1] : UINT32_MAX, s[threshold - 1]);
	}
}

START_TEST(the_worked_example)
{
	static const uint32_t g[4][3] = {{0, 1, 1}, {0, 1, 1}, {0, 1, 1}, {0, 0, UINT32_MAX}},
			      s[4][3] = {{2, 2, 0}, {2, 1, 0}, {2, 1, 0}, {UINT32_MAX, 0, 0}};
	static const char *const names[] = {"root", "left", "right", "inner-right"};
	struct graph_maker m;
	struct rig r;
	graph_begin(&m, 0, 2);
	graph_node(&m, "root", true, "left right");
	graph_node(&m, "left", false, "draw1 inner-left");
	graph_node(&m, "inner-left", true, "win1 loss1");
	graph_node(&m, "right", false, "inner-right win2");
	graph_node(&m, "inner-right", true, "loss2 draw2");
	graph_leaf(&m, "draw1", 1);
	graph_leaf(&m, "draw2", 1);
	graph_leaf(&m, "win1", 2);
	graph_leaf(&m, "win2", 2);
	graph_leaf(&m, "loss1", 0);
	graph_leaf(&m, "loss2", 0);
	struct game *game = graph_game(graph_end(&m));
	for (int asked = 1; asked <= 2; asked++) {
		rig_init(&r, game, true, asked);
		ck_assert_uint_eq(r.mopn->count, 2);
		for (unsigned i = 0; i < 4; i++) {
			char name[64];
			uint32_t node = rig_expand(&r);
			game->rules->print(game, &node, name, sizeof name);
			if (i < 2)
				ck_assert_str_eq(name, names[i]);
			check_root(&r, g[i], s[i]);
		}
		ck_assert(rig_is_solved(&r));
		ck_assert_int_eq(rig_value(&r), 1);
		rig_fini(&r);
	}
	game_close(game);
}
END_TEST

/* --- random trees --------------------------------------------------------------------------- */

/* PN search of a claim; the nodes expanded, in order. Returns how many. */
static unsigned search_pn(const struct game *game, int threshold, uint32_t *order)
{
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	struct tree tree;
	struct tree_options o = {0};
	struct question q = question_of(game, threshold);
	unsigned count = 0;
	ck_assert(tree_init(&tree, game, 1 << 20, &o));
	game->rules->start(game, root);
	tree_start(&tree, &q, root, UINT64_MAX);
	while (!num_solved(tree_numbers(&tree))) {
		tree_descend(&tree);
		ck_assert_uint_lt(count, EXPANSIONS_MAX);
		memcpy(&order[count++], tree_state(&tree, tree.depth), sizeof *order);
		ck_assert(tree_expand(&tree));
		tree_ascend(&tree);
	}
	tree_fini(&tree);
	return count;
}

START_TEST(with_two_outcomes_it_is_pn)
{
	static uint32_t order[EXPANSIONS_MAX];
	uint64_t random = 31;
	for (unsigned i = 0; i < effort_of(2000, 50); i++) {
		struct game *game = trees_random(&random);
		unsigned count = search_pn(game, 1, order);
		struct rig r;
		rig_init(&r, game, false, 1);
		ck_assert_uint_eq(r.mopn->count, 1);
		for (unsigned j = 0; j < count; j++) {
			ck_assert(!rig_is_solved(&r));
			ck_assert_uint_eq(rig_expand(&r), order[j]);
		}
		ck_assert(rig_is_solved(&r));
		rig_fini(&r);
		game_close(game);
	}
}
END_TEST

START_TEST(values_are_those_of_induction_with_fewer_expansions)
{
	static uint32_t order[EXPANSIONS_MAX];
	uint64_t random = 32;
	unsigned values = (unsigned)_i, mopn = 0, pn = 0;
	for (unsigned i = 0; i < effort_of(2000, 50); i++) {
		struct game *game = trees_random_of(&random, values);
		struct rig r;
		rig_init(&r, game, true, 1);
		ck_assert_uint_eq(r.mopn->count, values - 1);
		for (; !rig_is_solved(&r); mopn++)
			rig_expand(&r);
		int value = graph_value(game, r.root);
		ck_assert_int_eq(rig_value(&r), value);
		if (value > game->value_min)
			pn += search_pn(game, value, order);
		if (value < game->value_max)
			pn += search_pn(game, value + 1, order);
		rig_fini(&r);
		game_close(game);
	}
	printf("%u outcomes: %u expansions, PN searches %u\n", values, mopn, pn);
	ck_assert_uint_lt(mopn, pn);
}
END_TEST

/* --- by the solver -------------------------------------------------------------------------- */

/* The facts of a value question hold all bounds of the root, and each is justified, whichever details are kept. */
START_TEST(one_run_gives_the_facts_of_all_claims)
{
	uint64_t random = 33;
	for (unsigned i = 0; i < effort_of(300, 30); i++) {
		struct game *game = trees_random_of(&random, 3 + i % 3);
		struct pn_solver *solver;
		struct pn_options o;
		struct pd_claim claim;
		struct pd_fail fail;
		struct factbase base;
		struct pn_answer answer;
		_Alignas(16) uint8_t root[GAME_STATE_MAX];
		unsigned leaves;
		pn_options_init(&o);
		o.algorithm = PN_MOPN;
		o.detail = i % 2 ? PN_FULL : PN_FRONTIER;
		o.memory = 1 << 20;
		game->rules->start(game, root);
		int value = graph_value(game, root);
		ck_assert(!pd_claim_parse("value", &claim, &fail));
		ck_assert(!pn_solver_new(
			&(struct pn_solver_setup){.game = game, .root = root, .claim = &claim, .options = &o}, &solver,
			&fail));
		factbase_init(&base);
		ck_assert_int_eq(solve_all(solver, 1 + i % 7, &base), PN_ANSWERED);
		pn_solver_answer(solver, &answer);
		ck_assert_int_eq(answer.lo, value);
		ck_assert_int_eq(answer.hi, value);
		ck_assert_uint_eq(factbase_check(&base, game, &leaves) + base.conflicts, 0);
		uint8_t key[GAME_KEY_MAX];
		struct pd_fact fact;
		pd_fact_init(&fact);
		ck_assert(factbase_get(&base, key, game->rules->key(game, root, key), &fact));
		ck_assert(value == game->value_min || pd_fact_find(&fact, PD_LO, value));
		ck_assert(value == game->value_max || pd_fact_find(&fact, PD_HI, value));
		pd_fact_fini(&fact);
		factbase_fini(&base);
		pn_solver_free(solver);
		game_close(game);
	}
}
END_TEST

SUITE(mopn)
{
	tcase_add_test(c, the_worked_example);
	tcase_add_test(c, with_two_outcomes_it_is_pn);
	tcase_add_loop_test(c, values_are_those_of_induction_with_fewer_expansions, 3, 5);
	tcase_add_test(c, one_run_gives_the_facts_of_all_claims);
}
