/* The check of what jobs say: their results and the solved entries of their tables follow from facts, and what is
 * changed in them is found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"
#include "server/common/core_state.h"
#include "server/common/open_games.h"
#include "server/jobs/model/tt_entry.h"
#include "server/proofs/maintenance/check.h"
#include "server/proofs/tables/table_build.h"
#include "tests/support/effort.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

enum { RECORD_MAX = 1 << 16 };

struct heard {
	unsigned problems;
	char first[1024];
};

static void note_problem(void *ctx, const char *text)
{
	struct heard *h = ctx;
	if (!h->problems++)
		snprintf(h->first, sizeof h->first, "%s", text);
}

static struct sv_check check_directory(const char *dir, struct heard *h)
{
	struct sv_check sum;
	struct pd_fail fail;
	*h = (struct heard){0};
	ck_assert_msg(
		!sv_check_directory(dir, &(struct sv_check_order){TEST_GRAPHS, 2, note_problem, NULL, h}, &sum, &fail),
		"%s", fail.text);
	ck_assert_uint_eq(sum.problems, h->problems);
	return sum;
}

/* Asks a question in a directory, and waits until the job has ended. */
static void run_job(const char *dir, const char *params, const char *ends_as)
{
	struct insession s;
	char state[16];
	bool ok;
	pr_ref result;
	insession_open(&s, dir, 1, 0.05);
	const char *own = s.core->config.graphs;
	s.core->config.graphs = TEST_GRAPHS;
	s.core->games->graphs = s.core->config.graphs;
	struct pr_doc *doc = insession_call(&s, "job.submit", params, &ok, &result);
	ck_assert_msg(ok, "%s", params);
	insession_wait(&s, (unsigned)pr_get_int(result, "job", 0), state);
	ck_assert_msg(!strcmp(state, ends_as), "%s: %s", params, state);
	pr_doc_free(doc);
	s.core->config.graphs = own;
	s.core->games->graphs = s.core->config.graphs;
	insession_close(&s);
}

/* --- what is true ------------------------------------------------------------------------- */

/* Jobs that have answers, and jobs whose budget has ended and that have a table. */
START_TEST(what_searches_leave_is_accepted)
{
	static const char *const games[] = {"connect4:5x5", "hex:6", "loa:6", "antichess", "uttt"};
	const char *algorithm = pn_algorithm_text((enum pn_algorithm)_i);
	bool has_table = pn_algorithm_has_tt((enum pn_algorithm)_i);
	char dir[64], params[300];
	struct heard h;
	scratch_dir(dir);
	run_job(dir, "\"game\":\"andor:cycle\"", "solved");
	run_job(dir, "\"game\":\"mnk:3,3,3\",\"position\":\"a1 a2 b1 b2 c1\"", "solved");
	snprintf(params, sizeof params, "\"game\":\"connect4:4x4\",\"algorithm\":\"%s\"", algorithm);
	run_job(dir, params, "solved");
	snprintf(params, sizeof params, "\"game\":\"hex:3\",\"algorithm\":\"%s\",\"claim\":\"second-wins\"", algorithm);
	run_job(dir, params, "solved");
	for (unsigned i = 0; i < sizeof games / sizeof *games; i++) {
		snprintf(params, sizeof params,
			 "\"game\":\"%s\",\"algorithm\":\"%s\",\"memory\":\"2M\",\"budget\":{\"nodes\":%u}", games[i],
			 algorithm, effort_of(60000, 6000));
		run_job(dir, params, "exhausted");
	}
	struct sv_check sum = check_directory(dir, &h);
	ck_assert_msg(!h.problems, "%s: %s", algorithm, h.first);
	ck_assert_uint_eq(sum.jobs, 9);
	ck_assert_uint_eq(sum.skipped_jobs, 0);
	if (has_table)
		ck_assert_uint_gt(sum.entries, effort_of(20, 2));
	scratch_remove(dir);
}
END_TEST

/* --- records that were changed ------------------------------------------------------------ */

struct record {
	char text[RECORD_MAX];
};

static int take_record(void *ctx, uint32_t job, const void *record, size_t size)
{
	struct record *r = ctx;
	if (job == 1)
		snprintf(r->text, sizeof r->text, "%.*s", (int)size, (const char *)record);
	return PD_OK;
}

