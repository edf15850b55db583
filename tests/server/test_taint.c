/* Taint: what a job, a version of rules or a version of the program has found goes, with all that depends on it, and
 * nothing else does. What has to stay is computed again here, fact by fact and in one thread, by code that shares
 * nothing with the server's. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/common/open_games.h"
#include "server/jobs/job.h"
#include "server/jobs/job_record.h"
#include "server/jobs/job_spec.h"
#include "server/jobs/job_state.h"
#include "server/proofs/check.h"
#include "server/proofs/retraction.h"
#include "store/store.h"
#include "tests/support/check_main.h"
#include "tests/support/insession.h"
#include "tests/support/retro.h"
#include "tests/support/storedir.h"
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

static int collect(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
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

static struct facts facts_of(const char *dir)
{
	struct facts f = {0};
	struct st_store *store;
	struct st_reader *reader;
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(!st_open(dir, ST_READ_ONLY, &store, &fail), "%s", fail.text);
	ck_assert(!st_reader_open(store, &reader, &fail));
	ck_assert(!st_fact_each(reader, collect, &f, &fail));
	st_reader_close(reader);
	st_close(store);
	return f;
}

static int key_order(const struct stored *s, uint32_t game, const uint8_t *key, size_t size)
{
	if (s->game != game)
		return s->game < game ? -1 : 1;
	int order = memcmp(s->key, key, s->size < size ? s->size : size);
	return order ? order : (s->size > size) - (s->size < size);
}

/* The first reason of a key; count when there is none. */
static size_t first_of(const struct facts *f, uint32_t game, const uint8_t *key, size_t size)
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

static bool same(const struct stored *a, const struct stored *b)
{
	const struct pd_reason *x = &a->reason, *y = &b->reason;
	return !key_order(a, b->game, b->key, b->size) && x->bound == y->bound && x->side == y->side &&
	       x->rank == y->rank && x->move == y->move && x->effort == y->effort && x->job == y->job;
}

/* --- the naive way ------------------------------------------------------------------------ */

