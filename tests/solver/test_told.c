/* What a search is told while it runs: facts about positions that it has met already and left open.
 *
 * The truth is retrograde analysis: random graphs full of cycles, and at random moments another search answers a random
 * question about a random position and the first is told. Every answer and every fact is compared, and at the end every
 * fact is justified by the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/algorithms.h"
#include "tests/support/cyclic.h"
#include "tests/support/effort.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

/* --- random graphs ------------------------------------------------------------------------ */

/* A run that is told of positions now and then. Its host answers for those alone, or for all. */
struct teller {
	const struct game *game;
	const struct retro *retro;
	const unsigned *solved;
	struct factbase *base;
	struct cyclic_sum *sum;
	bool all;
	bool asking; /* for the position that is being told */
	uint64_t random;
	unsigned told;
};

static bool get_told(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	struct teller *t = ctx;
	return (t->all || t->asking) && factbase_get(t->base, key, size, out);
}

static void random_claim(uint64_t *random, struct pd_claim *out)
{
	static const char *const claims[] = {"value", "first-wins", "second-wins", "first-draws", "second-draws"};
	struct pd_fail fail;
	ck_assert(!pd_claim_parse(claims[walk_below(random, 5)], out, &fail));
}

static void random_options(uint64_t *random, struct pn_options *o, enum pn_algorithm algorithm)
{
	pn_options_init(o);
	o->algorithm = algorithm;
	o->detail = walk_below(random, 2) ? PN_FULL : PN_FRONTIER;
	o->memory = !pn_algorithm_has_tt(algorithm) ? 16 << 20
		    : algorithm == PN_PAPER         ? 1 << 20
						    : (UINT64_C(1) << 16) << walk_below(random, 5);
	o->seed = walk_below(random, 7);
	o->cap_first = o->cap_last = 1 + walk_below(random, 23);
	o->paper_nodes = 20000;
	o->keep_children = walk_below(random, 2);
	o->threads = pn_algorithm_has_threads(algorithm) ? 1 + walk_below(random, 3) : 1;
}

static void tell_solver(void *ctx, struct pn_solver *solver)
{
	struct teller *t = ctx;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pn_options o;
	struct pd_claim claim;
	struct pd_fail fail;
	if (walk_below(&t->random, 3) == 0)
		return;
	uint32_t index = walk_below(&t->random, retro_positions(t->retro));
	if (retro_over(t->retro, index))
		return;
	retro_state(t->retro, index, state);
	random_claim(&t->random, &claim);
	random_options(&t->random, &o, (enum pn_algorithm)walk_below(&t->random, PN_ALGORITHM_LAST + 1));
	struct pn_host host = {t->base, factbase_get};
	cyclic_solve(t->game, state, &claim, &o, walk_below(&t->random, 2) ? &host : NULL, t->retro, t->solved, 300000,
		     t->base, t->sum);
	t->asking = true;
	ck_assert_msg(!pn_solver_inject(solver, state, &fail), "%s", fail.text);
	t->asking = false;
	t->told++;
}

static void run_graph(uint64_t seed, struct cyclic_sum *sum, unsigned *told)
{
	struct game *game = cyclic_game(seed);
	struct retro *retro = retro_new(game, 64);
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	uint64_t random = seed;
	game->rules->start(game, root);
	ck_assert(retro_add(retro, root));
	unsigned solved[2] = {retro_solve(retro, 0), retro_solve(retro, 1)};
	for (int a = 0; a <= PN_ALGORITHM_LAST; a++)
		for (unsigned way = 0; way < 4; way++) {
			struct factbase base;
			struct pn_options o;
			struct pd_claim claim;
			struct teller t = {game, retro, solved, &base, sum, way % 2, false, walk_random(&random), 0};
			struct pn_host host = {&t, get_told};
			struct cyclic_more more = {
				.slice = 1 + walk_below(&random, 12), .between = tell_solver, .ctx = &t};
			unsigned leaves;
			random_options(&random, &o, (enum pn_algorithm)a);
			random_claim(&random, &claim);
			factbase_init(&base);
			if (!cyclic_solve_more(game, root, &claim, &o, &host, retro, solved, 300000, &base, sum, &more))
				printf("graph %llu by %s: not answered\n", (unsigned long long)seed,
				       pn_algorithm_text(o.algorithm));
			unsigned bad = factbase_check(&base, game, &leaves);
			if (bad || base.conflicts)
				printf("graph %llu by %s, way %u: %u facts are not justified, %u conflicts\n",
				       (unsigned long long)seed, pn_algorithm_text(o.algorithm), way, bad,
				       base.conflicts);
			sum->wrong += bad + base.conflicts;
			*told += t.told;
			factbase_fini(&base);
		}
	retro_free(retro);
	game_close(game);
}