/* Puts other words into the record of job 1. */
static void change_record(const char *dir, const char *from, const char *to)
{
	static struct record before, after;
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail;
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_job_each(store, take_record, &before, &fail));
	char *at = strstr(before.text, from);
	ck_assert_msg(at != NULL, "%s is not in %s", from, before.text);
	snprintf(after.text, sizeof after.text, "%.*s%s%s", (int)(at - before.text), before.text, to,
		 at + strlen(from));
	ck_assert(!st_batch_begin(store, &batch, &fail));
	ck_assert(!st_batch_job_put(batch, 1, after.text, strlen(after.text), &fail));
	ck_assert(!st_batch_commit(batch, &fail));
	st_close(store);
}

/* A question, and what is put in place of what into the record of its answer. */
static const struct {
	const char *params, *from, *to, *words;
} changes[] = {
	{"\"game\":\"mnk:4,3,3\"", "\"value\":{\"lo\":1,\"hi\":1", "\"value\":{\"lo\":0,\"hi\":0",
	 "lies between 0 and 0"},
	{"\"game\":\"mnk:4,3,3\"", "\"value\":{\"lo\":1,\"hi\":1", "\"value\":{\"lo\":2,\"hi\":2",
	 "not bounds in this game"},
	{"\"game\":\"mnk:4,3,3\"", "\"value\":{\"lo\":1,\"hi\":1", "\"value\":{\"lo\":1,\"hi\":0",
	 "not bounds in this game"},
	{"\"game\":\"mnk:4,3,3\"", "\"value\":{\"lo\":1,\"hi\":1", "\"value\":{\"lo\":-1,\"hi\":1", "'solved'"},
	{"\"game\":\"mnk:4,3,3\"", "\"lo\":1,\"hi\":1,\"entries\"", "\"lo\":-1,\"hi\":-1,\"entries\"", "its progress"},
	{"\"game\":\"hex:3\"", "\"lo\":1,\"hi\":1,\"entries\"", "\"lo\":0,\"hi\":1,\"entries\"",
	 "not bounds in this game"},
	{"\"game\":\"mnk:4,3,3\"", "\"status\":\"solved\"", "\"status\":\"unsolved\"", "should be 'solved'"},
	{"\"game\":\"mnk:4,3,3\",\"claim\":\"second-wins\"", "\"status\":\"disproved\"", "\"status\":\"proved\"",
	 "'disproved'"},
	{"\"game\":\"mnk:4,3,3\"", "\"plies\":", "\"plies\":0,\"x\":", "takes 0 plies"},
	{"\"game\":\"mnk:4,3,3\"", "\"move\":\"", "\"move\":\"z", "is not legal"},
	{"\"game\":\"mnk:4,3,3\",\"position\":\"b2 a1\"", "\"line\":[", "\"line\":[\"b2\",", "is not legal"},
	{"\"game\":\"mnk:3,3,3\",\"position\":\"a1 b1 a2 b2\"", "\"move\":\"a3\"", "\"move\":\"c1\"",
	 "does not lead to the value"},
	{"\"game\":\"mnk:4,3,3\"", "\"result\":{\"game\":\"mnk:4,3,3\"", "\"result\":{\"game\":\"mnk:3,4,3\"",
	 "another question"},
	{"\"game\":\"mnk:4,3,3\"", "\"position\":\"\"", "\"position\":\"z9\"", "its position cannot be read"},
	{"\"game\":\"mnk:4,3,3\",\"budget\":{\"nodes\":10},\"algorithm\":\"pn\"", "\"state\":\"exhausted\"",
	 "\"state\":\"solved\"", "does not answer it"},
};
enum { CHANGES = sizeof changes / sizeof *changes };

START_TEST(a_record_that_says_something_else_is_found)
{
	char dir[64];
	struct heard h;
	scratch_dir(dir);
	run_job(dir, changes[_i].params, strstr(changes[_i].params, "budget") ? "exhausted" : "solved");
	check_directory(dir, &h);
	ck_assert_msg(!h.problems, "%s", h.first);
	change_record(dir, changes[_i].from, changes[_i].to);
	check_directory(dir, &h);
	ck_assert_msg(h.problems && strstr(h.first, changes[_i].words), "'%s': '%s'", changes[_i].words, h.first);
	ck_assert_ptr_nonnull(strstr(h.first, "job 1"));
	scratch_remove(dir);
}
END_TEST

