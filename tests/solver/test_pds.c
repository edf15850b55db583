/* Level 1 behaves as published: the worked example of van den Herik and Winands 2008, figure 2, step by step; the
 * budget's fraction function; P3 with tables far too small. */
#include "solver/pds.h"
#include "solver/pds_policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/graph.h"
#include "tests/support/suite.h"

struct bench {
	struct game *game;
	struct pn_options options;
	struct tt tt;
	struct fact_buffer facts;
	struct search_group group;
	struct pds *pds; /* owned */
};

/* The survey's graph: A is OR with the AND children B (4 children) and C (2 children). Below them nothing is decided
 * for two more plies. */
static struct pd_graph *survey_graph(void)
{
	struct graph_maker m;
	graph_begin(&m, -1, 1);
	graph_node(&m, "A", true, "B C");
	graph_node(&m, "B", false, "B1 B2 B3 B4");
	graph_node(&m, "C", false, "C1 C2");
	const char *const leaves[] = {"B1", "B2", "B3", "B4", "C1", "C2"};
	for (unsigned i = 0; i < 6; i++) {
		char children[64], child[16];
		snprintf(children, sizeof children, "%sx %sy", leaves[i], leaves[i]);
		graph_node(&m, leaves[i], true, children);
		for (unsigned j = 0; j < 2; j++) {
			snprintf(child, sizeof child, "%s%c", leaves[i], "xy"[j]);
			snprintf(children, sizeof children, "%sw %sl", child, child);
			graph_node(&m, child, false, children);
			snprintf(children, sizeof children, "%sw", child);
			graph_leaf(&m, children, 1);
			snprintf(children, sizeof children, "%sl", child);
			graph_leaf(&m, children, -1);
		}
	}
	return graph_end(&m);
}

static void bench_init(struct bench *b, bool published)
{
	memset(b, 0, sizeof *b);
	b->game = graph_game(survey_graph());
	pn_options_init(&b->options);
	b->options.algorithm = PN_PDS;
	ck_assert(tt_init(&b->tt, 1 << 16, published));
	fact_buffer_init(&b->facts);
	b->pds = (void *)pn_engine_pds.create(&(struct pn_engine_setup){
		.game = b->game,
		.options = &b->options,
		.tt = &b->tt,
		.facts = &b->facts,
		.group = &b->group,
		.policy = published ? &pds_policy_paper : &pds_policy_pds,
	});
	ck_assert_ptr_nonnull(b->pds);
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	b->game->rules->start(b->game, root);
	struct question q = question_of(b->game, 1);
	ck_assert(pn_engine_pds.start(&b->pds->engine, &q, root));
}

static void bench_fini(struct bench *b)
{
	pn_engine_pds.destroy(&b->pds->engine);
	fact_buffer_fini(&b->facts);
	tt_fini(&b->tt);
	game_close(b->game);
}

/* Searches until one more node is expanded. */
static void expand_one(struct bench *b)
{
	uint64_t nodes = 1;
	ck_assert_int_eq(pn_engine_pds.run(&b->pds->engine, &nodes), PN_ENGINE_MORE);
	ck_assert_uint_eq(nodes, 0);
}

static struct pn_entry entry_of(struct bench *b, const char *name)
{
	struct pn_entry entry;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	ck_assert_int_eq(b->game->rules->parse(b->game, name, state, &fail), 0);
	struct question q = question_of(b->game, 1);
	ck_assert(tt_get(&b->tt, question_claim_id(&q, question_position_id(&q, state)), &entry));
	return entry;
}

static void assert_numbers(const uint32_t num[2], uint32_t pn, uint32_t dn)
{
	ck_assert_uint_eq(num[0], pn);
	ck_assert_uint_eq(num[1], dn);
}

/* The root's numbers as the frames have them now. */
static void assert_root(struct bench *b, uint32_t pn, uint32_t dn)
{
	uint32_t num[2];
	game_move leading;
	pn_engine_pds.numbers(&b->pds->engine, num, &leading);
	assert_numbers(num, pn, dn);
}

/* The position in work at a depth, by name. */
static void assert_at(struct bench *b, uint32_t depth, const char *name)
{
	char text[GAME_TEXT_MAX];
	ck_assert_uint_eq(b->pds->depth, depth);
	b->game->rules->print(b->game, b->pds->states + depth * b->pds->stride, text, sizeof text);
	ck_assert_str_eq(text, name);
}