START_TEST(random_graphs_agree_with_the_fixpoint)
{
	struct cyclic_sum sum = {0};
	unsigned told = 0;
	const unsigned graphs = effort_of(300, 30);
	for (uint64_t seed = 0; seed < graphs; seed++)
		run_graph(UINT64_C(77000000) + 1000000 * (uint64_t)_i + seed, &sum, &told);
	printf("%llu runs, told %u times, %llu facts\n", (unsigned long long)sum.runs, told,
	       (unsigned long long)sum.facts);
	ck_assert_uint_eq(sum.wrong, 0);
	ck_assert_uint_eq(sum.unanswered, 0);
	ck_assert_uint_gt(told, 10 * graphs);
}
END_TEST

/* --- what it saves ------------------------------------------------------------------------ */

/* A search under way, whose host knows the facts of others when it is asked while it is told. */
struct under_way {
	struct game *game;
	struct pn_solver *solver;
	struct factbase base;
	bool open; /* the host answers */
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
};

static bool get_when_told(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	struct under_way *w = ctx;
	return w->open && factbase_get(&w->base, key, size, out);
}

static uint64_t nodes_of(const struct pn_solver *solver)
{
	struct pn_progress p;
	pn_solver_progress(solver, &p);
	return p.level1 + p.level2;
}

static void open_search(struct under_way *w, const char *name, const char *claim_text, enum pn_algorithm algorithm)
{
	struct pn_options o;
	struct pd_claim claim;
	struct pd_fail fail;
	struct pn_host host = {w, get_when_told};
	*w = (struct under_way){0};
	ck_assert(!game_open(name, NULL, &w->game, &fail));
	w->game->rules->start(w->game, w->root);
	pn_options_init(&o);
	o.algorithm = algorithm;
	o.memory = 32 << 20;
	o.cap_first = o.cap_last = 20;
	o.knowledge = false; /* so that there is something to search */
	ck_assert(!pd_claim_parse(claim_text, &claim, &fail));
	ck_assert(!pn_solver_new(
		&(struct pn_solver_setup){
			.game = w->game, .root = w->root, .claim = &claim, .options = &o, .host = &host},
		&w->solver, &fail));
	factbase_init(&w->base);
}

static void close_search(struct under_way *w)
{
	pn_solver_free(w->solver);
	factbase_fini(&w->base);
	game_close(w->game);
}

/* Answers `claim` for every child of the root, and tells the search. */
static void tell_children(struct under_way *w, const char *claim_text)
{
	game_move moves[64];
	unsigned count = w->game->rules->moves(w->game, w->root, moves);
	for (unsigned i = 0; i < count; i++) {
		_Alignas(16) uint8_t child[GAME_STATE_MAX];
		struct pn_options o;
		struct pd_claim claim;
		struct pd_fail fail;
		struct pn_solver *solver;
		memcpy(child, w->root, w->game->state_size);
		w->game->rules->play(w->game, child, moves[i]);
		pn_options_init(&o);
		o.memory = 32 << 20;
		ck_assert(!pd_claim_parse(claim_text, &claim, &fail));
		ck_assert(!pn_solver_new(
			&(struct pn_solver_setup){.game = w->game, .root = child, .claim = &claim, .options = &o},
			&solver, &fail));
		ck_assert_int_eq(solve_all(solver, 10000, &w->base), PN_ANSWERED);
		pn_solver_free(solver);
		w->open = true;
		ck_assert(!pn_solver_inject(w->solver, child, &fail));
		w->open = false;
	}
}

