/* Several search threads on one search: right values and justified facts whatever the interleaving, with tables far too
 * small; threads that come and go leave no virtual numbers; transposition table and cache under real threads. */
#include "solver/solver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/cache.h"
#include "solver/tt.h"
#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/interleave.h"
#include "tests/support/suite.h"

static const enum pn_algorithm algorithms[] = {PN_PDS_PN, PN_DFPN_PN, PN_PDS, PN_DFPN};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

static const struct {
	const char *game;
	int value;
} boards[] = {{"connect4:4x4", 0}, {"connect4:5x4", 0}, {"mnk:4,3,3", 1}, {"mnk:4,4,3", 1}, {"mnk:3,3,3", 0}};
enum { BOARDS = sizeof boards / sizeof *boards };

static struct pn_solver *open_solver(const struct game *g, const struct pn_options *o)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_claim claim = {.value = true};
	struct pn_solver *solver;
	struct pd_fail fail;
	g->rules->start(g, state);
	ck_assert_msg(!pn_solver_new(&(struct pn_solver_setup){g, state, &claim, o, NULL, NULL}, &solver, &fail), "%s",
		      fail.text);
	return solver;
}

static void take_facts(struct pn_solver *solver, struct factbase *base)
{
	struct pn_entry entries[64];
	while (pn_solver_take_entries(solver, entries, 64) > 0)
		;
	pn_solver_take_facts(solver, factbase_add, base);
}

static void assert_right(const struct game *g, struct pn_solver *solver, int value, const struct factbase *base,
			 enum pn_detail detail)
{
	struct pn_answer answer;
	unsigned leaves;
	pn_solver_answer(solver, &answer);
	ck_assert(answer.answered);
	ck_assert_int_eq(answer.lo, value);
	ck_assert_int_eq(answer.hi, value);
	ck_assert_uint_eq(base->conflicts, 0);
	ck_assert_uint_eq(factbase_check(base, g, &leaves), 0);
	if (detail == PN_FULL)
		ck_assert_uint_eq(leaves, 0);
}

START_TEST(interleaved_threads_find_the_value_and_justified_facts)
{
	struct game *g;
	if (_i == 1 && effort() < 100)
		return; /* a share leaves the larger board out */
	ck_assert(!game_open(boards[_i].game, NULL, &g, NULL));
	for (unsigned a = 0; a < ALGORITHMS; a++)
		for (unsigned way = 0; way < 8;
		     way += (_i == 1 ? 5 : 1) * effort_stride()) { /* the larger board has fewer */
			struct pn_options o;
			struct factbase base;
			uint64_t random = way;
			pn_options_init(&o);
			o.algorithm = algorithms[a];
			o.detail = way % 2 ? PN_FULL : PN_FRONTIER;
			o.threads = 2 + way % 3;
			o.seed = way;
			o.memory = way < 4 ? 64 << 20 : 1 << 18; /* the latter loses entries */
			o.cap_first = o.cap_last = way < 4 ? 500 : 40;
			struct pn_solver *solver = open_solver(g, &o);
			ck_assert_uint_eq(interleave_join(solver, o.threads, NULL), o.threads);
			factbase_init(&base);
			enum pn_state state;
			do {
				state = interleave_round(solver, o.threads, 300, 20000, &random);
				take_facts(solver, &base);
			} while (state == PN_RUNNING);
			ck_assert_int_eq(state, PN_ANSWERED);
			assert_right(g, solver, boards[_i].value, &base, o.detail);
			pn_solver_free(solver);
			factbase_fini(&base);
		}
	game_close(g);
}
END_TEST

/* A draw, like the smaller board that a share takes. */
static const char *small_board(void)
{
	return effort() < 100 ? "connect4:4x4" : "connect4:5x4";
}

START_TEST(hundreds_of_threads_search_below_one_position)
{
	const unsigned threads = effort_of(600, 60);
	struct game *g;
	struct pn_options o;
	struct factbase base;
	enum pn_state state;
	uint64_t random = 1;
	ck_assert(!game_open(small_board(), NULL, &g, NULL));
	pn_options_init(&o);
	o.threads = threads;
	o.memory = 64 << 20;
	o.cap_first = o.cap_last = 20;
	struct pn_solver *solver = open_solver(g, &o);
	ck_assert_uint_eq(interleave_join(solver, threads, NULL), threads);
	factbase_init(&base);
	do {
		state = interleave_round(solver, threads, 30, 200000, &random);
		take_facts(solver, &base);
	} while (state == PN_RUNNING);
	ck_assert_int_eq(state, PN_ANSWERED);
	assert_right(g, solver, 0, &base, PN_FRONTIER);
	pn_solver_free(solver);
	factbase_fini(&base);
	game_close(g);
}
END_TEST

