/* Taint: what a job, a version of rules or a version of the program has found goes, with all that depends on it, and
 * nothing else does. What has to stay is computed again here, fact by fact and in one thread, by code that shares
 * nothing with the server's. */
#include "server/jobs/model/tt_entry.h"
#include "tests/server/naive_taint.h"

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
	submit_job(&s, "\"game\":\"connect4:4x3\"");
	for (unsigned i = 0; i < 3; i++) {
		char params[128];
		snprintf(params, sizeof params, "\"game\":\"%s\",\"position\":\"%s\",\"detail\":\"full\"",
			 sharing->game, sharing->positions[i]);
		ck_assert_uint_eq(submit_job(&s, params), i + 2);
		values[i] = read_member(&s, i + 2, "value");
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
		struct sv_retracted dry =
			taint_naively(copy, (struct sv_retraction_order){.job = job, .dry_run = true});
		struct facts before = facts_of(copy);
		assert_same_facts(&before, dir); /* nothing has changed */
		free(before.at);
		struct sv_retracted sum = taint_naively(copy, (struct sv_retraction_order){.job = job, .threads = job});
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
	submit_job(&s, "\"game\":\"connect4:4x3\"");
	submit_job(&s, "\"game\":\"mnk:3,3,3\"");
	insession_close(&s);
	ck_assert(!game_open("mnk:3,3,3", NULL, &g, NULL));
	struct facts expected = facts_of(dir);
	size_t chosen = 0;
	for (size_t i = 0; i < expected.count; i++) {
		expected.at[i].gone = expected.at[i].game == 2;
		chosen += expected.at[i].gone;
	}
	sum = taint_naively(dir, (struct sv_retraction_order){.game = "mnk:3,3,3", .rules_version = g->rules_version});
	ck_assert_uint_eq(sum.chosen, chosen);
	ck_assert_uint_eq(sum.fallen, 0);
	ck_assert_uint_eq(sum.jobs, 1);
	assert_same_facts(&expected, dir);
	insession_open(&s, dir, 0, 0.05);
	assert_member(&s, 1, "state", "\"solved\"");
	assert_member(&s, 2, "state", "\"queued\"");
	insession_close(&s);
	sum = taint_naively(dir, (struct sv_retraction_order){.engine = PD_VERSION});
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
	submit_job(&s, "\"game\":\"connect4:5x5\",\"position\":\"33\",\"memory\":\"4M\"");
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
	struct sv_retracted sum = taint_naively(dir, (struct sv_retraction_order){.job = 1});
	ck_assert_uint_gt(sum.chosen, 0);
	ck_assert_uint_eq(sum.jobs, 2);
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_tt_each(store, 2, count_entries, &entries, &fail));
	ck_assert_uint_eq(entries, 0);
	st_close(store);
	insession_open(&s, dir, 0, 0.05);
	assert_member(&s, 2, "state", paused ? "\"paused\"" : "\"queued\"");
	assert_member(&s, 2, "nodes", "{\"level1\":0,\"level2\":0,\"positions\":0}");
	insession_close(&s);
	assert_clean(dir, TEST_GRAPHS);
	scratch_remove(dir);
}
END_TEST

struct entries {
	size_t solved, open;
};

static int sort_entries(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	struct entries *e = ctx;
	struct pn_entry entry;
	for (size_t i = 0; i < count; i++) {
		sv_entry_unpack(&entries[i], &entry);
		*(entry.num[0] && entry.num[1] ? &e->open : &e->solved) += 1;
	}
	return PD_OK;
}

static int give_some(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	for (uint32_t i = 0; i < fact->count; i++)
		if (pd_hash64(key, size) % 64 == 0)
			(fact->many ? fact->many : fact->few)[i].job = pd_giver_of(0x89abcdef);
	return PD_OK;
}