/* Nodes that do not answer yet: searches of one level are quick. */
static unsigned nodes_before(int algorithm, unsigned nodes)
{
	return pn_algorithm((enum pn_algorithm)algorithm)->level2 ? nodes : 3;
}

START_TEST(children_that_are_told_answer_the_root)
{
	struct under_way w;
	struct pn_answer answer;
	open_search(&w, "mnk:4,4,3", "first-wins", (enum pn_algorithm)_i);
	ck_assert_int_eq(pn_solver_step(w.solver, nodes_before(_i, 30)), PN_RUNNING);
	tell_children(&w, "value");
	uint64_t before = nodes_of(w.solver);
	ck_assert_int_eq(solve_all(w.solver, 10, NULL), PN_ANSWERED);
	if (_i != PN_LAMBDA) /* which searches for threats first */
		ck_assert_uint_le(nodes_of(w.solver) - before, 100);
	pn_solver_answer(w.solver, &answer);
	ck_assert(answer.yes);
	close_search(&w);
}
END_TEST

START_TEST(a_bound_counts_as_far_as_it_goes)
{
	struct under_way w;
	open_search(&w, "mnk:3,3,3", "first-wins", (enum pn_algorithm)_i); /* it is a draw */
	ck_assert_int_eq(pn_solver_step(w.solver, 12), PN_RUNNING);
	tell_children(&w, "first-draws"); /* says nothing about a win: every child is at least a draw */
	struct pn_answer answer;
	pn_solver_answer(w.solver, &answer);
	ck_assert(!answer.answered);
	ck_assert_int_eq(solve_all(w.solver, 1000, &w.base), PN_ANSWERED);
	pn_solver_answer(w.solver, &answer);
	ck_assert(!answer.yes);
	close_search(&w);
}
END_TEST

START_TEST(the_root_itself_may_be_told)
{
	struct under_way w;
	struct pn_solver *other;
	struct pn_options o;
	struct pn_answer answer;
	struct pd_claim claim;
	struct pd_fail fail;
	open_search(&w, "mnk:4,4,3", "value", (enum pn_algorithm)_i);
	ck_assert_int_eq(pn_solver_step(w.solver, nodes_before(_i, 40)), PN_RUNNING);
	pn_options_init(&o);
	o.memory = 32 << 20;
	ck_assert(!pd_claim_parse("first-wins", &claim, &fail));
	ck_assert(!pn_solver_new(
		&(struct pn_solver_setup){.game = w.game, .root = w.root, .claim = &claim, .options = &o}, &other,
		&fail));
	ck_assert_int_eq(solve_all(other, 10000, &w.base), PN_ANSWERED);
	pn_solver_free(other);
	w.open = true;
	ck_assert(!pn_solver_inject(w.solver, w.root, &fail));
	uint64_t before = nodes_of(w.solver);
	ck_assert_int_eq(pn_solver_step(w.solver, 10), PN_ANSWERED);
	ck_assert_uint_eq(nodes_of(w.solver), before);
	pn_solver_answer(w.solver, &answer);
	ck_assert_int_eq(answer.lo, 1);
	ck_assert_int_eq(answer.hi, 1);
	close_search(&w);
}
END_TEST

SUITE(told)
{
	tcase_set_timeout(c, 500);
	tcase_add_loop_test(c, random_graphs_agree_with_the_fixpoint, 0, 4);
	tcase_add_loop_test(c, children_that_are_told_answer_the_root, 0, PN_ALGORITHM_LAST + 1);
	tcase_add_loop_test(c, a_bound_counts_as_far_as_it_goes, 0, PN_ALGORITHM_LAST + 1);
	tcase_add_loop_test(c, the_root_itself_may_be_told, 0, PN_ALGORITHM_LAST + 1);
}
