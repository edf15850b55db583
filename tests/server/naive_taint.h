/* Taint the naive way: what has to stay is computed again, fact by fact and in one thread, by code that shares nothing
 * with the server's. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/common/open_games.h"
#include "server/jobs/model/job.h"
#include "server/jobs/model/job_record.h"
#include "server/jobs/model/job_spec.h"
#include "server/jobs/model/job_state.h"
#include "server/proofs/maintenance/check.h"
#include "server/proofs/maintenance/retraction.h"
#include "store/store.h"
#include "tests/support/insession.h"
#include "tests/support/retro.h"
#include "tests/support/storedir.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

/* --- facts of a directory ----------------------------------------------------------------- */

struct stored {
	uint32_t game;
	uint8_t key[GAME_KEY_MAX];
	size_t size;
	struct pd_reason reason;
	bool gone;
};

struct facts { /* one entry a reason, in key order */
	struct stored *at;
	size_t count, room;
};

static inline int collect_facts(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct facts *f = ctx;
	for (unsigned i = 0; i < fact->count; i++) {
		if (f->count == f->room) {
			f->room = f->room ? 2 * f->room : 1024;
			f->at = realloc(f->at, f->room * sizeof *f->at);
		}
		struct stored *s = &f->at[f->count++];
		*s = (struct stored){.game = game, .size = size, .reason = pd_fact_reasons(fact)[i]};
		memcpy(s->key, key, size);
	}
	return PD_OK;
}

static inline struct facts facts_of(const char *dir)
{
	struct facts f = {0};
	struct st_store *store;
	struct st_reader *reader;
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(!st_open(dir, ST_READ_ONLY, &store, &fail), "%s", fail.text);
	ck_assert(!st_reader_open(store, &reader, &fail));
	ck_assert(!st_fact_each(reader, collect_facts, &f, &fail));
	st_reader_close(reader);
	st_close(store);
	return f;
}

static inline int key_order(const struct stored *s, uint32_t game, const uint8_t *key, size_t size)
{
	if (s->game != game)
		return s->game < game ? -1 : 1;
	int order = memcmp(s->key, key, s->size < size ? s->size : size);
	return order ? order : (s->size > size) - (s->size < size);
}

/* The first reason of a key; count when there is none. */
static inline size_t first_of(const struct facts *f, uint32_t game, const uint8_t *key, size_t size)
{
	size_t low = 0, high = f->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (key_order(&f->at[middle], game, key, size) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->count && !key_order(&f->at[low], game, key, size) ? low : f->count;
}

static inline bool are_same(const struct stored *a, const struct stored *b)
{
	const struct pd_reason *x = &a->reason, *y = &b->reason;
	return !key_order(a, b->game, b->key, b->size) && x->bound == y->bound && x->side == y->side &&
	       x->rank == y->rank && x->move == y->move && x->effort == y->effort && x->job == y->job;
}

/* --- the naive way ------------------------------------------------------------------------ */

static inline bool stands_below(const struct facts *f, const struct game *g, const struct stored *s, const void *state,
				game_move move)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	int value;
	memcpy(child, state, g->state_size);
	g->rules->play(g, child, move);
	if (g->rules->terminal(g, child, &value))
		return s->reason.side == PD_LO ? value >= s->reason.bound : value <= s->reason.bound;
	size_t size = g->rules->key(g, child, key);
	for (size_t i = first_of(f, s->game, key, size); i < f->count && !key_order(&f->at[i], s->game, key, size);
	     i++) {
		const struct pd_reason *r = &f->at[i].reason;
		bool strong = r->side == s->reason.side &&
			      (r->side == PD_LO ? r->bound >= s->reason.bound : r->bound <= s->reason.bound);
		if (strong && !f->at[i].gone && (s->reason.rank == PD_RANK_NONE || r->rank < s->reason.rank))
			return true;
	}
	return false;
}

