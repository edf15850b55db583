/* Members of the family: worked examples of PN*, C*, deep df-pn, dynamic widening, the threshold controlling
 * algorithm and the elimination of double counts; walkers and level-2 limits change no answer and repeat node for
 * node. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/algorithms.h"
#include "solver/pds.h"
#include "solver/pds_policy.h"
#include "solver/solver.h"
#include "tests/support/graph.h"
#include "tests/support/suite.h"

extern const struct pds_policy pds_policy_deep_dfpn;

/* A search of one level over a graph. */
struct rig {
	struct game *game;
	struct pn_options options;
	struct tt tt;
	struct fact_buffer facts;
	struct search_group *group;
	struct pds *pds;
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
};

static void rig_init(struct rig *r, struct pd_graph *graph, enum pn_algorithm algorithm)
{
	memset(r, 0, sizeof *r);
	r->game = graph_game(graph);
	pn_options_init(&r->options);
	r->options.algorithm = algorithm;
	r->options.mobility = r->options.heuristics = false;
	r->options.epsilon = 0;
	r->group = calloc(1, sizeof *r->group);
	ck_assert_ptr_nonnull(r->group);
	ck_assert(tt_init(&r->tt, 1 << 16, false));
	fact_buffer_init(&r->facts);
	r->game->rules->start(r->game, r->root);
}

static void rig_start(struct rig *r)
{
	struct question q = question_of(r->game, 1);
	r->pds = (void *)pn_engine_pds.create(&(struct pn_engine_setup){
		.game = r->game,
		.options = &r->options,
		.tt = &r->tt,
		.facts = &r->facts,
		.group = r->group,
		.policy = pn_algorithm(r->options.algorithm)->policy,
	});
	ck_assert_ptr_nonnull(r->pds);
	ck_assert(pn_engine_pds.start(&r->pds->engine, &q, r->root));
}

static void rig_fini(struct rig *r)
{
	pn_engine_pds.destroy(&r->pds->engine);
	fact_buffer_fini(&r->facts);
	tt_fini(&r->tt);
	free(r->group);
	game_close(r->game);
}

/* The name of the position of the innermost frame. */
static const char *rig_here(const struct rig *r)
{
	static char name[64];
	r->game->rules->print(r->game, pds_state(r->pds, r->pds->depth), name, sizeof name);
	return name;
}

/* Searches to the end, at most `most` expansions; the names of what was entered, each followed by a blank. */
static enum pn_engine_end rig_run(struct rig *r, unsigned most, char *out, size_t size)
{
	enum pn_engine_end end = PN_ENGINE_MORE;
	*out = 0;
	strncat(out, rig_here(r), size - strlen(out) - 1);
	for (unsigned entered = 1; end == PN_ENGINE_MORE && entered < most;) {
		uint64_t before = r->pds->counts.expansions, one = 1;
		end = pn_engine_pds.run(&r->pds->engine, &one);
		if (r->pds->counts.expansions == before)
			continue;
		strncat(out, " ", size - strlen(out) - 1);
		strncat(out, rig_here(r), size - strlen(out) - 1);
		entered++;
	}
	return end;
}

/* OR root; B is AND of 4, C is AND of 2; each of these is OR with two AND children of two wins. */
static struct pd_graph *star_graph(void)
{
	static const char *const middle[] = {"B1", "B2", "B3", "B4", "C1", "C2"};
	struct graph_maker m;
	graph_begin(&m, -1, 1);
	graph_node(&m, "A", true, "B C");
	graph_node(&m, "B", false, "B1 B2 B3 B4");
	graph_node(&m, "C", false, "C1 C2");
	for (unsigned i = 0; i < 6; i++) {
		char children[64], child[16], leaf[32];
		snprintf(children, sizeof children, "%sa %sb", middle[i], middle[i]);
		graph_node(&m, middle[i], true, children);
		for (unsigned j = 0; j < 2; j++) {
			snprintf(child, sizeof child, "%s%c", middle[i], "ab"[j]);
			snprintf(children, sizeof children, "%sx %sy", child, child);
			graph_node(&m, child, false, children);
			for (unsigned l = 0; l < 2; l++) {
				snprintf(leaf, sizeof leaf, "%s%c", child, "xy"[l]);
				graph_leaf(&m, leaf, 1);
			}
		}
	}
	return graph_end(&m);
}