static bool stands_below(const struct facts *f, const struct game *g, const struct stored *s, const void *state,
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
static bool stands(const struct facts *f, const struct game *g, const struct stored *s)
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

static struct naive naive_taint(struct facts *f, const struct game *g, uint32_t game_id, uint32_t job)
{
	struct naive n = {0};
	for (size_t i = 0; i < f->count; i++) {
		f->at[i].gone = f->at[i].reason.job == job;
		n.chosen += f->at[i].gone;
	}
	for (bool fell = true; fell;) {
		fell = false;
		for (size_t i = 0; i < f->count; i++)
			if (f->at[i].game == game_id && !f->at[i].gone && !stands(f, g, &f->at[i])) {
				f->at[i].gone = fell = true;
				n.fallen++;
			}
	}
	return n;
}

/* --- around it ---------------------------------------------------------------------------- */

static void problem(void *ctx, const char *text)
{
	(void)ctx;
	printf("check: %s\n", text);
}

static void assert_clean(const char *dir, const char *graphs)
{
	struct sv_check sum;
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(!sv_check_directory(dir, &(struct sv_check_order){graphs, 2, problem, NULL, NULL}, &sum, &fail),
		      "%s", fail.text);
	ck_assert_uint_eq(sum.problems, 0);
	ck_assert_uint_eq(sum.skipped, 0);
}

static struct sv_retracted taint(const char *dir, struct sv_retraction_order order)
{
	struct sv_retracted sum;
	struct pd_fail fail = {.text = ""};
	order.threads = order.threads ? order.threads : 2;
	order.graphs = order.graphs ? order.graphs : TEST_GRAPHS;
	ck_assert_msg(!sv_retract(dir, &order, &sum, &fail), "%s: %s", fail.field, fail.text);
	return sum;
}

static int refused(const char *dir, struct sv_retraction_order order, struct pd_fail *fail)
{
	struct sv_retracted sum;
	return sv_retract(dir, &order, &sum, fail);
}

static void assert_same_facts(const struct facts *expected, const char *dir)
{
	struct facts found = facts_of(dir);
	size_t n = 0;
	for (size_t i = 0; i < expected->count; i++) {
		if (expected->at[i].gone)
			continue;
		ck_assert_msg(n < found.count, "facts are missing");
		ck_assert_msg(same(&expected->at[i], &found.at[n]), "another fact than expected, number %zu", n);
		n++;
	}
	ck_assert_msg(n == found.count, "%zu reasons too many", found.count - n);
	free(found.at);
}

static unsigned submit(struct insession *s, const char *params)
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
static char *member(struct insession *s, unsigned job, const char *name)
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

static void assert_member(struct insession *s, unsigned job, const char *name, const char *expected)
{
	char *text = member(s, job, name);
	ck_assert_str_eq(text, expected);
	free(text);
}

/* --- jobs that share facts ---------------------------------------------------------------- */

struct sharing {
	const char *game;
	const char *positions[3]; /* of the jobs */
};

static const struct sharing sharings[] = {
	{"connect4:4x4", {"2", "", "13"}},
	{"mnk:4,3,3", {"b2", "", "a1"}},
	{"mnk:3,3,3", {"b2 a1", "", "c3"}},
};

/* Every job's facts are kept whole, so leaves play no part. */
START_TEST(a_job_takes_what_depends_on_it_along)
{
	const struct sharing *sharing = &sharings[_i];
	char dir[64];
	struct insession s;
	struct game *g;
	char *values[3];
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	submit(&s, "\"game\":\"connect4:4x3\"");
	for (unsigned i = 0; i < 3; i++) {
		char params[128];
		snprintf(params, sizeof params, "\"game\":\"%s\",\"position\":\"%s\",\"detail\":\"full\"",
			 sharing->game, sharing->positions[i]);
		ck_assert_uint_eq(submit(&s, params), i + 2);
		values[i] = member(&s, i + 2, "value");
		assert_member(&s, i + 2, "engines", "[\"" PD_VERSION "\"]");
	}
	insession_close(&s);
	ck_assert(!game_open(sharing->game, NULL, &g, NULL));
	size_t dependent = 0;
	for (uint32_t job = 2; job <= 4; job++) {
		char copy[128];
		storedir_copy(dir, copy, sizeof copy);
		struct facts expected = facts_of(copy);
		struct naive n = naive_taint(&expected, g, 2, job);
		ck_assert_uint_gt(n.chosen, 0);
		dependent += n.fallen;
		struct sv_retracted dry = taint(copy, (struct sv_retraction_order){.job = job, .dry_run = true});
		struct facts before = facts_of(copy);
		assert_same_facts(&before, dir); /* nothing has changed */
		free(before.at);
		struct sv_retracted sum = taint(copy, (struct sv_retraction_order){.job = job, .threads = job});
		ck_assert(!memcmp(&sum, &dry, sizeof sum));
		ck_assert_uint_eq(sum.chosen, n.chosen);
		ck_assert_uint_eq(sum.fallen, n.fallen);
		ck_assert_uint_eq(sum.kept, expected.count - n.chosen - n.fallen);
		ck_assert_uint_eq(sum.rounds > 0, n.fallen > 0);
		ck_assert_uint_eq(sum.jobs, 3);
		assert_same_facts(&expected, copy);
		assert_clean(copy, TEST_GRAPHS);
		free(expected.at);

		insession_open(&s, copy, 0, 0.05);
		assert_member(&s, 1, "state", "\"solved\"");
		for (uint32_t i = 2; i <= 4; i++) {
			assert_member(&s, i, "state", "\"queued\"");
			assert_member(&s, i, "value", "{\"lo\":null,\"hi\":null,\"text\":\"unknown\"}");
			assert_member(&s, i, "engines", i == job ? "[]" : "[\"" PD_VERSION "\"]");
		}
		insession_close(&s);
		insession_open(&s, copy, 1, 0.05);
		for (uint32_t i = 2; i <= 4; i++) {
			char state[16];
			insession_wait(&s, i, state);
			ck_assert_str_eq(state, "solved");
			assert_member(&s, i, "value", values[i - 2]);
			assert_member(&s, i, "engines", "[\"" PD_VERSION "\"]");
			char params[32];
			bool ok;
			pr_ref result;
			snprintf(params, sizeof params, "\"job\":%u", i);
			struct pr_doc *doc = insession_call(&s, "job.history", params, &ok, &result);
			bool told = false;
			for (size_t k = 0; k < pr_count(pr_get(result, "points")); k++)
				told |= strstr(pr_get_str(pr_at(pr_get(result, "points"), k), "event", ""),
					       "begins again: facts of job") != NULL;
			ck_assert(told);
			pr_doc_free(doc);
		}
		insession_close(&s);
		assert_clean(copy, TEST_GRAPHS);
		storedir_remove(copy);
	}
	ck_assert_uint_gt(dependent, 0); /* else the jobs shared nothing */
	for (unsigned i = 0; i < 3; i++)
		free(values[i]);
	game_close(g);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_version_of_rules_or_of_the_program_takes_all_it_has_found)
{
	char dir[64];
	struct insession s;
	struct game *g;
	struct sv_retracted sum;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	submit(&s, "\"game\":\"connect4:4x3\"");
	submit(&s, "\"game\":\"mnk:3,3,3\"");
	insession_close(&s);
	ck_assert(!game_open("mnk:3,3,3", NULL, &g, NULL));
	struct facts expected = facts_of(dir);
	size_t chosen = 0;
	for (size_t i = 0; i < expected.count; i++) {
		expected.at[i].gone = expected.at[i].game == 2;
		chosen += expected.at[i].gone;
	}
	sum = taint(dir, (struct sv_retraction_order){.game = "mnk:3,3,3", .rules_version = g->rules_version});
	ck_assert_uint_eq(sum.chosen, chosen);
	ck_assert_uint_eq(sum.fallen, 0);
	ck_assert_uint_eq(sum.jobs, 1);
	assert_same_facts(&expected, dir);
	insession_open(&s, dir, 0, 0.05);
	assert_member(&s, 1, "state", "\"solved\"");
	assert_member(&s, 2, "state", "\"queued\"");
	insession_close(&s);
	sum = taint(dir, (struct sv_retraction_order){.engine = PD_VERSION});
	ck_assert_uint_eq(sum.chosen, expected.count - chosen);
	ck_assert_uint_eq(sum.kept, 0);
	ck_assert_uint_eq(sum.jobs, 1); /* the other one has nothing yet */
	for (size_t i = 0; i < expected.count; i++)
		expected.at[i].gone = true;
	assert_same_facts(&expected, dir);
	assert_clean(dir, TEST_GRAPHS);
	insession_open(&s, dir, 1, 0.05);
	for (unsigned job = 1; job <= 2; job++) {
		char state[16];
		insession_wait(&s, job, state);
		ck_assert_str_eq(state, "solved");
	}
	insession_close(&s);
	assert_clean(dir, TEST_GRAPHS);
	game_close(g);
	free(expected.at);
	scratch_remove(dir);
}
END_TEST

static int count_entries(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	(void)entries;
	*(size_t *)ctx += count;
	return PD_OK;
}

/* A table has solved entries that depend on facts, so it goes as well: of paused jobs, of jobs that ran when the server
 * was killed. */
START_TEST(tables_of_jobs_go)
{
	char dir[64];
	struct insession s;
	struct st_store *store;
	struct pd_fail fail;
	bool ok;
	pr_ref result;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	submit(&s, "\"game\":\"connect4:5x5\",\"position\":\"33\",\"memory\":\"4M\"");
	pr_doc_free(insession_call(&s, "job.submit",
				   "\"game\":\"connect4:5x5\",\"budget\":{\"nodes\":60000},\"memory\":\"4M\"", &ok,
				   &result));
	char state[16];
	insession_wait(&s, 2, state);
	ck_assert_str_eq(state, "exhausted");
	pr_doc_free(insession_call(&s, "job.set", "\"job\":2,\"budget\":{\"nodes\":0}", &ok, &result));
	pr_doc_free(insession_call(&s, "job.resume", "\"job\":2", &ok, &result));
	do
		insession_state(&s, 2, state);
	while (!strcmp(state, "queued"));
	pr_doc_free(insession_call(&s, "job.pause", "\"job\":2", &ok, &result));
	insession_wait(&s, 2, state);
	insession_close(&s);
	bool paused = !strcmp(state, "paused"); /* or it was quicker */
	ck_assert(!st_open(dir, 0, &store, &fail));
	size_t entries = 0;
	ck_assert(!st_tt_each(store, 2, count_entries, &entries, &fail));
	ck_assert(!paused || entries > 0);
	entries = 0;
	st_close(store);
	struct sv_retracted sum = taint(dir, (struct sv_retraction_order){.job = 1});
	ck_assert_uint_gt(sum.chosen, 0);
	ck_assert_uint_eq(sum.jobs, 2);
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_tt_each(store, 2, count_entries, &entries, &fail));
	ck_assert_uint_eq(entries, 0);
	st_close(store);
	insession_open(&s, dir, 0, 0.05);
	assert_member(&s, 2, "state", paused ? "\"paused\"" : "\"queued\"");
	assert_member(&s, 2, "nodes", "{\"level1\":0,\"level2\":0}");
	insession_close(&s);
	assert_clean(dir, TEST_GRAPHS);
	scratch_remove(dir);
}
END_TEST