/* --- entries that were changed ------------------------------------------------------------ */

struct fact_buffer_entry {
	const struct game *game;
	struct st_tt_entry entry;
	unsigned solved;
};

/* The first solved entry that is more than a ply from the end. */
static int take_entry(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	struct fact_buffer_entry *f = ctx;
	for (size_t i = 0; i < count; i++) {
		struct pn_entry e;
		sv_entry_unpack(&entries[i], &e);
		unsigned rank = (e.num[0] ? e.num[0] : e.num[1]) & 0xffff;
		if (pn_entry_kind(f->game, e.num) == PN_ENTRY_FACT && rank > 1 && !f->solved++)
			f->entry = entries[i];
	}
	return PD_OK;
}

enum entry_change { OTHER_OUTCOME, SMALLER_RANK, OTHER_POSITION, NO_NUMBERS, ENTRY_CHANGES };
static const char *const entry_words[ENTRY_CHANGES] = {"no fact does", "no fact does", "nothing is proved",
						       "nothing is proved"};

static void change_entry(struct st_tt_entry *e, enum entry_change how)
{
	uint8_t *num = e->bytes + 16;
	uint32_t pn = pd_get_le32(num), dn = pd_get_le32(num + 4);
	switch (how) {
	case OTHER_OUTCOME:
		pd_put_le32(num, dn);
		pd_put_le32(num + 4, pn);
		break;
	case SMALLER_RANK: /* no one wins so soon */
		pd_put_le32(pn ? num : num + 4, ((pn ? pn : dn) & 0xffff0000u) | 1);
		break;
	case OTHER_POSITION:
		e->bytes[0] ^= 1;
		break;
	default: /* solved, and with a number that no solved entry has */
		pd_put_le32(pn ? num : num + 4, 5);
		break;
	}
}

START_TEST(an_entry_that_nothing_founds_is_found)
{
	static const char *const questions[] = {
		"\"game\":\"connect4:6x5\",\"memory\":\"2M\",\"algorithm\":\"pds\",\"budget\":{\"nodes\":20000}",
		"\"game\":\"antichess\",\"memory\":\"2M\",\"claim\":\"first-wins\",\"budget\":{\"nodes\":1000000}",
	};
	struct game *g;
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail;
	struct fact_buffer_entry f = {0};
	struct heard h;
	char dir[64];
	scratch_dir(dir);
	run_job(dir, questions[_i / ENTRY_CHANGES], "exhausted");
	ck_assert(!game_open(_i < ENTRY_CHANGES ? "connect4:6x5" : "antichess", NULL, &g, NULL));
	f.game = g;
	check_directory(dir, &h);
	ck_assert_msg(!h.problems, "%s", h.first);
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_tt_each(store, 1, take_entry, &f, &fail));
	ck_assert_uint_gt(f.solved, 0);
	change_entry(&f.entry, (enum entry_change)(_i % ENTRY_CHANGES));
	ck_assert(!st_batch_begin(store, &batch, &fail));
	ck_assert(!st_batch_tt(batch, 1, &f.entry, 1, &fail));
	ck_assert(!st_batch_commit(batch, &fail));
	st_close(store);
	check_directory(dir, &h);
	ck_assert_msg(h.problems == 1 && strstr(h.first, entry_words[_i % ENTRY_CHANGES]), "%u: %s", h.problems,
		      h.first);
	ck_assert_ptr_nonnull(strstr(h.first, "job 1"));
	game_close(g);
	scratch_remove(dir);
}
END_TEST

/* --- entries that rest on tables ---------------------------------------------------------- */

enum { ENTRIES_MAX = 1 << 15 };

struct entries {
	unsigned count;
	struct st_tt_entry entry[ENTRIES_MAX];
};

