/* The check of a directory: what a search left is accepted, and whatever is added to it that does not follow is found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/proofs/maintenance/check.h"
#include "solver/stored.h"
#include "store/store.h"
#include "tests/support/effort.h"
#include "tests/support/insession.h"
#include "tests/support/oracle.h"
#include "tests/support/retro.h"
#include "tests/support/storedir.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

struct heard {
	unsigned problems, progress;
	char first[1024];
};

static void note_problem(void *ctx, const char *text)
{
	struct heard *h = ctx;
	if (!h->problems++)
		snprintf(h->first, sizeof h->first, "%s", text);
}

static void progress(void *ctx, const struct sv_check *so_far)
{
	struct heard *h = ctx;
	h->progress++;
	ck_assert_uint_le(so_far->skipped, so_far->facts);
}

static struct sv_check check_directory(const char *dir, unsigned threads, struct heard *h)
{
	struct sv_check sum;
	struct pd_fail fail;
	*h = (struct heard){0};
	ck_assert_msg(!sv_check_directory(dir,
					  &(struct sv_check_order){TEST_GRAPHS, threads, note_problem, progress, h},
					  &sum, &fail),
		      "%s", fail.text);
	ck_assert_uint_eq(sum.problems, h->problems);
	return sum;
}

/* Solves a question in a new directory. */
static void solve_in_directory(char *dir, const char *params)
{
	struct insession s;
	char state[16];
	bool ok;
	pr_ref result;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	struct pr_doc *doc = insession_call(&s, "job.submit", params, &ok, &result);
	ck_assert_msg(ok, "%s", params);
	insession_wait(&s, (unsigned)pr_get_int(result, "job", 0), state);
	ck_assert_str_eq(state, "solved");
	pr_doc_free(doc);
	insession_close(&s);
}

/* Adds a reason to the fact of a key. */
static int add_reason(const char *dir, const char *game, uint64_t rules_version, const uint8_t *key, size_t size,
		      const struct pd_reason *r)
{
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail;
	uint32_t id;
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_batch_begin(store, &batch, &fail));
	ck_assert(!st_batch_game(batch, game, rules_version, &id, &fail));
	int rc = st_batch_fact(batch, id, key, size, r, &fail);
	if (rc)
		st_batch_abort(batch);
	else
		ck_assert(!st_batch_commit(batch, &fail));
	st_close(store);
	return rc;
}

static void forge_fact(const char *dir, const char *game, const char *position, struct pd_reason reason)
{
	struct game *g;
	uint8_t key[GAME_KEY_MAX];
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	ck_assert(!game_open(game, NULL, &g, NULL));
	ck_assert(!g->rules->parse(g, position, state, NULL));
	ck_assert(!add_reason(dir, g->name, g->rules_version, key, g->rules->key(g, state, key), &reason));
	game_close(g);
}

START_TEST(what_a_search_left_is_accepted)
{
	static const char *const questions[] = {
		"\"game\":\"connect4:4x4\"",
		"\"game\":\"connect4:4x4\",\"detail\":\"full\"",
		"\"game\":\"connect4:5x4\",\"claim\":\"first-wins\",\"seed\":7",
		"\"game\":\"mnk:4,3,3\",\"detail\":\"full\",\"algorithm\":\"pn\"",
		"\"game\":\"mnk:4,4,3\",\"algorithm\":\"pds\"",
		"\"game\":\"hex:4\",\"claim\":\"second-wins\"",
		"\"game\":\"hex:3x4\",\"claim\":\"first-draws\",\"detail\":\"full\"",
		"\"game\":\"mnk:3,3,3\",\"algorithm\":\"paper\",\"detail\":\"full\"",
	};
	for (unsigned i = 0; i < sizeof questions / sizeof *questions; i++) {
		char dir[64];
		struct heard h;
		solve_in_directory(dir, questions[i]);
		for (unsigned threads = 1; threads <= 3; threads += 2) {
			struct sv_check sum = check_directory(dir, threads, &h);
			ck_assert_msg(!sum.problems, "%s: %s", questions[i], h.first);
			ck_assert_uint_gt(sum.facts, 0);
			ck_assert_uint_ge(sum.reasons, sum.facts);
			ck_assert_uint_gt(h.progress, 0);
			if (strstr(questions[i], "full"))
				ck_assert_uint_eq(sum.leaves, 0);
		}
		scratch_remove(dir);
	}
}
END_TEST

