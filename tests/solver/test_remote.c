/* Leaves that are searched elsewhere (remote.h): the value, the facts, and what a bad result may do. Here "elsewhere"
 * is a leaf runner in the same thread; results come in any order, late, twice or never. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "solver/leaf_task.h"
#include "solver/remote.h"
#include "solver/solver.h"
#include "tests/support/cyclic.h"
#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/suite.h"

enum { REMOTE = 12, TURN_NODES = 400 };

/* A solver with remote threads, and one who searches their leaves. */
struct rig {
	struct game *game;
	struct pn_solver *solver;
	struct pn_leaf_runner *runner;
	struct factbase base;
	unsigned thread[REMOTE], count;
	struct pn_leaf_task out[REMOTE]; /* serial 0: none */
	struct pn_leaf_result old[REMOTE];
	uint64_t random;
	uint64_t delivered, dropped, cut;
};

static uint64_t draw_number(struct rig *r, uint64_t below)
{
	r->random = r->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (r->random >> 33) % below;
}

/* Takes the game over. */
static void rig_open(struct rig *r, struct game *game, uint64_t seed)
{
	struct pn_options o;
	struct pd_claim claim;
	struct pd_fail fail;
	*r = (struct rig){.game = game, .random = seed, .count = 1 + (unsigned)(seed % REMOTE)};
	ck_assert(!pd_claim_parse("value", &claim, &fail));
	pn_options_init(&o);
	o.algorithm = seed % 2 ? PN_PDS_PN : PN_DFPN_PN;
	o.memory = 1 << 20;
	o.remote = REMOTE;
	o.cap_first = o.cap_last = 30 + (uint32_t)(seed % 7) * 100;
	o.identity = seed;
	void *state = aligned_alloc(16, (game->state_size + 15) & ~(size_t)15);
	game->rules->start(game, state);
	ck_assert(!pn_solver_new(&(struct pn_solver_setup){game, state, &claim, &o, NULL, NULL, NULL, 0}, &r->solver,
				 &fail));
	free(state);
	ck_assert(!pn_leaf_runner_new(&(struct pn_leaf_runner_setup){.game = game,
								     .memory = 512 << 10,
								     .nodes_max = 10000,
								     .identity = ~seed,
								     .mobility = true,
								     .heuristics = true,
								     .knowledge = true},
				      &r->runner, &fail));
	for (unsigned i = 0; i < r->count; i++)
		ck_assert(!pn_solver_join(r->solver, NULL, true, &r->thread[i], &fail));
	pn_solver_gather(r->solver);
	factbase_init(&r->base);
}

static void rig_close(struct rig *r)
{
	factbase_fini(&r->base);
	pn_leaf_runner_free(r->runner);
	pn_solver_free(r->solver);
	game_close(r->game);
}

static void search_leaf(struct rig *r, const struct pn_leaf_task *task, struct pn_leaf_result *out)
{
	struct pd_fail fail;
	ck_assert_int_eq(pn_leaf_begin(r->runner, task, &fail), 0);
	while (!pn_leaf_run(r->runner, 100))
		;
	pn_leaf_result(r->runner, out);
	ck_assert_uint_eq(out->serial, task->serial);
}

/* What the network does to the leaf of thread `i`: nothing yet, its result, an older one, or one after the other. */
static void network(struct rig *r, unsigned i)
{
	struct pn_leaf_result result;
	struct pn_leaf_task still;
	if (!pn_solver_leaf(r->solver, r->thread[i], &still))
		return; /* its claim is settled */
	switch (draw_number(r, 6)) {
	case 0:
		return;
	case 1:
		if (r->old[i].serial)
			ck_assert(!pn_solver_deliver(r->solver, r->thread[i], &r->old[i]));
		return;
	default:
		break;
	}
	search_leaf(r, &r->out[i], &result);
	ck_assert(pn_solver_deliver(r->solver, r->thread[i], &result));
	ck_assert(!pn_solver_deliver(r->solver, r->thread[i], &result));
	ck_assert(pn_solver_has_work(r->solver, r->thread[i]));
	r->old[i] = result;
	r->delivered++;
}