static int keep_entries(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	struct entries *all = ctx;
	ck_assert_uint_le(all->count + count, ENTRIES_MAX);
	memcpy(all->entry + all->count, entries, count * sizeof *entries);
	all->count += (unsigned)count;
	return PD_OK;
}

/* An entry with that identity, solved to a bound within two plies or more; NULL: none. */
static const struct st_tt_entry *find_ranked(const struct game *g, const struct entries *all, struct pd_id id,
					     int threshold)
{
	for (unsigned i = 0; i < all->count; i++) {
		struct pn_entry e;
		sv_entry_unpack(&all->entry[i], &e);
		if (!pd_id_equal(e.id, id) || pn_entry_kind(g, e.num) != PN_ENTRY_FACT)
			continue;
		struct pd_reason says = pn_entry_reason(g, threshold, e.num);
		if (says.rank > 1 && says.rank != PD_RANK_NONE)
			return &all->entry[i];
	}
	return NULL;
}

/* An entry of a position of the class about which the store has no fact; false: there is none. */
static bool take_founded(struct st_store *store, const struct game *g, const char *class, const struct entries *all,
			 struct st_tt_entry *out)
{
	const struct st_tt_entry *found = NULL;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	struct pd_identity names;
	struct game_class c;
	struct st_reader *reader;
	struct pd_fact fact;
	struct pd_fail fail;
	pd_identity_init(&names, st_identity(store));
	pd_fact_init(&fact);
	uint32_t id = st_game_find(store, g->name, game_version(g));
	ck_assert(!st_reader_open(store, &reader, &fail) && !g->rules->classes->open(g, class, &c, &fail));
	for (uint64_t i = 0; i < 2 * c.size && !found; i++) {
		int claim = (int)(i % 2);
		if (!g->rules->classes->position(g, &c, i / 2, state))
			continue;
		size_t size = g->rules->key(g, state, key);
		found = find_ranked(g, all, pn_entry_id(g, &names, claim, key, size), claim);
		if (found && st_fact_get(reader, id, key, size, &fact, &fail) > 0)
			found = NULL;
	}
	if (found)
		*out = *found;
	pd_fact_fini(&fact);
	st_reader_close(reader);
	return found;
}

static struct st_tt_entry take_open(const struct game *g, const struct entries *all)
{
	for (unsigned i = all->count; i-- > 0;) {
		struct pn_entry e;
		sv_entry_unpack(&all->entry[i], &e);
		if (pn_entry_kind(g, e.num) == PN_ENTRY_OPEN)
			return all->entry[i];
	}
	ck_abort_msg("no open entry");
}

static void put_entry(const char *dir, const struct st_tt_entry *e)
{
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail;
	ck_assert(!st_open(dir, 0, &store, &fail) && !st_batch_begin(store, &batch, &fail));
	ck_assert(!st_batch_tt(batch, 2, e, 1, &fail) && !st_batch_commit(batch, &fail));
	st_close(store);
}

/* A search that was stopped, in a directory with the tables of two pieces. */
static void run_with_tables(const char *dir, struct sv_check *sum)
{
	struct heard h;
	struct sv_table_built built;
	struct pd_fail fail;
	static const char *const classes[] = {"KvK", "KvM", "MvM"};
	run_job(dir, "\"game\":\"mnk:3,3,3\",\"position\":\"a1 a2 b1 b2 c1\"", "solved");
	for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
		ck_assert(!sv_table_build(
			&(struct sv_table_order){.dir = dir, .game = "checkers:8", .class = classes[i], .threads = 1},
			&built, &fail));
	run_job(dir,
		"\"game\":\"checkers:8\",\"position\":\"B:WK31,32:B1,2\",\"algorithm\":\"df-pn\",\"memory\":\"4M\","
		"\"budget\":{\"nodes\":20000}",
		"exhausted");
	*sum = check_directory(dir, &h);
	ck_assert_msg(!h.problems, "%s", h.first);
	ck_assert_uint_gt(sum->entries, 100);
	ck_assert_uint_eq(sum->unreached, 0);
}