/* --- graphs, with cycles and without ------------------------------------------------------ */

static void write_graph(const char *dir, uint64_t *r, bool cyclic)
{
	char path[128];
	snprintf(path, sizeof path, "%s/g.json", dir);
	FILE *file = fopen(path, "w");
	unsigned count = 6 + walk_below(r, 40);
	fprintf(file, "{\"root\":\"n0\",\"infinite\":%d,\"nodes\":{", (int)walk_below(r, 3) - 1);
	for (unsigned i = 0; i < count; i++) {
		unsigned children = 1 + walk_below(r, 3);
		fprintf(file, "%s\"n%u\":", i ? "," : "", i);
		if ((i && !walk_below(r, 5)) || (!cyclic && i + 1 == count)) {
			fprintf(file, "{\"value\":%d}", (int)walk_below(r, 3) - 1);
			continue;
		}
		uint64_t listed = 0;
		fprintf(file, "{\"%s\":[", walk_below(r, 2) ? "or" : "and");
		for (unsigned j = 0; j < children; j++) {
			unsigned child = cyclic ? walk_below(r, count) : i + 1 + walk_below(r, count - i - 1);
			if (!(listed >> child & 1))
				fprintf(file, "%s\"n%u\"", listed ? "," : "", child);
			listed |= UINT64_C(1) << child;
		}
		fprintf(file, "]}");
	}
	fprintf(file, "}}\n");
	ck_assert(!fclose(file));
}