START_TEST(threads_come_and_go)
{
	/* After each round one may leave and one may join; the first goes on alone in the end. */
	struct game *g;
	ck_assert(!game_open(small_board(), NULL, &g, NULL));
	for (unsigned a = 0; a < ALGORITHMS; a++) {
		struct pn_options o;
		struct factbase base;
		struct pd_fail fail;
		pn_options_init(&o);
		o.algorithm = algorithms[a];
		o.threads = 3;
		o.cap_first = o.cap_last = 200;
		struct pn_solver *solver = open_solver(g, &o);
		bool here[3] = {true, false, false};
		factbase_init(&base);
		uint64_t random = 5;
		enum pn_state state = pn_solver_gather(solver);
		for (unsigned round = 0; round < 40 && state == PN_RUNNING; round++) {
			unsigned w = 1 + round % 2, number;
			if (here[w])
				pn_solver_leave(solver, w);
			else
				ck_assert(!pn_solver_join(solver, NULL, false, &number, &fail));
			here[w] = !here[w];
			for (unsigned turn = 0; turn < 60; turn++)
				for (unsigned i = 0; i < 3; i++)
					if (here[i] && !pn_solver_halted(solver)) {
						random = random * 25214903917 + 11;
						pn_solver_run_thread(solver, i, 1 + (random >> 20) % 100);
					}
			pn_solver_halt(solver, false);
			state = pn_solver_gather(solver);
			take_facts(solver, &base);
		}
		for (unsigned i = 1; i < 3; i++)
			if (here[i])
				pn_solver_leave(solver, i);
		while (state == PN_RUNNING || state == PN_COLLECT) {
			state = pn_solver_step(solver, 1000000);
			take_facts(solver, &base);
		}
		assert_right(g, solver, 0, &base, o.detail);
		ck_assert(!pn_solver_wants_company(solver));
		ck_assert_uint_eq(pn_solver_room(solver), 2);
		pn_solver_free(solver);
		factbase_fini(&base);
	}
	game_close(g);
}
END_TEST

START_TEST(some_algorithms_use_one_thread)
{
	static const enum pn_algorithm alone[] = {PN_PAPER, PN_PN};
	struct game *g;
	ck_assert(!game_open("connect4:4x4", NULL, &g, NULL));
	for (unsigned i = 0; i < 2; i++) {
		struct pn_options o;
		struct pd_fail fail;
		unsigned number;
		pn_options_init(&o);
		o.algorithm = alone[i];
		o.threads = 4;
		struct pn_solver *solver = open_solver(g, &o);
		ck_assert_uint_eq(pn_solver_room(solver), 0);
		ck_assert_int_eq(pn_solver_join(solver, NULL, false, &number, &fail), PD_E_UNSUPPORTED);
		pn_solver_free(solver);
	}
	game_close(g);
}
END_TEST

/* --- under threads ------------------------------------------------------------------------ */

struct group {
	struct pn_solver *solver;
	unsigned thread;
};

static void *group_walk(void *arg)
{
	struct group *c = arg;
	while (pn_solver_run_thread(c->solver, c->thread, 3000) == PN_RUNNING && !pn_solver_halted(c->solver))
		;
	return NULL;
}

START_TEST(threads_find_the_value_and_justified_facts)
{
	struct game *g;
	ck_assert(!game_open(boards[_i].game, NULL, &g, NULL));
	for (unsigned a = 0; a < ALGORITHMS; a++) {
		struct pn_options o;
		struct factbase base;
		pn_options_init(&o);
		o.algorithm = algorithms[a];
		o.detail = a % 2 ? PN_FULL : PN_FRONTIER;
		o.threads = 3;
		o.memory = 8 << 20;
		o.cap_first = 300;
		struct pn_solver *solver = open_solver(g, &o);
		interleave_join(solver, o.threads, NULL);
		factbase_init(&base);
		enum pn_state state = pn_solver_gather(solver);
		while (state == PN_RUNNING) {
			struct group group[3];
			pthread_t threads[3];
			pn_solver_halt(solver, false);
			for (unsigned i = 0; i < 3; i++) {
				group[i] = (struct group){solver, i};
				ck_assert(!pthread_create(&threads[i], NULL, group_walk, &group[i]));
			}
			for (unsigned i = 0; i < 3; i++)
				pthread_join(threads[i], NULL);
			state = pn_solver_gather(solver);
			take_facts(solver, &base);
		}
		ck_assert_int_eq(state, PN_ANSWERED);
		assert_right(g, solver, boards[_i].value, &base, o.detail);
		pn_solver_free(solver);
		factbase_fini(&base);
	}
	game_close(g);
}
END_TEST