/* One turn of remote thread `i`. */
static enum pn_state remote_turn(struct rig *r, unsigned i)
{
	struct pn_leaf_task now;
	if (r->out[i].serial)
		network(r, i);
	enum pn_state state = pn_solver_run_thread(r->solver, r->thread[i], TURN_NODES);
	bool waits = state == PN_WAITING && pn_solver_leaf(r->solver, r->thread[i], &now);
	ck_assert(waits == (state == PN_WAITING));
	if (waits && now.serial != r->out[i].serial) {
		for (unsigned k = 0; k < r->count; k++)
			ck_assert_uint_ne(now.serial, r->out[k].serial);
		r->cut += r->out[i].serial && r->old[i].serial != r->out[i].serial;
	}
	r->out[i] = waits ? now : (struct pn_leaf_task){0};
	return state;
}

static void take_results(struct rig *r)
{
	struct pn_entry entries[256];
	while (pn_solver_take_entries(r->solver, entries, 256))
		;
	pn_solver_take_facts(r->solver, factbase_add, &r->base);
}

static unsigned rig_look; /* nodes that are searched here first */

/* Searches with remote threads, and with the local one if it is wanted. */
static void rig_search(struct rig *r, bool local)
{
	enum pn_state state = PN_RUNNING;
	pn_solver_grain(r->solver, 0, rig_look);
	while (state == PN_RUNNING) {
		pn_solver_halt(r->solver, false);
		for (unsigned turn = 0; turn < 64 && !pn_solver_halted(r->solver); turn++) {
			if (local)
				pn_solver_run_thread(r->solver, 0, TURN_NODES);
			if (!pn_solver_halted(r->solver))
				remote_turn(r, (unsigned)draw_number(r, r->count));
		}
		state = pn_solver_gather(r->solver);
		take_results(r);
	}
	ck_assert_int_eq(state, PN_ANSWERED);
	ck_assert(!pn_solver_wants_remote(r->solver));
}

/* The value that a search without remote threads finds. */
static void value_of(const struct game *game, struct pn_answer *out)
{
	struct pn_options o;
	struct pd_claim claim;
	struct pn_solver *solver;
	struct pd_fail fail;
	pn_options_init(&o);
	o.memory = 1 << 20;
	ck_assert(!pd_claim_parse("value", &claim, &fail));
	void *state = aligned_alloc(16, (game->state_size + 15) & ~(size_t)15);
	game->rules->start(game, state);
	ck_assert(!pn_solver_new(&(struct pn_solver_setup){game, state, &claim, &o, NULL, NULL, NULL, 0}, &solver,
				 &fail));
	free(state);
	ck_assert_int_eq(solve_all(solver, 100000, NULL), PN_ANSWERED);
	pn_solver_answer(solver, out);
	pn_solver_free(solver);
}

static uint64_t all_delivered, all_cut; /* over a test's runs */

/* Searches one game, and compares with what is known of it and with the rules. */
static void search_and_compare(struct game *game, uint64_t seed, bool local)
{
	struct rig r;
	struct pn_answer answer, known;
	unsigned leaves;
	rig_open(&r, game, seed);
	rig_search(&r, local);
	pn_solver_answer(r.solver, &answer);
	value_of(game, &known);
	ck_assert(answer.answered);
	ck_assert_int_eq(answer.lo, known.lo);
	ck_assert_int_eq(answer.hi, known.hi);
	ck_assert_uint_eq(r.base.conflicts, 0);
	ck_assert_uint_eq(factbase_check(&r.base, game, &leaves), 0);
	all_delivered += r.delivered;
	all_cut += r.cut;
	rig_close(&r);
}

static const char *const games[] = {"connect4:4x4", "mnk:3,3,3", "mnk:4,3,3", "hex:4", "domineering:4x4", "nogo:3x3"};
enum { GAMES = sizeof games / sizeof *games };

START_TEST(the_value_and_justified_facts_come_of_leaves_searched_elsewhere)
{
	struct pd_fail fail;
	struct game *game;
	for (uint64_t seed = 0; seed < effort_of(12, 2); seed++)
		for (unsigned local = 0; local < 2; local++) {
			ck_assert_msg(!game_open(games[_i], NULL, &game, &fail), "%s", fail.text);
			search_and_compare(game, seed, local);
		}
	ck_assert_uint_gt(all_delivered, 0);
}
END_TEST