/* The true reason about a claim at a position, justified one ply down. */
static struct pd_reason truth(const struct game *g, const struct retro *retro, unsigned claim, int threshold,
			      const void *state)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	unsigned distance, below;
	bool holds = retro_holds(retro, claim, state, &distance);
	struct pd_reason r = {.bound = (int16_t)(holds ? threshold : threshold - 1),
			      .side = holds ? PD_LO : PD_HI,
			      .move = PD_NO_MOVE};
	bool counted = g->acyclic || (holds ? r.bound > g->infinite_value : r.bound < g->infinite_value);
	r.rank = counted ? (uint16_t)distance : PD_RANK_NONE;
	if (g->rules->first_to_move(g, state) != holds)
		return r;
	unsigned count = g->rules->moves(g, state, moves);
	for (unsigned i = 0; i < count; i++) {
		memcpy(child, state, g->state_size);
		g->rules->play(g, child, moves[i]);
		if (retro_holds(retro, claim, child, &below) == holds && (!counted || below < distance))
			r.move = game_canon(g, state, moves[i], false);
	}
	ck_assert_uint_ne(r.move, PD_NO_MOVE);
	return r;
}

/* Records of solved jobs 1..count, of two versions in turn. */
static void put_jobs(struct st_batch *batch, const struct game *g, unsigned count)
{
	struct pd_fail fail = {.text = ""};
	for (unsigned i = 1; i <= count; i++) {
		struct sv_spec spec = {.game = strdup(g->name),
				       .position = strdup(""),
				       .threads = 1,
				       .memory = 1 << 20,
				       .value_min = -1,
				       .value_max = 1};
		struct pd_buf record;
		uint32_t job;
		pn_options_init(&spec.options);
		ck_assert(!pd_claim_parse("value", &spec.claim, &fail));
		struct sv_job *made = sv_job_new(&spec);
		made->started_ms = 1;
		sv_job_engine_add(made, i % 2 ? "0.0.7" : "0.0.77");
		pd_buf_init(&record, ST_JOB_MAX);
		sv_job_record(made, SV_PAUSED, NULL, &record);
		ck_assert(!st_batch_job_new(batch, &job, &fail));
		ck_assert(!st_batch_job_put(batch, job, record.data, record.size, &fail));
		pd_buf_fini(&record);
		sv_job_free(made);
	}
}