START_TEST(pn_star_deepens_by_one_step)
{
	static const enum pn_algorithm both[] = {PN_STAR, PN_C_STAR};
	for (unsigned i = 0; i < 2; i++) {
		struct rig r;
		char entered[256];
		rig_init(&r, star_graph(), both[i]);
		rig_start(&r);
		ck_assert_int_eq(rig_run(&r, 100, entered, sizeof entered), PN_ENGINE_SOLVED);
		/* with the threshold 1: A, B, C; with 2 again C and what is below it */
		ck_assert_str_eq(entered, "A B C C C1 C1a C2 C2a");
		ck_assert_uint_eq(r.pds->root.num[0], 0);
		rig_fini(&r);
	}
}
END_TEST

START_TEST(leaves_of_deep_df_pn_count_less_a_ply_deeper)
{
	static const struct {
		uint32_t e, d, worked[6]; /* E, D, and the numbers at depths 0 to 5 */
	} rows[] = {{2, 4, {16, 8, 4, 2, 1, 1}}, {3, 3, {27, 9, 3, 1, 1, 1}}, {1, 9, {1, 1, 1, 1, 1, 1}}};
	for (unsigned i = 0; i < 3; i++) {
		struct rig r;
		rig_init(&r, star_graph(), PN_DEEP_DFPN);
		r.options.deep.e = rows[i].e;
		r.options.deep.d = rows[i].d;
		rig_start(&r);
		for (uint32_t depth = 1; depth < 6; depth++) {
			uint32_t num[2], at = r.pds->depth;
			r.pds->depth = depth - 1; /* of the node whose child is made */
			pds_policy_deep_dfpn.leaf_numbers(r.pds, r.root, num);
			r.pds->depth = at;
			ck_assert_uint_eq(num[0], rows[i].worked[depth]);
			ck_assert_uint_eq(num[1], rows[i].worked[depth]);
		}
		rig_fini(&r);
	}
}
END_TEST

START_TEST(widening_sums_over_the_children_selected_first)
{
	static const uint32_t pn[] = {3, 5, 2}, dn[] = {4, 1, 6}, worked[] = {10, 5, 8, 10};
	for (uint32_t widen = 0; widen < 4; widen++) {
		struct graph_maker m;
		struct rig r;
		graph_begin(&m, -1, 1);
		graph_node(&m, "A", false, "B0 B1 B2");
		for (unsigned i = 0; i < 3; i++) {
			char name[8], below[16];
			snprintf(name, sizeof name, "B%u", i);
			snprintf(below, sizeof below, "B%ux B%uy", i, i);
			graph_node(&m, name, true, below);
			for (unsigned j = 0; j < 2; j++) {
				snprintf(below, sizeof below, "B%u%c", i, "xy"[j]);
				graph_leaf(&m, below, j ? 1 : -1);
			}
		}
		rig_init(&r, graph_end(&m), PN_DFPN);
		r.options.sums.widen = widen;
		struct question q = question_of(r.game, 1);
		game_move moves[4];
		ck_assert_uint_eq(r.game->rules->moves(r.game, r.root, moves), 3);
		for (unsigned i = 0; i < 3; i++) { /* the table knows the children's numbers */
			_Alignas(16) uint8_t child[GAME_STATE_MAX];
			memcpy(child, r.root, r.game->state_size);
			r.game->rules->play(r.game, child, moves[i]);
			struct pd_id id = question_claim_id(&q, question_position_id(&q, child));
			tt_put(&r.tt, &(struct pn_entry){.id = id, .num = {pn[i], dn[i]}, .work = 1});
		}
		rig_start(&r);
		uint32_t num[2];
		game_move leading;
		pn_engine_pds.numbers(&r.pds->engine, num, &leading);
		ck_assert_uint_eq(num[0], worked[widen]);
		ck_assert_uint_eq(num[1], 1);
		rig_fini(&r);
	}
}
END_TEST

static void class_all_alike(const struct game *game, const void *state, const game_move *moves, unsigned count,
			    uint8_t *out)
{
	(void)game;
	(void)state;
	(void)moves;
	memset(out, 1, count);
}

/* The root's numbers, an AND node with that many children, all alike; the first ones are proved, the others have the
 * numbers 3 and 4, 4 and 5, and so on. */