START_TEST(in_graphs_with_cycles_too)
{
	for (uint64_t seed = 1; seed <= effort_of(300, 40); seed++) {
		rig_look = seed % 2 ? 0 : (unsigned)(seed % 32);
		search_and_compare(cyclic_game(seed), seed, seed % 3 == 0);
	}
	rig_look = 0;
	ck_assert_uint_gt(all_delivered, 0);
	ck_assert_uint_gt(all_cut, 0); /* leaves that others made useless */
}
END_TEST

/* A thread that waits for a leaf. */
static void wait_for_leaf(struct rig *r)
{
	enum pn_state state = PN_RUNNING;
	while (state != PN_WAITING)
		state = pn_solver_run_thread(r->solver, r->thread[0], TURN_NODES);
	ck_assert(pn_solver_leaf(r->solver, r->thread[0], &r->out[0]));
	ck_assert(!pn_solver_has_work(r->solver, r->thread[0]));
}

START_TEST(results_that_no_search_can_have_are_not_taken)
{
	struct rig r;
	struct game *game;
	ck_assert(!game_open("connect4:4x4", NULL, &game, NULL));
	rig_open(&r, game, 12);
	wait_for_leaf(&r);
	const struct pn_leaf_result good = {
		.serial = r.out[0].serial, .num = {1, 1}, .move = PD_NO_MOVE, .rank = 3, .effort = 5};
	struct pn_leaf_result bad[] = {good, good, good, good, good, good, good, good};
	bad[0].serial++;
	bad[1].num[0] = 0;
	bad[2].num[1] = PN_LEAF_NUMBER_MAX + 1;
	bad[3].solved = true;
	bad[3].rank = 0;
	bad[4].solved = true;
	bad[4].rank = PD_RANK_NONE;
	bad[5].solved = true;
	bad[5].effort = 0;
	bad[6].solved = bad[6].proved = true;
	bad[6].rank = (uint16_t)(PD_RANK_MAX - game->plies_max + 1);
	bad[7].solved = bad[7].proved = true;
	bad[7].rank = PD_RANK_MAX;
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(!pn_solver_deliver(r.solver, r.thread[0], &bad[i]), "%u", i);
	ck_assert(pn_solver_deliver(r.solver, r.thread[0], &good));
	rig_close(&r);
}
END_TEST

/* Theorem T9 may count more plies than a game has left: such a rank is taken as well. */
START_TEST(ranks_of_theorems_are_taken)
{
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct game *game;
		ck_assert(!game_open("domineering:6x6", NULL, &game, NULL));
		search_and_compare(game, seed, false);
	}
}
END_TEST

START_TEST(what_takes_a_few_nodes_is_searched_here)
{
	struct rig r;
	struct game *game;
	struct pn_progress p;
	ck_assert(!game_open("connect4:7x6", NULL, &game, NULL));
	rig_open(&r, game, 12);
	pn_solver_grain(r.solver, 12345, PN_LOOK_NODES);
	wait_for_leaf(&r);
	ck_assert_uint_eq(r.out[0].budget, 12345);
	pn_solver_progress(r.solver, &p);
	ck_assert_uint_ge(p.level2, PN_LOOK_NODES);
	rig_close(&r);

	uint64_t sent[2];
	for (unsigned i = 0; i < 2; i++) {
		all_delivered = 0;
		ck_assert(!game_open("domineering:4x4", NULL, &game, NULL));
		rig_look = i * PN_LOOK_NODES;
		search_and_compare(game, 12, false);
		sent[i] = all_delivered;
	}
	rig_look = 0;
	ck_assert_uint_gt(sent[0], 0);
	ck_assert_uint_lt(sent[1], sent[0]);
}
END_TEST

struct giver_count {
	uint64_t ours, theirs, wrong_move;
};

static void count_giver(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	struct giver_count *c = ctx;
	c->ours += reason->job == 0;
	c->theirs += reason->job == 77;
	c->wrong_move += reason->move == 0xfff0;
}