/* True facts about all positions of the graph, as if four jobs had found them, a few kept as leaves and a few missing.
 */
static void fill(const char *dir, const struct game *g, uint64_t *random)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail = {.text = ""};
	uint32_t id;
	struct retro *retro = retro_new(g, 64);
	g->rules->start(g, state);
	ck_assert(retro_add(retro, state));
	unsigned claim[2] = {retro_solve(retro, 0), retro_solve(retro, 1)};
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_batch_begin(store, &batch, &fail));
	ck_assert(!st_batch_game(batch, g->name, g->rules_version, &id, &fail));
	put_jobs(batch, g, 4);
	for (uint32_t i = 0; i < retro_positions(retro); i++) {
		retro_state(retro, i, state);
		size_t size = g->rules->key(g, state, key);
		for (int t = 0; t <= 1 && !retro_over(retro, i); t++) {
			struct pd_reason r = truth(g, retro, claim[t], t, state);
			unsigned draw = walk_below(random, 24);
			r.job = draw ? 2 + walk_below(random, 3) : 1;
			r.effort = walk_below(random, 12) ? 0 : 1 + walk_below(random, 50);
			if (draw != 5)
				ck_assert_msg(!st_batch_fact(batch, id, key, size, &r, &fail), "%s", fail.text);
		}
	}
	ck_assert(!st_batch_commit(batch, &fail));
	st_close(store);
	retro_free(retro);
}

/* Four out of five graphs with cycles. The facts are not closed at first, so job 1, which has few of them, is tainted
 * first; then job 2. */
START_TEST(graphs_fall_as_far_as_they_must)
{
	size_t fallen = 0, kept = 0, chosen = 0, rounds = 0, cycles = 0;
	for (uint64_t seed = 1; seed <= 45; seed++) {
		char dir[64], graphs[64];
		struct game *g;
		uint64_t random = seed * 77 + 1;
		struct pd_fail fail = {.text = ""};
		scratch_dir(dir);
		scratch_dir(graphs);
		write_graph(graphs, &random, seed % 5 > 0);
		struct game_host host = {graphs, sv_graph_read};
		ck_assert_msg(!game_open("andor:g", &host, &g, &fail), "%s", fail.text);
		fill(dir, g, &random);
		for (uint32_t job = 1; job <= 2; job++) {
			struct facts expected = facts_of(dir);
			struct naive n = naive_taint(&expected, g, 1, job);
			if (!n.chosen) { /* then nothing is judged either */
				free(expected.at);
				continue;
			}
			struct sv_retracted sum =
				taint(dir, (struct sv_retraction_order){.job = job, .graphs = graphs});
			ck_assert_uint_eq(sum.chosen, n.chosen);
			ck_assert_uint_eq(sum.fallen, n.fallen);
			ck_assert_uint_eq(sum.kept, expected.count - n.chosen - n.fallen);
			assert_same_facts(&expected, dir);
			assert_clean(dir, graphs);
			fallen += n.fallen;
			chosen += n.chosen;
			kept += sum.kept;
			rounds += sum.rounds;
			for (size_t i = 0; i < expected.count; i++)
				cycles += !expected.at[i].gone && expected.at[i].reason.rank == PD_RANK_NONE;
			free(expected.at);
		}
		game_close(g);
		scratch_remove(dir);
		scratch_remove(graphs);
	}
	printf("%zu reasons chosen, %zu fell with them in %zu rounds, %zu stay, %zu of them without a rank\n", chosen,
	       fallen, rounds, kept, cycles);
	ck_assert_uint_gt(fallen, 120);
	ck_assert_uint_gt(kept, 200);
	ck_assert_uint_gt(cycles, 100);
}
END_TEST