static void number_alike(unsigned children, unsigned proved, bool alike, uint32_t widen, uint32_t num[2])
{
	struct graph_maker m;
	struct rig r;
	char list[256] = "", name[16], below[32];
	game_move moves[32], leading;
	graph_begin(&m, -1, 1);
	for (unsigned i = 0; i < children; i++)
		snprintf(list + strlen(list), sizeof list - strlen(list), "%sB%u", i ? " " : "", i);
	graph_node(&m, "A", false, list);
	for (unsigned i = 0; i < children; i++) {
		snprintf(name, sizeof name, "B%u", i);
		snprintf(below, sizeof below, "B%ux B%uy", i, i);
		graph_node(&m, name, true, below);
		for (unsigned j = 0; j < 2; j++) {
			snprintf(below, sizeof below, "B%u%c", i, "xy"[j]);
			graph_leaf(&m, below, j ? 1 : -1);
		}
	}
	rig_init(&r, graph_end(&m), PN_DFPN);
	struct game_rules rules = *r.game->rules;
	rules.alike = class_all_alike;
	r.game->rules = &rules;
	r.options.siblings.alike = alike;
	r.options.sums.widen = widen;
	struct question q = question_of(r.game, 1);
	ck_assert_uint_eq(r.game->rules->moves(r.game, r.root, moves), children);
	for (unsigned i = 0; i < children; i++) {
		_Alignas(16) uint8_t child[GAME_STATE_MAX];
		memcpy(child, r.root, r.game->state_size);
		r.game->rules->play(r.game, child, moves[i]);
		struct pn_entry e = {
			.id = question_claim_id(&q, question_position_id(&q, child)), .num = {3 + i, 4 + i}, .work = 1};
		if (i < proved)
			num_set_solved(e.num, true, 1);
		tt_put(&r.tt, &e);
	}
	rig_start(&r);
	pn_engine_pds.numbers(&r.pds->engine, num, &leading);
	rig_fini(&r);
}

/* Of the moves that wait one in eight adds to the sum, at least one. */
START_TEST(moves_that_are_alike_count_one_at_a_time)
{
	static const struct {
		unsigned children, proved;
		bool alike;
		uint32_t widen, pn, dn;
	} worked[] = {{7, 0, false, 0, 42, 4}, {1, 0, true, 0, 3, 4},  {7, 0, true, 0, 4, 4},
		      {7, 2, true, 0, 6, 6},   {7, 6, true, 0, 9, 10}, {17, 0, true, 0, 5, 4},
		      {9, 0, true, 0, 4, 4},   {7, 0, true, 2, 4, 4},  {7, 0, false, 2, 7, 4}};
	for (unsigned i = 0; i < sizeof worked / sizeof *worked; i++) {
		uint32_t num[2];
		number_alike(worked[i].children, worked[i].proved, worked[i].alike, worked[i].widen, num);
		ck_assert_uint_eq(num[0], worked[i].pn);
		ck_assert_uint_eq(num[1], worked[i].dn);
	}
}
END_TEST

/* Two OR nodes and two AND nodes that lead to each other for ever, and a way out that loses. */
START_TEST(threshold_control_ends_where_positions_come_back)
{
	struct graph_maker m;
	struct rig r;
	char entered[4096];
	graph_begin(&m, -1, 1);
	graph_node(&m, "0", true, "1 3");
	graph_node(&m, "1", false, "4 2");
	graph_node(&m, "2", true, "1 3");
	graph_node(&m, "3", false, "4 2");
	graph_node(&m, "4", true, "1 3");
	rig_init(&r, graph_end(&m), PN_TCA);
	ck_assert(!r.game->acyclic);
	rig_start(&r);
	ck_assert_int_eq(rig_run(&r, 1500, entered, sizeof entered), PN_ENGINE_SOLVED);
	ck_assert_uint_eq(r.pds->root.num[1], 0); /* infinite play is not a win */
	rig_fini(&r);
}
END_TEST

/* A_i has two moves, X_i and Y_i, and both lead to A_i+1 alone; behind the last A there are three long ways
 * without a choice for the other side to choose from. */
static struct pd_graph *chain_graph(bool first, unsigned twice, unsigned single)
{
	struct graph_maker m;
	char name[16], below[32];
	graph_begin(&m, -1, 1);
	for (unsigned i = 0; i < twice; i++) {
		snprintf(name, sizeof name, "A%u", i);
		snprintf(below, sizeof below, "X%u Y%u", i, i);
		graph_node(&m, name, first, below);
		snprintf(below, sizeof below, "A%u", i + 1);
		snprintf(name, sizeof name, "X%u", i);
		graph_node(&m, name, !first, below);
		snprintf(name, sizeof name, "Y%u", i);
		graph_node(&m, name, !first, below);
	}
	snprintf(name, sizeof name, "A%u", twice);
	graph_node(&m, name, !first, "B0w0 B1w0 B2w0");
	for (unsigned way = 0; way < 3; way++) {
		for (unsigned i = 0; i < single; i++) {
			snprintf(name, sizeof name, "B%uw%u", way, i);
			snprintf(below, sizeof below, "B%uw%u", way, i + 1);
			graph_node(&m, name, first, below);
		}
		snprintf(name, sizeof name, "B%uw%u", way, single);
		graph_leaf(&m, name, 1);
	}
	return graph_end(&m);
}