START_TEST(a_fact_says_who_gave_it)
{
	struct rig r;
	struct game *game;
	struct giver_count count = {0};
	enum pn_state state = PN_RUNNING;
	ck_assert(!game_open("connect4:4x4", NULL, &game, NULL));
	rig_open(&r, game, 12);
	while (state == PN_RUNNING) {
		struct pn_leaf_result result;
		pn_solver_halt(r.solver, false);
		if (pn_solver_run_thread(r.solver, r.thread[0], TURN_NODES) == PN_WAITING) {
			ck_assert(pn_solver_leaf(r.solver, r.thread[0], &r.out[0]));
			search_leaf(&r, &r.out[0], &result);
			result.giver = 77;
			result.move = 0xfff0; /* a move that is none is left out */
			ck_assert(pn_solver_deliver(r.solver, r.thread[0], &result));
		}
		state = pn_solver_gather(r.solver);
		pn_solver_take_facts(r.solver, count_giver, &count);
	}
	ck_assert_int_eq(state, PN_ANSWERED);
	ck_assert_uint_gt(count.ours, 0);
	ck_assert_uint_gt(count.theirs, 0);
	ck_assert_uint_eq(count.wrong_move, 0);
	rig_close(&r);
}
END_TEST

START_TEST(a_claim_that_is_settled_calls_its_leaves_back)
{
	struct rig r;
	struct game *game;
	ck_assert(!game_open("hex:3", NULL, &game, NULL));
	rig_open(&r, game, 23);
	for (unsigned i = 0; i < r.count; i++)
		remote_turn(&r, i);
	while (pn_solver_gather(r.solver) == PN_RUNNING) {
		pn_solver_halt(r.solver, false);
		while (!pn_solver_halted(r.solver))
			pn_solver_run_thread(r.solver, 0, TURN_NODES);
		take_results(&r);
	}
	for (unsigned i = 0; i < r.count; i++) {
		pn_solver_halt(r.solver, false);
		ck_assert_int_eq(pn_solver_run_thread(r.solver, r.thread[i], TURN_NODES), PN_GATHER);
		pn_solver_leave(r.solver, r.thread[i]);
	}
	rig_close(&r);
}
END_TEST

START_TEST(only_searches_that_can_have_remote_threads_get_them)
{
	struct pn_options o;
	pn_options_init(&o);
	ck_assert(pn_remote_possible(&o));
	for (int a = 0; a <= PN_ALGORITHM_LAST; a++) {
		o.algorithm = (enum pn_algorithm)a;
		ck_assert_int_eq(pn_remote_possible(&o), a == PN_PDS_PN || a == PN_DFPN_PN);
	}
	o.algorithm = PN_PDS_PN;
	o.detail = PN_FULL;
	ck_assert(!pn_remote_possible(&o));
}
END_TEST

/* --- the runner ------------------------------------------------------------------------------ */

static struct pn_leaf_runner *runner_of(const struct game *game, uint64_t identity)
{
	struct pn_leaf_runner *runner;
	struct pd_fail fail;
	ck_assert(!pn_leaf_runner_new(
		&(struct pn_leaf_runner_setup){
			.game = game, .memory = 512 << 10, .nodes_max = 100000, .identity = identity, .mobility = true},
		&runner, &fail));
	return runner;
}

static struct pn_leaf_task root_task(const struct game *game, int threshold)
{
	struct pn_leaf_task task = {.serial = 9, .budget = 100000, .threshold = (int16_t)threshold};
	void *state = aligned_alloc(16, (game->state_size + 15) & ~(size_t)15);
	game->rules->start(game, state);
	task.key_size = (uint16_t)game->rules->key(game, state, task.key);
	free(state);
	return task;
}

START_TEST(tasks_that_are_none_are_refused_with_words)
{
	struct game *game;
	struct pd_fail fail;
	ck_assert(!game_open("connect4:4x4", NULL, &game, NULL));
	struct pn_leaf_runner *runner = runner_of(game, 1);
	struct pn_leaf_task good = root_task(game, 1), task = good;
	task.key_size--;
	ck_assert_int_eq(pn_leaf_begin(runner, &task, &fail), PD_E_CORRUPT);
	ck_assert_str_eq(fail.field, "key");
	task = good;
	task.key_size = 0;
	ck_assert_int_eq(pn_leaf_begin(runner, &task, &fail), PD_E_CORRUPT);
	task = good;
	memset(task.key, 0xff, task.key_size);
	ck_assert_int_eq(pn_leaf_begin(runner, &task, &fail), PD_E_CORRUPT);
	task = good;
	task.threshold = 2;
	ck_assert_int_eq(pn_leaf_begin(runner, &task, &fail), PD_E_CLAIM);
	task = good;
	task.budget = 0;
	ck_assert_int_eq(pn_leaf_begin(runner, &task, &fail), PD_E_PARAMS);
	ck_assert_int_eq(pn_leaf_begin(runner, &good, &fail), PD_OK);
	pn_leaf_runner_free(runner);
	game_close(game);
}
END_TEST

