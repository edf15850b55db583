/* F5: a graph whose author knows the hash gets no wrong answer, and facts that were found so are not believed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/common/core_state.h"
#include "server/common/open_games.h"
#include "server/proofs/maintenance/check.h"
#include "server/proofs/certificates/export.h"
#include "store/store.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"
#include "tests/support/twins.h"

static void write_graph(const char *graphs)
{
	char path[128];
	snprintf(path, sizeof path, "%s/twins.json", graphs);
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(TWIN_GRAPH, file);
	ck_assert(!fclose(file));
}

/* The bounds on the root, as a job finds them. */
static void solve_root(const char *dir, char *graphs, const char *algorithm, const char *detail)
{
	struct insession s;
	char params[200], state[16];
	bool ok;
	pr_ref result;
	insession_open(&s, dir, 1, 0.05);
	const char *own = s.core->config.graphs;
	s.core->config.graphs = graphs;
	s.core->games->graphs = s.core->config.graphs;
	snprintf(params, sizeof params,
		 "\"game\":\"andor:twins\",\"claim\":\"first-wins\",\"memory\":\"2M\",\"algorithm\":\"%s\",\"detail\":"
		 "\"%s\"",
		 algorithm, detail);
	struct pr_doc *doc = insession_call(&s, "job.submit", params, &ok, &result);
	ck_assert_msg(ok, "%s", params);
	unsigned job = (unsigned)pr_get_int(result, "job", 0);
	pr_doc_free(doc);
	insession_wait(&s, job, state);
	ck_assert_str_eq(state, "solved");
	snprintf(params, sizeof params, "\"job\":%u", job);
	doc = insession_call(&s, "job.get", params, &ok, &result);
	ck_assert_msg(pr_get_int(pr_get(result, "value"), "hi", 9) < 1, "%s, %s: the twins were taken for one",
		      algorithm, detail);
	pr_doc_free(doc);
	s.core->config.graphs = own;
	s.core->games->graphs = s.core->config.graphs;
	insession_close(&s);
}

START_TEST(twins_are_two_positions)
{
	static const char *const algorithms[] = {"pds-pn", "dfpn-pn", "paper", "pds", "df-pn", "pn2", "pn"};
	char graphs[64], dir[64];
	scratch_dir(graphs);
	write_graph(graphs);
	for (unsigned i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
		for (unsigned k = 0; k < 4; k++) {
			if (k & 1)
				scratch_dir(dir);
			solve_root(k & 1 ? dir : NULL, graphs, algorithms[i], k & 2 ? "full" : "frontier");
			if (k & 1)
				scratch_remove(dir);
		}
	scratch_remove(graphs);
}
END_TEST

static void add_fact(struct st_batch *batch, uint32_t game, const char *key, struct pd_reason reason)
{
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(!st_batch_fact(batch, game, (const uint8_t *)key, strlen(key), &reason, &fail), "%s", fail.text);
}

/* What a search that took the twins for one would leave behind: the root is a leaf, whose search does so again. */
static void poison(const char *dir, const char *graphs)
{
	struct game_host host = {(void *)(uintptr_t)graphs, sv_graph_read};
	struct game *g;
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail = {.text = ""};
	uint32_t id;
	ck_assert_msg(!game_open("andor:twins", &host, &g, &fail), "%s", fail.text);
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_batch_begin(store, &batch, &fail));
	ck_assert(!st_batch_game(batch, g->name, g->rules_version, &id, &fail));
	add_fact(batch, id, "t",
		 (struct pd_reason){.side = PD_LO, .bound = 1, .rank = 5, .move = PD_NO_MOVE, .effort = 20});
	ck_assert(!st_batch_commit(batch, &fail));
	st_close(store);
	game_close(g);
}

static void note_problem(void *ctx, const char *text)
{
	snprintf(ctx, 200, "%s", text);
}

START_TEST(what_was_found_so_is_not_believed)
{
	char graphs[64], dir[64], file[128], text[200] = "";
	struct sv_check sum;
	struct pd_fail fail;
	struct sv_exported out;
	scratch_dir(graphs);
	scratch_dir(dir);
	write_graph(graphs);
	poison(dir, graphs);
	ck_assert(!sv_check_directory(dir, &(struct sv_check_order){graphs, 1, note_problem, NULL, text}, &sum, &fail));
	ck_assert_uint_eq(sum.problems, 1);
	ck_assert_ptr_nonnull(strstr(text, "t: value >= 1"));
	snprintf(file, sizeof file, "%s/proof", graphs);
	for (unsigned frontier = 0; frontier < 2; frontier++) {
		struct sv_export_order order = {
			.game = "andor:twins", .position = "", .file = file, .frontier = frontier};
		if (!sv_export_directory(dir, graphs, &order, &out, &fail))
			ck_assert(frontier); /* a certificate may name a search; its checker runs it */
	}
	scratch_remove(dir);
	scratch_remove(graphs);
}
END_TEST

static int first_entry(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	if (count)
		memcpy(ctx, entries, sizeof *entries);
	return count != 0;
}

/* The first entry of a table that one search of a game leaves in a new directory. */
static void table_of(struct st_tt_entry *out)
{
	struct insession s;
	struct st_store *store;
	struct pd_fail fail;
	char dir[64], state[16];
	bool ok;
	pr_ref result;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	struct pr_doc *doc = insession_call(&s, "job.submit",
					    "\"game\":\"mnk:4,4,4\",\"algorithm\":\"df-pn\",\"budget\":{\"nodes\":3000}"
					    ",\"memory\":\"1M\",\"options\":{\"knowledge\":false}",
					    &ok, &result);
	ck_assert(ok);
	unsigned job = (unsigned)pr_get_int(result, "job", 0);
	pr_doc_free(doc);
	insession_wait(&s, job, state);
	ck_assert_str_eq(state, "exhausted");
	insession_close(&s);
	ck_assert(!st_open(dir, ST_READ_ONLY, &store, &fail));
	ck_assert_int_eq(st_tt_each(store, job, first_entry, out, &fail), 1);
	st_close(store);
	scratch_remove(dir);
}

START_TEST(directories_name_positions_in_their_own_ways)
{
	struct st_tt_entry one, two;
	table_of(&one);
	table_of(&two);
	ck_assert(memcmp(one.bytes, two.bytes, 16) != 0);
}
END_TEST

SUITE(identity)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, twins_are_two_positions);
	tcase_add_test(c, what_was_found_so_is_not_believed);
	tcase_add_test(c, directories_name_positions_in_their_own_ways);
}
