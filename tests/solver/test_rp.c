/* RP-PN: with one thread, and with any number of them without a distance, it expands the nodes of `pn` in their order;
 * several threads answer right and justify what they find, in turns and at the same time. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "solver/solver.h"
#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/interleave.h"
#include "tests/support/suite.h"
#include "tests/support/trees.h"
#include "tests/support/walk.h"

enum { THREADS = 3 };

static struct pn_solver *open_solver(const struct game *game, const char *claim, const struct pn_options *o)
{
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	struct pd_claim parsed;
	struct pn_solver *solver;
	struct pd_fail fail;
	game->rules->start(game, root);
	ck_assert(!pd_claim_parse(claim, &parsed, &fail));
	ck_assert_msg(!pn_solver_new(&(struct pn_solver_setup){game, root, &parsed, o, NULL, NULL}, &solver, &fail),
		      "%s", fail.text);
	return solver;
}

static struct pn_options options_of(enum pn_algorithm algorithm, unsigned threads, uint32_t distance)
{
	struct pn_options o;
	pn_options_init(&o);
	o.algorithm = algorithm;
	o.threads = threads;
	o.siblings.distance = distance;
	o.memory = 32 << 20;
	return o;
}

/* --- the order of expansions ---------------------------------------------------------------- */

/* The nodes whose moves were asked for: those that a search expanded. */
static struct {
	unsigned count;
	uint32_t node[4 * TREES_NODES_MAX];
	const struct game_rules *rules;
} asked, wanted;

static unsigned note_moves(const struct game *game, const void *state, game_move *out)
{
	ck_assert_uint_lt(asked.count, 4 * TREES_NODES_MAX);
	memcpy(&asked.node[asked.count++], state, sizeof *asked.node);
	return asked.rules->moves(game, state, out);
}

static uint64_t note_order(const struct game *game, const struct pn_options *o)
{
	struct pn_solver *solver = open_solver(game, "first-wins", o);
	struct pn_progress p;
	uint64_t random = 1;
	enum pn_state state;
	asked.count = 0;
	ck_assert_uint_eq(interleave_join(solver, o->threads, NULL), o->threads);
	do
		state = o->threads > 1 ? interleave_round(solver, o->threads, 1, 100, &random)
				       : pn_solver_step(solver, 7);
	while (state == PN_RUNNING);
	ck_assert_int_eq(state, PN_ANSWERED);
	pn_solver_progress(solver, &p);
	pn_solver_free(solver);
	return p.positions;
}

START_TEST(without_distance_it_is_pn)
{
	uint64_t random = 105;
	unsigned others = 0;
	for (unsigned i = 0; i < effort_of(500, 50); i++) {
		struct game *game = trees_random(&random);
		struct game_rules rules = *game->rules;
		asked.rules = game->rules;
		rules.moves = note_moves;
		game->rules = &rules;
		for (unsigned way = 0; way < 4; way++) {
			struct pn_options o = options_of(PN_PN, 1, 0);
			o.mobility = false;
			o.seed = i % 2 ? i : 0;
			o.detail = i % 3 ? PN_FRONTIER : PN_FULL;
			uint64_t positions = note_order(game, &o);
			wanted = asked;
			o.algorithm = PN_RP;
			o.threads = way == 1 || way == 2 ? THREADS : 1;
			o.siblings.distance = way == 1 ? 0 : way;
			bool same = note_order(game, &o) == positions && asked.count == wanted.count &&
				    !memcmp(asked.node, wanted.node, wanted.count * sizeof *wanted.node);
			ck_assert(same || way == 2);
			others += !same;
		}
		game_close(game);
	}
	ck_assert_uint_gt(others, 0); /* three threads with a distance of 2 go other ways */
}
END_TEST

/* --- answers -------------------------------------------------------------------------------- */

static void take_facts(struct pn_solver *solver, struct factbase *base)
{
	pn_solver_take_facts(solver, factbase_add, base);
}