START_TEST(a_version_is_matched_as_a_whole)
{
	char dir[64], graphs[64];
	struct game *g;
	struct pd_fail fail = {.text = ""};
	uint64_t random = 99;
	scratch_dir(dir);
	scratch_dir(graphs);
	write_graph(graphs, &random, true);
	struct game_host host = {graphs, sv_graph_read};
	ck_assert(!game_open("andor:g", &host, &g, &fail));
	fill(dir, g, &random);
	struct facts all = facts_of(dir);
	size_t chosen = 0;
	for (size_t i = 0; i < all.count; i++)
		chosen += all.at[i].reason.job % 2;
	struct sv_retracted sum = taint(dir, (struct sv_retraction_order){.engine = "0.0.7", .graphs = graphs});
	ck_assert_uint_eq(sum.chosen, chosen);
	ck_assert_int_eq(refused(dir, (struct sv_retraction_order){.engine = "0.0.7"}, &fail), PD_E_NOT_FOUND);
	ck_assert_str_eq(fail.field, "engine");
	free(all.at);
	game_close(g);
	scratch_remove(dir);
	scratch_remove(graphs);
}
END_TEST

/* --- leaves ------------------------------------------------------------------------------- */

static size_t key_of(const struct game *g, const char *position, uint8_t *key)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(!g->rules->parse(g, position, state, &fail), "%s", fail.text);
	return g->rules->key(g, state, key);
}

/* A directory with the facts of another, all found by job 1, but for the upper bound of the position 32: that is a leaf
 * of job 2's. Job 3 depends on it one ply above. */
static void with_a_leaf(const char *dir, const char *from, const struct game *g)
{
	uint8_t leaf[GAME_KEY_MAX], above[GAME_KEY_MAX];
	size_t leaf_size = key_of(g, "32", leaf), above_size = key_of(g, "3", above);
	struct facts all = facts_of(from);
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail = {.text = ""};
	struct pd_reason step = {0};
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	uint32_t id;
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_batch_begin(store, &batch, &fail));
	ck_assert(!st_batch_game(batch, g->name, g->rules_version, &id, &fail));
	put_jobs(batch, g, 3);
	for (size_t i = 0; i < all.count; i++) {
		struct stored *s = &all.at[i];
		s->reason.job = 1;
		if (!key_order(s, 1, leaf, leaf_size) && s->reason.side == PD_HI) {
			s->reason.job = 2;
			s->reason.effort = 1;
			step = s->reason;
		}
		ck_assert(!st_batch_fact(batch, id, s->key, s->size, &s->reason, &fail));
	}
	ck_assert_uint_eq(step.job, 2);
	step.job = 3;
	step.effort = 0;
	step.rank++;
	ck_assert(!g->rules->parse(g, "3", state, &fail));
	unsigned count = g->rules->moves(g, state, moves);
	for (unsigned i = 0; i < count; i++) {
		char text[GAME_TEXT_MAX];
		g->rules->move_print(g, state, moves[i], text, sizeof text);
		if (!strcmp(text, "2"))
			step.move = game_canon(g, state, moves[i], false);
	}
	ck_assert(!st_batch_fact(batch, id, above, above_size, &step, &fail));
	ck_assert(!st_batch_commit(batch, &fail));
	st_close(store);
	free(all.at);
}

/* Allowed so few nodes, the search for the leaf does with job 1's facts and does not without them; allowed all that it
 * wants, it does by the rules alone. */