/* What a worker gave may have solved entries, and nothing else: counters and the other entries stay. */
START_TEST(a_worker_costs_solved_entries_only)
{
	char dir[64], state[16];
	struct insession s;
	struct st_store *store;
	struct pd_fail fail;
	bool ok;
	pr_ref result;
	struct entries before = {0}, after = {0};
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	pr_doc_free(insession_call(&s, "job.submit",
				   "\"game\":\"connect4:5x5\",\"budget\":{\"nodes\":60000},\"memory\":\"4M\"", &ok,
				   &result));
	insession_wait(&s, 1, state);
	ck_assert_str_eq(state, "exhausted");
	char *nodes = read_member(&s, 1, "nodes");
	insession_close(&s);
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_tt_each(store, 1, sort_entries, &before, &fail));
	ck_assert(before.solved && before.open);
	ck_assert(!st_facts_rewrite(store, give_some, NULL, &fail));
	st_close(store);
	uint32_t giver = pd_giver_of(0x89abcdef);
	struct sv_retracted sum = taint_naively(dir, (struct sv_retraction_order){.givers = &giver, .giver_count = 1});
	ck_assert_uint_gt(sum.chosen, 0);
	ck_assert_uint_eq(sum.jobs, 1);
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_tt_each(store, 1, sort_entries, &after, &fail));
	st_close(store);
	ck_assert_uint_eq(after.solved, 0);
	ck_assert_uint_ge(after.open, before.open); /* an older form of a solved entry may be open */
	insession_open(&s, dir, 0, 0.05);
	assert_member(&s, 1, "state", "\"queued\"");
	assert_member(&s, 1, "nodes", nodes);
	insession_close(&s);
	assert_clean(dir, TEST_GRAPHS);
	free(nodes);
	insession_open(&s, dir, 1, 0.05);
	pr_doc_free(insession_call(&s, "job.set", "\"job\":1,\"budget\":{\"nodes\":0}", &ok, &result));
	pr_doc_free(insession_call(&s, "job.resume", "\"job\":1", &ok, &result));
	insession_wait(&s, 1, state);
	insession_close(&s);
	ck_assert_str_eq(state, "solved");
	assert_clean(dir, TEST_GRAPHS);
	scratch_remove(dir);
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
	submit_job(&s, "\"game\":\"mnk:3,3,3\"");
	submit_job(&s, "\"game\":\"andor:transpositions\"");
	ck_assert_int_eq(try_taint("/nonexistent/proofd", (struct sv_retraction_order){.job = 1}, &fail),
			 PD_E_NOT_FOUND);
	ck_assert_str_eq(fail.field, "data");
	insession_close(&s);
	struct facts all = facts_of(dir);
	ck_assert(!game_open("mnk:3,3,3", NULL, &g, NULL));
	ck_assert_int_eq(try_taint(dir, (struct sv_retraction_order){.job = 3}, &fail), PD_E_NO_JOB);
	ck_assert_int_eq(try_taint(dir, (struct sv_retraction_order){.job = 1, .engine = "1"}, &fail), PD_E_PARAMS);
	ck_assert_int_eq(try_taint(dir, (struct sv_retraction_order){.threads = 1}, &fail), PD_E_PARAMS);
	ck_assert_int_eq(try_taint(dir, (struct sv_retraction_order){.engine = "9.9"}, &fail), PD_E_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(fail.text, PD_VERSION));
	ck_assert_int_eq(
		try_taint(dir, (struct sv_retraction_order){.game = "mnk:3,3,3", .rules_version = g->rules_version + 1},
			  &fail),
		PD_E_NOT_FOUND);
	ck_assert_str_eq(fail.field, "rules");
	ck_assert_int_eq(
		try_taint(dir, (struct sv_retraction_order){.game = "mnk", .rules_version = g->rules_version}, &fail),
		PD_E_GAME);
	ck_assert_str_eq(fail.field, "game");
	/* Without the graph it cannot be told what depends on job 2's facts. */
	ck_assert_int_eq(try_taint(dir, (struct sv_retraction_order){.job = 2}, &fail), PD_E_GAME);
	ck_assert_ptr_nonnull(strstr(fail.text, "--graphs"));
	assert_same_facts(&all, dir);
	free(all.at);
	game_close(g);
	scratch_remove(dir);
}
END_TEST

SUITE(taint)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, a_job_takes_what_depends_on_it_along, 0, sizeof sharings / sizeof *sharings);
	tcase_add_test(c, a_version_of_rules_or_of_the_program_takes_all_it_has_found);
	tcase_add_test(c, tables_of_jobs_go);
	tcase_add_test(c, a_worker_costs_solved_entries_only);
	tcase_add_test(c, wrong_choices_are_named);
}