static void assert_right(const struct game *game, struct pn_solver *solver, int value, const struct factbase *base,
			 enum pn_detail detail)
{
	struct pn_answer answer;
	unsigned leaves;
	pn_solver_answer(solver, &answer);
	ck_assert(answer.answered);
	ck_assert_int_eq(answer.lo, value);
	ck_assert_int_eq(answer.hi, value);
	ck_assert_uint_eq(base->conflicts, 0);
	ck_assert_uint_eq(factbase_check(base, game, &leaves), 0);
	ck_assert(detail != PN_FULL || !leaves);
}

START_TEST(threads_in_turns_answer_as_backward_induction)
{
	uint64_t random = 106;
	for (unsigned i = 0; i < effort_of(500, 50); i++) {
		struct game *game = trees_random_of(&random, 2 + i % 3);
		struct trees_shape shape;
		struct factbase base;
		memset(&shape, 0, sizeof shape);
		trees_shape(game, &shape);
		struct pn_options o = options_of(PN_RP, 1 + i % 4, i % 5);
		o.seed = i;
		o.detail = i % 2 ? PN_FULL : PN_FRONTIER;
		o.shorten = i % 3 ? 0 : 500;
		struct pn_solver *solver = open_solver(game, "value", &o);
		enum pn_state state;
		factbase_init(&base);
		interleave_join(solver, o.threads, NULL);
		do {
			state = interleave_round(solver, o.threads, 5, 200, &random);
			take_facts(solver, &base);
		} while (state == PN_RUNNING);
		ck_assert_int_eq(state, PN_ANSWERED);
		assert_right(game, solver, trees_value(&shape, 0), &base, o.detail);
		pn_solver_free(solver);
		factbase_fini(&base);
		game_close(game);
	}
}
END_TEST

struct runner {
	struct pn_solver *solver;
	unsigned thread;
};

static void *run_thread(void *arg)
{
	struct runner *r = arg;
	while (pn_solver_run_thread(r->solver, r->thread, 300) == PN_RUNNING && !pn_solver_halted(r->solver))
		;
	return NULL;
}

static const struct {
	const char *game;
	int value;
} boards[] = {{"connect4:4x4", 0}, {"mnk:4,3,3", 1}, {"mnk:3,3,3", 0}, {"breakthrough:3x4", -1}, {"nogo:3x3", 1}};
enum { BOARDS = sizeof boards / sizeof *boards };

START_TEST(threads_find_the_value_and_justified_facts)
{
	struct game *game;
	ck_assert(!game_open(boards[_i].game, NULL, &game, NULL));
	for (unsigned way = 0; way < 4; way++) {
		struct pn_options o = options_of(PN_RP, THREADS, way);
		struct factbase base;
		o.detail = way % 2 ? PN_FULL : PN_FRONTIER;
		o.seed = way;
		struct pn_solver *solver = open_solver(game, "value", &o);
		ck_assert_uint_eq(interleave_join(solver, THREADS, NULL), THREADS);
		factbase_init(&base);
		enum pn_state state = pn_solver_gather(solver);
		while (state == PN_RUNNING) {
			struct runner runner[THREADS];
			pthread_t threads[THREADS];
			pn_solver_halt(solver, false);
			for (unsigned i = 0; i < THREADS; i++) {
				runner[i] = (struct runner){solver, i};
				ck_assert(!pthread_create(&threads[i], NULL, run_thread, &runner[i]));
			}
			for (unsigned i = 0; i < THREADS; i++)
				pthread_join(threads[i], NULL);
			state = pn_solver_gather(solver);
			take_facts(solver, &base);
		}
		ck_assert_int_eq(state, PN_ANSWERED);
		assert_right(game, solver, boards[_i].value, &base, o.detail);
		pn_solver_free(solver);
		factbase_fini(&base);
	}
	game_close(game);
}
END_TEST

SUITE(rp)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, without_distance_it_is_pn);
	tcase_add_test(c, threads_in_turns_answer_as_backward_induction);
	tcase_add_loop_test(c, threads_find_the_value_and_justified_facts, 0, BOARDS);
}