START_TEST(a_leaf_cannot_vouch_for_itself)
{
	/* Second wins 6x4, 5x4 is a draw; the search for the opposite may ask for every fact but this one. (The prover
	 * hides it once more, for what takes over from a tree that is outgrown: solver.solver has one so small.) */
	bool small = effort() < 10;
	struct pd_reason leaf = {
		.bound = 1, .side = PD_LO, .rank = small ? 19 : 23, .move = PD_NO_MOVE, .effort = 1000};
	char dir[64];
	struct heard h;
	scratch_dir(dir);
	forge_fact(dir, small ? "connect4:5x4" : "connect4:6x4", "", leaf);
	check_directory(dir, 1, &h);
	ck_assert_uint_eq(h.problems, 1);
	scratch_remove(dir);
}
END_TEST

/* Efforts have others in them again and again, and an honest one may be far beyond the nodes of all searches. What is
 * true is found in a small part of them, and what is not is no more believed for it. */
START_TEST(an_effort_far_too_large_costs_nothing)
{
	static const char position[] = "8/3R4/6p1/8/5p2/8/3PP2N/7R b - -";
	struct pd_reason leaf = {.bound = 1, .side = PD_LO, .rank = 19, .move = PD_NO_MOVE, .effort = UINT32_MAX};
	char dir[64];
	struct heard h;
	scratch_dir(dir);
	forge_fact(dir, "antichess", position, leaf);
	struct sv_check sum = check_directory(dir, 1, &h);
	ck_assert_msg(h.problems == 0, "%s", h.first);
	ck_assert_uint_lt(sum.leaf_nodes, 1 << 20);
	scratch_remove(dir);
	scratch_dir(dir);
	leaf = (struct pd_reason){
		.bound = 0, .side = PD_HI, .rank = PD_RANK_NONE, .move = PD_NO_MOVE, .effort = UINT32_MAX};
	forge_fact(dir, "antichess", position, leaf);
	sum = check_directory(dir, 1, &h);
	ck_assert_uint_eq(h.problems, 1);
	ck_assert_msg(strstr(h.first, "finds the opposite") != NULL, "%s", h.first);
	ck_assert_uint_lt(sum.leaf_nodes, 1 << 24);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_leaf_has_its_bound_after_the_move_that_it_names)
{
	static const char position[] = "a1 a2 b1 b2 c1 d4"; /* First, to move, has three in a row */
	static const struct {
		const char *move;
		uint16_t rank;
		const char *fault; /* NULL: none */
	} rows[] = {{"d1", 1, NULL}, {"d1", 9, NULL}, {"a3", 9, "its move does not"}, {"a3", 1, "its move does not"}};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pd_reason leaf = {.bound = 1, .side = PD_LO, .rank = rows[i].rank, .effort = 400};
		_Alignas(16) uint8_t state[GAME_STATE_MAX];
		struct game *g;
		char dir[64];
		struct heard h;
		game_move move;
		ck_assert(!game_open("mnk:4,4,4", NULL, &g, NULL));
		ck_assert(!g->rules->parse(g, position, state, NULL));
		ck_assert(!g->rules->move_parse(g, state, rows[i].move, &move, NULL));
		leaf.move = game_canon(g, state, move, false);
		game_close(g);
		scratch_dir(dir);
		forge_fact(dir, "mnk:4,4,4", position, leaf);
		check_directory(dir, 1, &h);
		ck_assert_msg(h.problems == (rows[i].fault != NULL), "row %u: %s", i, h.first);
		ck_assert(!rows[i].fault || strstr(h.first, rows[i].fault));
		scratch_remove(dir);
	}
}
END_TEST

/* A bound that is true of a position, with a rank that may be larger than need be, and a winner's move that keeps the
 * bound, in time or not, or none. `claim`: that First gets at least the value after `below`. */
static struct pd_reason true_leaf(const struct game *g, const struct retro *retro, unsigned claim, int below,
				  uint32_t at, uint64_t *seed)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_reason leaf = {.rank = PD_RANK_NONE, .move = PD_NO_MOVE, .effort = 10};
	game_move moves[GAME_MOVES_MAX];
	unsigned plies, after;
	bool holds = retro_holds_at(retro, claim, at, &plies);
	leaf.side = holds ? PD_LO : PD_HI;
	leaf.bound = (int16_t)(holds ? below + g->value_step : below);
	if (pn_bound_ranked(g, leaf.side, leaf.bound))
		leaf.rank = (uint16_t)(plies + walk_below(seed, 3));
	retro_state(retro, at, state);
	bool own = g->rules->first_to_move(g, state) == holds;
	unsigned count = g->rules->moves(g, state, moves);
	game_move move = moves[walk_below(seed, count)], named = game_canon(g, state, move, false);
	g->rules->play(g, state, move);
	if (own && retro_holds(retro, claim, state, &after) == holds && (leaf.rank > 1 || !after))
		leaf.move = named;
	return leaf;
}