START_TEST(solved_positions_help_another_runner_and_are_true)
{
	struct game *game;
	struct pd_fail fail;
	struct pn_leaf_solved solved[PN_LEAF_SOLVED_MAX];
	struct pn_leaf_result first, second;
	struct factbase base;
	unsigned leaves;
	ck_assert(!game_open("connect4:4x4", NULL, &game, NULL));
	struct pn_leaf_runner *a = runner_of(game, 1), *b = runner_of(game, 2);
	struct pn_leaf_task task = root_task(game, 1);
	task.budget = 100000;
	ck_assert(!pn_leaf_begin(a, &task, &fail));
	while (!pn_leaf_run(a, 1000))
		;
	pn_leaf_result(a, &first);
	ck_assert(first.solved && !first.proved);
	unsigned count = pn_leaf_solved(a, solved, PN_LEAF_SOLVED_MAX);
	ck_assert_uint_gt(count, 0);
	factbase_init(&base);
	for (unsigned i = 0; i < count; i++) {
		ck_assert_uint_ge(solved[i].reason.effort, PN_LEAF_SOLVED_EFFORT);
		ck_assert(!i || solved[i].reason.effort <= solved[i - 1].reason.effort);
		factbase_add(&base, solved[i].key, solved[i].key_size, &solved[i].reason);
		ck_assert(pn_leaf_learn(b, &solved[i]));
	}
	ck_assert_uint_eq(base.conflicts, 0);
	ck_assert_uint_eq(factbase_check(&base, game, &leaves), 0);
	ck_assert(!pn_leaf_begin(b, &task, &fail));
	while (!pn_leaf_run(b, 1000))
		;
	pn_leaf_result(b, &second);
	ck_assert(second.solved && !second.proved);
	ck_assert_uint_lt(second.nodes, first.nodes);
	solved[0].reason.rank = 0;
	ck_assert(!pn_leaf_learn(b, &solved[0]));
	factbase_fini(&base);
	pn_leaf_runner_free(a);
	pn_leaf_runner_free(b);
	game_close(game);
}
END_TEST

/* A runner's thread: it searches a task with the shared cache, again and again. */
struct shared_search {
	pthread_t thread;
	struct pn_leaf_runner *runner;
	struct pn_leaf_task task;
	struct pn_leaf_result result;
};

static void *search_again(void *arg)
{
	struct shared_search *s = arg;
	struct pd_fail fail;
	for (unsigned i = 0; i < 20; i++) {
		if (pn_leaf_begin(s->runner, &s->task, &fail))
			abort();
		while (!pn_leaf_run(s->runner, 1000))
			;
		pn_leaf_result(s->runner, &s->result);
	}
	return NULL;
}