START_TEST(the_worked_example_goes_as_published)
{
	struct bench b;
	bench_init(&b, _i == 1);
	/* Iteration 1, thresholds (1, 1): A is expanded. */
	assert_at(&b, 0, "A");
	assert_numbers(b.pds->frames[0].t, 1, 1);
	/* It is left with (1, 2); iteration 2 raises the proof threshold to 2. B is the left-most of a tie, judged
	 * proof-like: (2, 1). */
	expand_one(&b);
	assert_numbers(b.pds->root.num, 1, 2);
	assert_numbers(b.pds->frames[0].t, 2, 2);
	assert_at(&b, 1, "B");
	assert_numbers(b.pds->frames[1].t, 2, 1);
	/* B comes back with (4, 1); now C has the smallest proof number and gets (2, 1). */
	expand_one(&b);
	assert_numbers(entry_of(&b, "B").num, 4, 1);
	assert_at(&b, 1, "C");
	assert_numbers(b.pds->frames[1].t, 2, 1);
	/* C comes back with (2, 1), and A ends the iteration with (2, 2). Iteration 3 raises the proof threshold to 3
	 * and selects C. */
	expand_one(&b);
	assert_numbers(entry_of(&b, "C").num, _i == 1 ? 3 : 2, 1);
	assert_numbers(b.pds->root.num, 2, 2);
	assert_numbers(b.pds->frames[0].t, 3, 2);
	assert_at(&b, 1, "C");
	bench_fini(&b);
}
END_TEST

START_TEST(df_pn_gives_the_largest_thresholds_that_keep_a_child_the_best)
{
	/* The same graph. With epsilon 0 one is added to the runner-up, with 1 it is doubled. */
	struct bench b;
	bench_init(&b, false);
	b.pds->policy = &pds_policy_dfpn;
	b.options.epsilon = _i;
	b.options.mobility = false;
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	b.game->rules->start(b.game, root);
	struct question q = question_of(b.game, 1);
	ck_assert(pn_engine_pds.start(&b.pds->engine, &q, root));
	assert_at(&b, 0, "A");
	assert_numbers(b.pds->frames[0].t, PN_INF, PN_INF);
	assert_root(&b, 1, 2);
	/* B and C are alike; B is given up when it costs more than C, and may spend all that C leaves. */
	expand_one(&b);
	assert_at(&b, 1, "B");
	assert_numbers(b.pds->frames[1].t, 2, PN_INF - 1);
	assert_root(&b, 1, 2);
	/* B comes back with (4, 1). C may now cost as much, and one more. */
	expand_one(&b);
	assert_numbers(entry_of(&b, "B").num, 4, 1);
	assert_at(&b, 1, "C");
	const uint32_t own = _i ? 8 : 5;
	assert_numbers(b.pds->frames[1].t, own, PN_INF - 1);
	assert_root(&b, 2, 2);
	/* C has (2, 1) and is not left: C1 is the first of two equals, and C2 costs 1 of the 5. */
	expand_one(&b);
	assert_at(&b, 2, "C1");
	assert_numbers(b.pds->frames[2].t, own - 1, 2);
	/* C1 has (1, 2) and is given up for C2. */
	expand_one(&b);
	assert_numbers(entry_of(&b, "C1").num, 1, 2);
	assert_at(&b, 2, "C2");
	assert_numbers(b.pds->frames[2].t, own - 1, _i ? 4 : 3);
	assert_root(&b, 2, 3);
	/* C2 has (1, 2) too, and its allowance lets it go on. */
	expand_one(&b);
	assert_at(&b, 3, "C2x");
	assert_numbers(b.pds->frames[3].t, 2, _i ? 3 : 2);
	bench_fini(&b);
}
END_TEST

START_TEST(the_fraction_function_gives_the_published_curve)
{
	static const struct {
		double x, y;
	} curve[] = {{1000, 182}, {10000, 1874}, {100000, 23745}, {200000, 60588}, {450000, 225000}};
	for (unsigned i = 0; i < sizeof curve / sizeof *curve; i++) {
		double y = pds_fraction(curve[i].x, 450000, 300000);
		ck_assert_double_lt(y, curve[i].y + 1);
		ck_assert_double_gt(y, curve[i].y - 1);
	}
}
END_TEST

START_TEST(the_cap_grows_as_the_table_fills)
{
	struct pn_options o;
	pn_options_init(&o);
	struct tt t = {.capacity = 100000000};
	ck_assert_uint_eq(pds_policy_pds.budget(&o, &t, 7), 8);
	t.used = 50000000;
	ck_assert_uint_eq(pds_policy_pds.budget(&o, &t, 7), 2 * o.cap_first);
	t.used = 99000000;
	ck_assert_uint_eq(pds_policy_pds.budget(&o, &t, 7) / o.cap_first, 99);
	t.used = 101000000;
	ck_assert_uint_eq(pds_policy_pds.budget(&o, &t, 7), o.cap_last);
	t = (struct tt){.capacity = 16, .used = 16, .replaced = 1000000}; /* a small one that has lost many */
	ck_assert_uint_eq(pds_policy_pds.budget(&o, &t, 7) / 1000, 862);
	t.used = 613000;
	ck_assert_uint_eq(pds_policy_paper.budget(&o, &t, 7) / 1000, 387);
	t.used = 1000000;
	ck_assert_uint_eq(pds_policy_paper.budget(&o, &t, 7), 1);
}
END_TEST

SUITE(pds)
{
	tcase_add_loop_test(c, the_worked_example_goes_as_published, 0, 2);
	tcase_add_loop_test(c, df_pn_gives_the_largest_thresholds_that_keep_a_child_the_best, 0, 2);
	tcase_add_test(c, the_fraction_function_gives_the_published_curve);
	tcase_add_test(c, the_cap_grows_as_the_table_fills);
}