/* Whatever search found them: also leaves of other searches than today's. */
START_TEST(every_true_leaf_is_accepted)
{
	static const struct {
		const char *game, *start;
	} rows[] = {{"mnk:3,3,3", ""},
		    {"othello:4", ""},
		    {"checkers:4", ""},
		    {"chess-variant:racingkings", "8/8/8/8/8/8/k6K/8 w - -"}};
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint64_t seed = walk_seed("server.check", 5);
	unsigned moved = 0, claim[64];
	struct game *g;
	struct heard h;
	char dir[64];
	ck_assert(!game_open(rows[_i].game, NULL, &g, NULL));
	ck_assert(!g->rules->parse(g, rows[_i].start, state, NULL));
	struct retro *retro = retro_new(g, 100000);
	int values = (g->value_max - g->value_min) / g->value_step;
	ck_assert(retro_add(retro, state));
	for (int i = 0; i < values; i++)
		claim[i] = retro_solve(retro, g->value_min + (i + 1) * g->value_step);
	scratch_dir(dir);
	for (unsigned i = 0; i < 60; i++) {
		uint32_t at = walk_below(&seed, retro_positions(retro));
		unsigned below = walk_below(&seed, (unsigned)values);
		size_t size;
		if (retro_over(retro, at))
			continue;
		const uint8_t *key = retro_key(retro, at, &size);
		struct pd_reason leaf =
			true_leaf(g, retro, claim[below], g->value_min + (int)below * g->value_step, at, &seed);
		ck_assert_int_eq(add_reason(dir, g->name, g->rules_version, key, size, &leaf), 0);
		moved += leaf.move != PD_NO_MOVE;
	}
	struct sv_check sum = check_directory(dir, 1, &h);
	ck_assert_msg(!h.problems, "%s: %s", rows[_i].game, h.first);
	ck_assert_uint_gt(sum.leaves, 20);
	ck_assert_uint_gt(moved, 5);
	retro_free(retro);
	game_close(g);
	scratch_remove(dir);
}
END_TEST

START_TEST(records_of_jobs_must_decode)
{
	char dir[64];
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail;
	struct heard h;
	uint32_t job;
	solve_in_directory(dir, "\"game\":\"mnk:3,3,3\"");
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_batch_begin(store, &batch, &fail));
	ck_assert(!st_batch_job_new(batch, &job, &fail));
	ck_assert(!st_batch_job_put(batch, job, "{\"v\":1,\"state\":\"asleep\"}", 24, &fail));
	ck_assert(!st_batch_commit(batch, &fail));
	st_close(store);
	check_directory(dir, 1, &h);
	ck_assert_uint_eq(h.problems, 1);
	ck_assert_ptr_nonnull(strstr(h.first, "job 2"));
	scratch_remove(dir);
}
END_TEST

START_TEST(facts_of_games_that_are_not_here_are_counted)
{
	char dir[64];
	struct heard h;
	struct pd_reason r = {.bound = 1, .side = PD_LO, .rank = 1, .move = 0};
	scratch_dir(dir);
	ck_assert(!add_reason(dir, "no-such-game:8", 1, (const uint8_t *)"key", 3, &r));
	ck_assert(!add_reason(dir, "mnk:3,3,3", 12345, (const uint8_t *)"key", 3,
			      &r)); /* other rules under the same name */
	struct sv_check sum = check_directory(dir, 1, &h);
	ck_assert_uint_eq(sum.problems, 0);
	ck_assert_uint_eq(sum.facts, 2);
	ck_assert_uint_eq(sum.skipped, 2);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_key_must_be_a_key)
{
	char dir[64];
	struct heard h;
	struct game *g;
	struct pd_reason r = {.bound = 1, .side = PD_LO, .rank = 1, .move = 0};
	scratch_dir(dir);
	ck_assert(!game_open("mnk:3,3,3", NULL, &g, NULL));
	ck_assert(!add_reason(dir, g->name, g->rules_version, (const uint8_t *)"no key of this game", 19, &r));
	ck_assert(!add_reason(dir, g->name, g->rules_version, (const uint8_t *)"\xff", 1, &r));
	check_directory(dir, 1, &h);
	ck_assert_uint_eq(h.problems, 2);
	game_close(g);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_directory_that_is_not_there_is_an_error)
{
	struct sv_check sum;
	struct pd_fail fail;
	struct heard h = {0};
	ck_assert(sv_check_directory("/nonexistent/proofd", &(struct sv_check_order){NULL, 1, note_problem, NULL, &h},
				     &sum, &fail));
	ck_assert_str_ne(fail.text, "");
}
END_TEST

/* --- forgeries on top of true facts ------------------------------------------------------- */

enum { FACTS_MAX = 4000 };

struct stored {
	uint8_t key[GAME_KEY_MAX];
	size_t size;
	struct pd_fact fact;
};

struct collection {
	struct stored *facts;
	unsigned count;
};