/* What is put for a number can be told from the number, so that a torn entry shows. */
static struct pn_entry entry_for(uint64_t n)
{
	struct pn_entry e = {.id = pd_id_of(&n, sizeof n, 7),
			     .num = {(uint32_t)n, (uint32_t)n ^ 0x5555},
			     .work = (uint32_t)(n % 97)};
	return e;
}

enum { NUMBERS = 2999, ROUNDS = 20 }; /* a prime, so that each is met */

static void *hammer_table(void *arg)
{
	struct tt *t = arg;
	for (uint64_t i = 0; i < NUMBERS * ROUNDS; i++) {
		uint64_t n = i * 7919 % NUMBERS;
		struct pn_entry e = entry_for(n), out;
		if (i % 3 == 0)
			tt_put(t, &e);
		else if (tt_get(t, e.id, &out) &&
			 (out.num[0] != e.num[0] || out.num[1] != e.num[1] || out.work != e.work))
			return t;
	}
	return NULL;
}

static void *hammer_cache(void *arg)
{
	struct cache *c = arg;
	for (uint64_t i = 0; i < NUMBERS * ROUNDS; i++) {
		uint64_t n = i * 7919 % NUMBERS;
		struct pd_id id = pd_id_of(&n, sizeof n, 7);
		struct pd_reason bound = {.side = PD_LO,
					  .bound = (int16_t)(n % 100),
					  .rank = (uint16_t)(n % 50),
					  .move = (uint16_t)(n % 30)};
		struct cache_entry out;
		if (i % 3 == 0)
			cache_put(c, id, &bound, 5, false);
		else if (cache_get(c, id, &out) &&
			 (out.bounds.bound[PD_LO] != bound.bound || out.bounds.rank[PD_LO] != bound.rank ||
			  out.bounds.move[PD_LO] != bound.move || cache_effort(&out) != 5))
			return c;
	}
	return NULL;
}

static void hammer(void *(*run)(void *), void *what)
{
	pthread_t threads[3];
	for (unsigned i = 0; i < 3; i++)
		ck_assert(!pthread_create(&threads[i], NULL, run, what));
	for (unsigned i = 0; i < 3; i++) {
		void *torn;
		pthread_join(threads[i], &torn);
		ck_assert_ptr_null(torn);
	}
}

START_TEST(a_shared_table_and_cache_give_whole_entries)
{
	/* Small enough to lose entries, and large enough to keep all. */
	for (unsigned bytes = 1 << 14; bytes <= 1 << 22; bytes <<= 8) {
		struct tt t;
		struct cache c;
		struct pn_entry out[1000];
		ck_assert(tt_init(&t, bytes, false));
		ck_assert(cache_init(&c, bytes));
		t.shared = c.shared = true;
		hammer(hammer_table, &t);
		hammer(hammer_cache, &c);
		t.shared = c.shared = false;
		ck_assert(bytes > 1 << 16 ? !t.replaced && t.used == NUMBERS : t.replaced > 0);
		ck_assert(bytes < 1 << 16 || t.grow_wanted);
		tt_settle(&t);
		cache_settle(&c);
		ck_assert(!t.grow_wanted && !c.grow_wanted);
		size_t taken = 0, n;
		while ((n = tt_take_dirty(&t, out, 1000)) > 0)
			taken += n;
		ck_assert(taken <= t.used && (bytes < 1 << 16 || taken == t.used));
		tt_fini(&t);
		cache_fini(&c);
	}
}
END_TEST

SUITE(threads)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, interleaved_threads_find_the_value_and_justified_facts, 0, BOARDS);
	tcase_add_test(c, hundreds_of_threads_search_below_one_position);
	tcase_add_test(c, threads_come_and_go);
	tcase_add_test(c, some_algorithms_use_one_thread);
	tcase_add_loop_test(c, threads_find_the_value_and_justified_facts, 0, BOARDS);
	tcase_add_test(c, a_shared_table_and_cache_give_whole_entries);
}