START_TEST(an_entry_that_no_table_founds_is_found)
{
	static const char *const words[ENTRY_CHANGES] = {"analysis says otherwise", "analysis says otherwise", NULL,
							 "nothing is proved"};
	static struct entries all;
	struct game *g;
	struct st_store *store;
	struct pd_fail fail;
	struct sv_check before;
	struct heard h;
	char dir[64];
	scratch_dir(dir);
	run_with_tables(dir, &before);
	ck_assert(!game_open("checkers:8", NULL, &g, NULL) && !st_open(dir, 0, &store, &fail));
	all.count = 0;
	ck_assert(!st_tt_each(store, 2, keep_entries, &all, &fail));
	struct st_tt_entry e, open = take_open(g, &all);
	ck_assert(take_founded(store, g, "MvM", &all, &e));
	st_close(store);
	change_entry(&e, (enum entry_change)_i);
	put_entry(dir, &e);
	struct sv_check sum = check_directory(dir, &h);
	ck_assert_uint_eq(sum.unreached, _i == OTHER_POSITION);
	ck_assert_uint_eq(h.problems, _i != OTHER_POSITION);
	ck_assert_msg(!words[_i] || strstr(h.first, words[_i]), "%s", h.first);
	if (_i == OTHER_OUTCOME) { /* an open position that counts as solved */
		memcpy(open.bytes + 16, e.bytes + 16, 8);
		put_entry(dir, &open);
		check_directory(dir, &h);
		ck_assert_uint_eq(h.problems, 2);
	}
	game_close(g);
	scratch_remove(dir);
}
END_TEST

START_TEST(searches_with_names_of_their_own_are_accepted)
{
	struct heard h;
	char dir[64];
	scratch_dir(dir);
	run_job(dir,
		"\"game\":\"connect4:6x5\",\"memory\":\"2M\",\"algorithm\":\"df-pn\",\"budget\":{\"nodes\":20000},"
		"\"options\":{\"dovetail\":200,\"walkers\":3}",
		"exhausted");
	struct sv_check sum = check_directory(dir, &h);
	ck_assert_msg(!h.problems, "%s", h.first);
	ck_assert_uint_gt(sum.untold, 0);
	scratch_remove(dir);
}
END_TEST

/* --- games that are not here -------------------------------------------------------------- */

START_TEST(jobs_of_games_that_are_not_here_are_counted)
{
	char dir[64];
	struct sv_check sum;
	struct pd_fail fail;
	struct heard h = {0};
	scratch_dir(dir);
	run_job(dir, "\"game\":\"andor:cycle\"", "solved");
	run_job(dir, "\"game\":\"mnk:3,3,3\"", "solved");
	ck_assert(!sv_check_directory(dir, &(struct sv_check_order){NULL, 1, note_problem, NULL, &h}, &sum, &fail));
	ck_assert_msg(!h.problems, "%s", h.first);
	ck_assert_uint_eq(sum.jobs, 2);
	ck_assert_uint_eq(sum.skipped_jobs, 1);
	ck_assert_uint_gt(sum.skipped, 0);
	ck_assert_str_eq(sum.unopened, "andor:cycle");
	sum = check_directory(dir, &h);
	ck_assert_uint_eq(sum.skipped + sum.skipped_jobs, 0);
	ck_assert_str_eq(sum.unopened, "");
	change_record(dir, "\"rules\":\"", "\"rules\":\"1"); /* as it was before its graph was changed */
	sum = check_directory(dir, &h);
	ck_assert_msg(!h.problems, "%s", h.first);
	ck_assert_uint_eq(sum.skipped_jobs, 1);
	ck_assert_uint_eq(sum.skipped, 0);
	ck_assert_str_eq(sum.unopened, "andor:cycle");
	scratch_remove(dir);
}
END_TEST

SUITE(jobcheck)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, what_searches_leave_is_accepted, 0, PN_ALGORITHM_LAST + 1);
	tcase_add_loop_test(c, a_record_that_says_something_else_is_found, 0, CHANGES);
	tcase_add_loop_test(c, an_entry_that_nothing_founds_is_found, 0, 2 * ENTRY_CHANGES);
	tcase_add_loop_test(c, an_entry_that_no_table_founds_is_found, 0, ENTRY_CHANGES);
	tcase_add_test(c, searches_with_names_of_their_own_are_accepted);
	tcase_add_test(c, jobs_of_games_that_are_not_here_are_counted);
}