/* A leaf that is to be searched elsewhere comes with what its siblings are worth, as the options have it. */
START_TEST(tasks_say_what_siblings_are_worth)
{
	for (unsigned i = 0; i < 4; i++) {
		struct pd_fail fail;
		struct pd_claim claim;
		struct pn_options o;
		struct pn_leaf_task task;
		unsigned thread, with = 0, tasks = 0;
		struct rig r = {.random = i};
		_Alignas(16) uint8_t state[GAME_STATE_MAX];
		ck_assert(!game_open("mnk:4,4,4", NULL, &r.game, &fail));
		r.game->rules->start(r.game, state);
		ck_assert(!pd_claim_parse("first-wins", &claim, &fail));
		pn_options_init(&o);
		o.memory = 1 << 20;
		o.remote = 1;
		o.knowledge = false;
		o.sibling_limit = i % 2 ? 8 : 0;
		o.budgets = i / 2 ? 4 : 1;
		ck_assert(!pn_solver_new(&(struct pn_solver_setup){r.game, state, &claim, &o, NULL, NULL, NULL, 0},
					 &r.solver, &fail));
		ck_assert(!pn_leaf_runner_new(
			&(struct pn_leaf_runner_setup){
				.game = r.game, .memory = 2 << 20, .nodes_max = 20000, .mobility = true},
			&r.runner, &fail));
		ck_assert(!pn_solver_join(r.solver, NULL, true, &thread, &fail));
		pn_solver_gather(r.solver);
		pn_solver_halt(r.solver, false);
		pn_solver_grain(r.solver, 4000, 0);
		while (tasks < 60 && pn_solver_run_thread(r.solver, thread, TURN_NODES) == PN_WAITING &&
		       pn_solver_leaf(r.solver, thread, &task)) {
			struct pn_leaf_result result;
			const struct pn_leaf_rival *rival = &task.rival;
			search_leaf(&r, &task, &result);
			ck_assert_uint_eq(rival->limit, o.sibling_limit * (rival->most ? rival->second + 1 : 0));
			if (rival->most) {
				ck_assert_uint_eq(rival->most, o.budgets * task.budget);
				ck_assert_uint_eq(rival->from, task.budget / 10);
				if (!result.solved && rival->limit && result.num[rival->k] > rival->limit)
					ck_assert_uint_ge(result.nodes, rival->from);
				with++;
			}
			ck_assert(pn_solver_deliver(r.solver, thread, &result));
			tasks++;
		}
		ck_assert_uint_gt(tasks, 20);
		ck_assert_uint_gt(with, tasks / 2);
		pn_leaf_runner_free(r.runner);
		pn_solver_free(r.solver);
		game_close(r.game);
	}
}
END_TEST

START_TEST(runners_share_a_cache)
{
	enum { THREADS = 4 };
	struct game *game;
	struct pd_fail fail;
	struct shared_search search[THREADS];
	ck_assert(!game_open("connect4:4x4", NULL, &game, NULL));
	struct pn_leaf_cache *cache = pn_leaf_cache_new(game, 256 << 10, 5);
	ck_assert_ptr_nonnull(cache);
	for (int i = 0; i < THREADS; i++) {
		struct pn_leaf_runner_setup setup = {
			.game = game, .cache = cache, .memory = 256 << 10, .nodes_max = 10000, .mobility = true};
		ck_assert(!pn_leaf_runner_new(&setup, &search[i].runner, &fail));
		search[i].task = root_task(game, i % 2);
	}
	/* What one runner has solved, the next one knows. */
	search_again(&search[1]);
	ck_assert(search[1].result.solved && !search[1].result.proved);
	uint64_t alone = search[1].result.nodes;
	ck_assert_uint_lt(alone, 50);
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert(!pthread_create(&search[i].thread, NULL, search_again, &search[i]));
	for (int i = 0; i < THREADS; i++) {
		ck_assert(!pthread_join(search[i].thread, NULL));
		ck_assert(search[i].result.solved);
		ck_assert_int_eq(search[i].result.proved, i % 2 == 0); /* it is a draw */
		pn_leaf_runner_free(search[i].runner);
	}
	pn_leaf_cache_free(cache);
	game_close(game);
}
END_TEST

SUITE(remote)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, the_value_and_justified_facts_come_of_leaves_searched_elsewhere, 0, GAMES);
	tcase_add_test(c, in_graphs_with_cycles_too);
	tcase_add_test(c, results_that_no_search_can_have_are_not_taken);
	tcase_add_test(c, ranks_of_theorems_are_taken);
	tcase_add_test(c, what_takes_a_few_nodes_is_searched_here);
	tcase_add_test(c, a_fact_says_who_gave_it);
	tcase_add_test(c, a_claim_that_is_settled_calls_its_leaves_back);
	tcase_add_test(c, only_searches_that_can_have_remote_threads_get_them);
	tcase_add_test(c, tasks_that_are_none_are_refused_with_words);
	tcase_add_test(c, solved_positions_help_another_runner_and_are_true);
	tcase_add_test(c, runners_share_a_cache);
	tcase_add_test(c, tasks_say_what_siblings_are_worth);
}