static int collect_facts(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct collection *c = ctx;
	if (c->count == FACTS_MAX)
		return PD_OK;
	struct stored *f = &c->facts[c->count++];
	memcpy(f->key, key, size);
	f->size = size;
	ck_assert(pd_fact_copy(&f->fact, fact));
	return PD_OK;
}

static void collect_all(const char *dir, struct collection *c)
{
	struct st_store *store;
	struct st_reader *reader;
	struct pd_fail fail;
	c->facts = calloc(FACTS_MAX, sizeof *c->facts);
	c->count = 0;
	ck_assert(!st_open(dir, ST_READ_ONLY, &store, &fail));
	ck_assert(!st_reader_open(store, &reader, &fail));
	ck_assert(!st_fact_each(reader, collect_facts, c, &fail));
	st_reader_close(reader);
	st_close(store);
}

/* A reason that says more than is so: the bound is true, but the game cannot be decided that soon. False when there is
 * none. */
static bool too_quick(struct game *g, struct oracle *oracle, const struct stored *f, struct pd_reason *out)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	unsigned rank;
	*out = pd_fact_reasons(&f->fact)[0];
	ck_assert(!g->rules->unkey(g, f->key, f->size, state));
	int threshold = out->side == PD_LO ? out->bound : out->bound + g->value_step;
	ck_assert(oracle_claim(oracle, state, threshold, &rank) == (out->side == PD_LO));
	ck_assert_uint_ge(out->rank, rank);
	out->effort = 0;
	out->rank = (uint16_t)(rank - 1);
	return rank > 1;
}

/* A reason with the move changed to another one, which may not even be legal; or to none. */
static bool another_move(struct game *g, const struct stored *f, unsigned n, struct pd_reason *out)
{
	*out = pd_fact_reasons(&f->fact)[0];
	if (out->move == PD_NO_MOVE || out->rank < 2)
		return false;
	out->move = n % 2 ? PD_NO_MOVE : (uint16_t)(0x7f00 + n);
	out->rank--; /* else the store has no use for it */
	out->effort = 0;
	return true;
}

START_TEST(every_forgery_on_true_facts_is_found)
{
	static const char *const questions[][2] = {
		{"connect4:4x4", "\"game\":\"connect4:4x4\",\"detail\":\"full\""},
		{"mnk:4,3,3", "\"game\":\"mnk:4,3,3\",\"detail\":\"full\""},
		{"mnk:4,3,3", "\"game\":\"mnk:4,3,3\""},
	};
	unsigned forgeries = 0;
	for (unsigned q = 0; q < sizeof questions / sizeof *questions; q++) {
		char dir[64];
		struct game *g;
		struct collection all;
		solve_in_directory(dir, questions[q][1]);
		collect_all(dir, &all);
		ck_assert(!game_open(questions[q][0], NULL, &g, NULL));
		struct oracle *oracle = oracle_new(g);
		for (unsigned i = 0; i < 16; i++) {
			const struct stored *f = &all.facts[i * 7919 % all.count];
			struct pd_reason reason;
			struct heard h;
			char copy[128];
			bool made = i % 2 ? too_quick(g, oracle, f, &reason) : another_move(g, f, i / 2, &reason);
			if (!made)
				continue;
			storedir_copy(dir, copy, sizeof copy);
			if (!add_reason(copy, g->name, g->rules_version, f->key, f->size, &reason)) {
				check_directory(copy, 1, &h);
				ck_assert_msg(h.problems > 0, "%s: forgery %u is accepted", questions[q][1], i);
				ck_assert_ptr_nonnull(strstr(h.first, questions[q][0]));
				forgeries++;
			}
			storedir_remove(copy);
		}
		oracle_free(oracle);
		game_close(g);
		for (unsigned i = 0; i < all.count; i++)
			pd_fact_fini(&all.facts[i].fact);
		free(all.facts);
		scratch_remove(dir);
	}
	ck_assert_uint_ge(forgeries, 12);
}
END_TEST

SUITE(check)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, what_a_search_left_is_accepted);
	tcase_add_test(c, a_leaf_cannot_vouch_for_itself);
	tcase_add_test(c, an_effort_far_too_large_costs_nothing);
	tcase_add_test(c, a_leaf_has_its_bound_after_the_move_that_it_names);
	tcase_add_loop_test(c, every_true_leaf_is_accepted, 0, 4);
	tcase_add_test(c, records_of_jobs_must_decode);
	tcase_add_test(c, facts_of_games_that_are_not_here_are_counted);
	tcase_add_test(c, a_key_must_be_a_key);
	tcase_add_test(c, a_directory_that_is_not_there_is_an_error);
	tcase_add_test(c, every_forgery_on_true_facts_is_found);
}