/* The number of the root that its children's are summed up to, after some expansions. */
static uint32_t chain_number(enum pn_algorithm algorithm, bool first, bool weak)
{
	struct rig r;
	char entered[1 << 13];
	uint32_t num[2];
	game_move leading;
	rig_init(&r, chain_graph(first, 10, 400), algorithm);
	rig_start(&r);
	r.pds->question.weak = weak;
	ck_assert_int_eq(rig_run(&r, 300, entered, sizeof entered), PN_ENGINE_MORE);
	pn_engine_pds.numbers(&r.pds->engine, num, &leading);
	rig_fini(&r);
	return num[first];
}

START_TEST(what_children_share_counts_once)
{
	for (unsigned first = 0; first < 2; first++) {
		ck_assert_uint_eq(chain_number(PN_DFPN, first, false), 1024);
		ck_assert_uint_eq(chain_number(PN_DFPN, first, true), 11);
		ck_assert_uint_eq(chain_number(PN_SNDA, first, false), 1);
		ck_assert_uint_eq(chain_number(PN_SNDA, first, true), 1); /* never below the greatest child */
	}
}
END_TEST

/* --- walkers, limits of level 2 ------------------------------------------------------------- */

struct outcome {
	int lo, hi;
	uint64_t level1, level2;
};

static struct outcome run_solver(const char *name, const char *position, const struct pn_options *options,
				 uint64_t step)
{
	struct game *game;
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	struct pn_solver *solver;
	struct pn_progress p;
	struct pd_claim claim = {.value = true};
	ck_assert(!game_open(name, NULL, &game, NULL));
	ck_assert(!game->rules->parse(game, position, root, NULL));
	ck_assert(!pn_solver_new(
		&(struct pn_solver_setup){.game = game, .root = root, .claim = &claim, .options = options}, &solver,
		NULL));
	enum pn_state state = PN_RUNNING;
	while (state != PN_ANSWERED) {
		state = pn_solver_step(solver, step);
		ck_assert_int_ne(state, PN_STUCK);
		struct pn_entry entries[256];
		while (pn_solver_take_entries(solver, entries, 256) == 256)
			;
	}
	pn_solver_progress(solver, &p);
	struct outcome out = {p.lo, p.hi, p.level1, p.level2};
	pn_solver_free(solver);
	game_close(game);
	return out;
}

static const struct {
	const char *game, *position;
	int value;
} questions[] = {{"connect4:5x4", "", 0}, {"hex:4", "", 1}, {"mnk:4,4,3", "", 1}, {"breakthrough:3x4", "", 0}};

START_TEST(walkers_and_limits_change_no_answer_and_repeat)
{
	for (unsigned i = 0; i < sizeof questions / sizeof *questions; i++) {
		struct pn_options o;
		pn_options_init(&o);
		o.memory = 1 << 24;
		o.sibling_limit = 0;
		o.budgets = 1;
		struct outcome base = run_solver(questions[i].game, questions[i].position, &o, 1000000);
		for (unsigned walkers = 1; walkers <= 4; walkers += 3)
			for (unsigned limit = 0; limit <= 8; limit += 8) {
				o.walkers = walkers;
				o.sibling_limit = limit;
				o.budgets = limit ? 4 : 1;
				struct outcome a = run_solver(questions[i].game, questions[i].position, &o, 1000000);
				struct outcome b = run_solver(questions[i].game, questions[i].position, &o, 1777);
				ck_assert_int_eq(a.lo, base.lo);
				ck_assert_int_eq(a.hi, base.hi);
				ck_assert_uint_eq(a.level1, b.level1); /* P4: however it is cut into steps */
				ck_assert_uint_eq(a.level2, b.level2);
				ck_assert(walkers > 1 || limit || a.level2 == base.level2);
			}
	}
}
END_TEST

SUITE(members)
{
	tcase_add_test(c, pn_star_deepens_by_one_step);
	tcase_add_test(c, leaves_of_deep_df_pn_count_less_a_ply_deeper);
	tcase_add_test(c, widening_sums_over_the_children_selected_first);
	tcase_add_test(c, moves_that_are_alike_count_one_at_a_time);
	tcase_add_test(c, threshold_control_ends_where_positions_come_back);
	tcase_add_test(c, what_children_share_counts_once);
	tcase_add_test(c, walkers_and_limits_change_no_answer_and_repeat);
}