START_TEST(a_leaf_falls_when_its_search_needs_what_has_gone)
{
	enum { FEW = 300 };
	char solved[64], dir[64], copy[128];
	struct insession s;
	struct game *g;
	struct sv_retracted sum;
	scratch_dir(solved);
	scratch_dir(dir);
	insession_open(&s, solved, 1, 0.05);
	submit(&s, "\"game\":\"connect4:5x4\",\"position\":\"32\",\"detail\":\"full\"");
	insession_close(&s);
	ck_assert(!game_open("connect4:5x4", NULL, &g, NULL));
	with_a_leaf(dir, solved, g);
	assert_clean(dir, NULL);
	struct facts all = facts_of(dir);

	storedir_copy(dir, copy, sizeof copy);
	sum = taint(copy, (struct sv_retraction_order){.job = 3, .leaf_nodes = FEW});
	ck_assert_uint_eq(sum.chosen, 1);
	ck_assert_uint_eq(sum.fallen, 0);
	ck_assert_uint_eq(sum.kept, all.count - 1);
	assert_clean(copy, NULL);
	storedir_remove(copy);

	storedir_copy(dir, copy, sizeof copy);
	sum = taint(copy, (struct sv_retraction_order){.job = 2, .leaf_nodes = FEW});
	ck_assert_uint_eq(sum.chosen, 1);
	ck_assert_uint_eq(sum.fallen, 1);
	assert_clean(copy, NULL);
	storedir_remove(copy);

	storedir_copy(dir, copy, sizeof copy);
	sum = taint(copy, (struct sv_retraction_order){.job = 1, .leaf_nodes = FEW});
	ck_assert_uint_eq(sum.chosen, all.count - 2);
	ck_assert_uint_eq(sum.fallen, 2);
	ck_assert_uint_eq(sum.rounds, 2);
	ck_assert_uint_eq(sum.kept, 0);
	storedir_remove(copy);

	storedir_copy(dir, copy, sizeof copy);
	sum = taint(copy, (struct sv_retraction_order){.job = 1});
	ck_assert_uint_eq(sum.fallen, 0);
	ck_assert_uint_eq(sum.kept, 2);
	assert_clean(copy, NULL);
	storedir_remove(copy);

	free(all.at);
	game_close(g);
	scratch_remove(dir);
	scratch_remove(solved);
}
END_TEST

/* --- what is refused ---------------------------------------------------------------------- */

START_TEST(wrong_choices_are_named)
{
	char dir[64];
	struct insession s;
	struct game *g;
	struct pd_fail fail;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	submit(&s, "\"game\":\"mnk:3,3,3\"");
	submit(&s, "\"game\":\"andor:transpositions\"");
	ck_assert_int_eq(refused("/nonexistent/proofd", (struct sv_retraction_order){.job = 1}, &fail), PD_E_NOT_FOUND);
	ck_assert_str_eq(fail.field, "data");
	insession_close(&s);
	struct facts all = facts_of(dir);
	ck_assert(!game_open("mnk:3,3,3", NULL, &g, NULL));
	ck_assert_int_eq(refused(dir, (struct sv_retraction_order){.job = 3}, &fail), PD_E_NO_JOB);
	ck_assert_int_eq(refused(dir, (struct sv_retraction_order){.job = 1, .engine = "1"}, &fail), PD_E_PARAMS);
	ck_assert_int_eq(refused(dir, (struct sv_retraction_order){.threads = 1}, &fail), PD_E_PARAMS);
	ck_assert_int_eq(refused(dir, (struct sv_retraction_order){.engine = "9.9"}, &fail), PD_E_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(fail.text, PD_VERSION));
	ck_assert_int_eq(
		refused(dir, (struct sv_retraction_order){.game = "mnk:3,3,3", .rules_version = g->rules_version + 1},
			&fail),
		PD_E_NOT_FOUND);
	ck_assert_str_eq(fail.field, "rules");
	ck_assert_int_eq(
		refused(dir, (struct sv_retraction_order){.game = "mnk", .rules_version = g->rules_version}, &fail),
		PD_E_GAME);
	ck_assert_str_eq(fail.field, "game");
	/* Without the graph it cannot be told what depends on job 2's facts. */
	ck_assert_int_eq(refused(dir, (struct sv_retraction_order){.job = 2}, &fail), PD_E_GAME);
	ck_assert_ptr_nonnull(strstr(fail.text, "--graphs"));
	assert_same_facts(&all, dir);
	free(all.at);
	game_close(g);
	scratch_remove(dir);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("taint");
	TCase *c = tcase_create("taint");
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, a_job_takes_what_depends_on_it_along, 0, sizeof sharings / sizeof *sharings);
	tcase_add_test(c, a_version_of_rules_or_of_the_program_takes_all_it_has_found);
	tcase_add_test(c, tables_of_jobs_go);
	tcase_add_test(c, graphs_fall_as_far_as_they_must);
	tcase_add_test(c, a_version_is_matched_as_a_whole);
	tcase_add_test(c, a_leaf_falls_when_its_search_needs_what_has_gone);
	tcase_add_test(c, wrong_choices_are_named);
	suite_add_tcase(s, c);
	return check_main(s);
}