/* Leaves stay: in these games the rules alone find each of them again. */
static inline bool stands_alone(const struct facts *f, const struct game *g, const struct stored *s)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	if (s->reason.effort)
		return true;
	ck_assert(!g->rules->unkey(g, s->key, s->size, state));
	unsigned count = g->rules->moves(g, state, moves), good = 0;
	bool own = g->rules->first_to_move(g, state) == (s->reason.side == PD_LO);
	for (unsigned i = 0; i < count; i++) {
		bool holds = stands_below(f, g, s, state, moves[i]);
		if (own && holds && game_canon(g, state, moves[i], false) == s->reason.move)
			return true;
		good += holds;
	}
	return !own && good == count;
}

struct naive {
	size_t chosen, fallen;
};

static inline struct naive naive_taint(struct facts *f, const struct game *g, uint32_t game_id, uint32_t job)
{
	struct naive n = {0};
	for (size_t i = 0; i < f->count; i++) {
		f->at[i].gone = f->at[i].reason.job == job;
		n.chosen += f->at[i].gone;
	}
	for (bool fell = true; fell;) {
		fell = false;
		for (size_t i = 0; i < f->count; i++)
			if (f->at[i].game == game_id && !f->at[i].gone && !stands_alone(f, g, &f->at[i])) {
				f->at[i].gone = fell = true;
				n.fallen++;
			}
	}
	return n;
}

/* --- around it ---------------------------------------------------------------------------- */

static inline void note_problem(void *ctx, const char *text)
{
	printf("check: %s\n", text);
}

static inline void assert_clean(const char *dir, const char *graphs)
{
	struct sv_check sum;
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(
		!sv_check_directory(dir, &(struct sv_check_order){graphs, 2, note_problem, NULL, NULL}, &sum, &fail),
		"%s", fail.text);
	ck_assert_uint_eq(sum.problems, 0);
	ck_assert_uint_eq(sum.skipped, 0);
}

static inline struct sv_retracted taint_naively(const char *dir, struct sv_retraction_order order)
{
	struct sv_retracted sum;
	struct pd_fail fail = {.text = ""};
	order.threads = order.threads ? order.threads : 2;
	order.graphs = order.graphs ? order.graphs : TEST_GRAPHS;
	ck_assert_msg(!sv_retract(dir, &order, &sum, &fail), "%s: %s", fail.field, fail.text);
	return sum;
}

static inline int try_taint(const char *dir, struct sv_retraction_order order, struct pd_fail *fail)
{
	struct sv_retracted sum;
	return sv_retract(dir, &order, &sum, fail);
}

static inline void assert_same_facts(const struct facts *expected, const char *dir)
{
	struct facts found = facts_of(dir);
	size_t n = 0;
	for (size_t i = 0; i < expected->count; i++) {
		if (expected->at[i].gone)
			continue;
		ck_assert_msg(n < found.count, "facts are missing");
		ck_assert_msg(are_same(&expected->at[i], &found.at[n]), "another fact than expected, number %zu", n);
		n++;
	}
	ck_assert_msg(n == found.count, "%zu reasons too many", found.count - n);
	free(found.at);
}

static inline unsigned submit_job(struct insession *s, const char *params)
{
	bool ok;
	pr_ref result;
	char state[16];
	struct pr_doc *doc = insession_call(s, "job.submit", params, &ok, &result);
	ck_assert_msg(ok, "%s", params);
	unsigned job = (unsigned)pr_get_int(result, "job", 0);
	pr_doc_free(doc);
	insession_wait(s, job, state);
	ck_assert_str_eq(state, "solved");
	return job;
}

/* A copy of a member of a job's, as JSON. */
static inline char *read_member(struct insession *s, unsigned job, const char *name)
{
	char params[32];
	bool ok;
	pr_ref result;
	snprintf(params, sizeof params, "\"job\":%u", job);
	struct pr_doc *doc = insession_call(s, "job.get", params, &ok, &result);
	ck_assert(ok);
	char *text = pr_dump(pr_get(result, name), NULL);
	pr_doc_free(doc);
	return text;
}

static inline void assert_member(struct insession *s, unsigned job, const char *name, const char *expected)
{
	char *text = read_member(s, job, name);
	ck_assert_str_eq(text, expected);
	free(text);
}
