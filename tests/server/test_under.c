/* Sub-jobs: jobs under another one, whose facts that one takes up while it runs; and hints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/common/config.h"
#include "server/core.h"
#include "tests/support/effort.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

#define LARGE "\"game\":\"connect4:7x6\",\"memory\":\"4M\",\"threads\":1"
#define SMALL "\"game\":\"mnk:3,3,3\",\"memory\":\"2M\",\"threads\":1"

static void open_core(struct insession *s, const char *dir, unsigned threads)
{
	struct sv_config config;
	sv_config_init(&config);
	config.nice = 0;
	config.data = dir;
	config.threads = threads;
	config.checkpoint_s = 0.05;
	config.graphs = TEST_GRAPHS;
	config.identity = 1;
	insession_open_as(s, &config);
}

/* The error's code, 0 for none; its field and message in `field` and `text` unless these are NULL. */
static int64_t call_method(struct insession *s, const char *method, const char *params, char field[64], char text[400])
{
	bool ok;
	pr_ref result;
	struct pr_doc *doc = insession_call(s, method, params, &ok, &result);
	int64_t code = ok ? 0 : pr_get_int(result, "code", -1);
	if (field)
		snprintf(field, 64, "%s", pr_get_str(pr_get(result, "data"), "field", ""));
	if (text)
		snprintf(text, 400, "%s", pr_get_str(result, "message", ""));
	pr_doc_free(doc);
	return code;
}

static unsigned submit_under(struct insession *s, const char *params, unsigned parent)
{
	char all[512];
	snprintf(all, sizeof all, "%s,\"under\":%u", params, parent);
	return insession_submit(s, all);
}

static struct pr_doc *get_job(struct insession *s, unsigned job, pr_ref *result)
{
	char params[32];
	bool ok;
	snprintf(params, sizeof params, "\"job\":%u", job);
	struct pr_doc *doc = insession_call(s, "job.get", params, &ok, result);
	ck_assert(ok);
	return doc;
}

static void assert_text(struct insession *s, unsigned job, const char *member, const char *wanted)
{
	pr_ref result;
	struct pr_doc *doc = get_job(s, job, &result);
	const char *text = pr_get_str(result, member, "");
	ck_assert_msg(strstr(text, wanted) && (*wanted || !*text), "job %u, %s: '%s', not '%s'", job, member, text,
		      wanted);
	pr_doc_free(doc);
}

static void assert_subs(struct insession *s, unsigned job, unsigned count, const unsigned *subs)
{
	pr_ref result;
	struct pr_doc *doc = get_job(s, job, &result);
	pr_ref list = pr_get(result, "sub_jobs");
	ck_assert_uint_eq(pr_count(list), count);
	for (unsigned i = 0; i < count; i++)
		ck_assert_int_eq(pr_number(pr_at(list, i), 0), subs[i]);
	pr_doc_free(doc);
}

/* --- submission --------------------------------------------------------------------------- */

START_TEST(a_sub_job_begins_where_its_parent_does)
{
	struct insession s;
	char dir[64], field[64], text[400];
	scratch_dir(dir);
	open_core(&s, dir, 0); /* nothing runs */
	unsigned parent = insession_submit(&s, LARGE ",\"moves\":\"44\"");
	unsigned same = submit_under(&s, LARGE, parent), below = submit_under(&s, LARGE ",\"moves\":\"45\"", parent);
	unsigned other = submit_under(&s, LARGE ",\"position\":\"\",\"moves\":\"1\"", parent);
	unsigned alike = insession_submit(&s, LARGE ",\"moves\":\"4445\"");
	pr_ref a, b;
	struct pr_doc *x = get_job(&s, parent, &a), *y = get_job(&s, same, &b);
	ck_assert_str_eq(pr_get_str(a, "position", "?"), pr_get_str(b, "position", "!"));
	ck_assert_int_eq(pr_get_int(b, "under", 0), parent);
	ck_assert(!pr_has(a, "under") && !pr_has(b, "sub_jobs"));
	pr_doc_free(x);
	pr_doc_free(y);
	x = get_job(&s, below, &a);
	y = get_job(&s, alike, &b);
	ck_assert_str_eq(pr_get_str(a, "position", "?"), pr_get_str(b, "position", "!"));
	pr_doc_free(x);
	pr_doc_free(y);
	assert_subs(&s, parent, 3, (unsigned[]){same, below, other});
	ck_assert_int_eq(call_method(&s, "job.submit", LARGE ",\"under\":77", field, text), PD_E_PARAMS);
	ck_assert_str_eq(field, "under");
	ck_assert_int_eq(call_method(&s, "job.submit", SMALL ",\"under\":1", field, text), PD_E_PARAMS);
	ck_assert_str_eq(field, "game");
	ck_assert_ptr_nonnull(strstr(text, "the game of parent job 1 is connect4:7x6"));
	ck_assert_int_eq(call_method(&s, "job.submit", LARGE ",\"under\":0", field, text), PD_E_PARAMS);
	ck_assert_int_eq(call_method(&s, "job.submit", LARGE ",\"under\":1,\"moves\":\"9\"", field, text), PD_E_MOVE);
	ck_assert_str_eq(field, "moves");
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", other, ""), 0);
	ck_assert_int_eq(call_method(&s, "job.submit", LARGE ",\"under\":4", field, text), PD_E_PARAMS);
	ck_assert_str_eq(field, "under");
	insession_close(&s);
	open_core(&s, dir, 0);
	assert_subs(&s, parent, 3, (unsigned[]){same, below, other});
	ck_assert_int_eq(insession_on_job(&s, "job.remove", other, ""), 0);
	assert_subs(&s, parent, 2, (unsigned[]){same, below});
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", parent, ""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.remove", parent, ""), 0);
	insession_wait_state(&s, below, "queued");
	x = get_job(&s, below, &a);
	ck_assert_int_eq(pr_get_int(a, "under", 0), parent); /* as it was submitted */
	pr_doc_free(x);
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

START_TEST(hints_are_lines_of_legal_moves)
{
	struct insession s;
	char dir[64], field[64], text[400], params[8192];
	pr_ref now;
	scratch_dir(dir);
	open_core(&s, dir, 0);
	unsigned job = insession_submit(&s, LARGE ",\"first\":[\"4, 4  3\",\"1\"],\"key\":\"k\"");
	struct pr_doc *doc = get_job(&s, job, &now);
	pr_ref first = pr_get(now, "first");
	ck_assert_uint_eq(pr_count(first), 2);
	ck_assert_str_eq(pr_text(pr_at(first, 0), ""), "4 4 3");
	ck_assert_str_eq(pr_text(pr_at(first, 1), ""), "1");
	pr_doc_free(doc);
	ck_assert_int_eq(call_method(&s, "job.submit", LARGE ",\"first\":[\"4 4 3\",\"1\"],\"key\":\"k\"", field, text),
			 0);
	ck_assert_int_eq(call_method(&s, "job.submit", LARGE ",\"first\":[\"4\"],\"key\":\"k\"", field, text),
			 PD_E_PARAMS);
	ck_assert_ptr_nonnull(strstr(text, "other lines to try first"));
	ck_assert_int_eq(call_method(&s, "job.submit", LARGE ",\"first\":[\"4\",\"4 4 9 1\"]", field, text), PD_E_MOVE);
	ck_assert_str_eq(field, "first[1]");
	ck_assert_msg(strstr(text, "move 3") && strstr(text, "9"), "%s", text);
	ck_assert_int_eq(call_method(&s, "job.submit", LARGE ",\"first\":[\" \"]", field, text), PD_E_PARAMS);
	ck_assert_str_eq(field, "first[0]");
	ck_assert_int_eq(call_method(&s, "job.submit", LARGE ",\"first\":\"4\"", field, text), PD_E_PARAMS);
	ck_assert_int_eq(call_method(&s, "job.submit", LARGE ",\"moves\":\"444444\",\"first\":[\"4\"]", field, text),
			 PD_E_MOVE);
	size_t used = (size_t)snprintf(params, sizeof params, LARGE ",\"first\":[\"");
	memset(params + used, ' ', 5000);
	snprintf(params + used + 5000, sizeof params - used - 5000, "4\"]");
	ck_assert_int_eq(call_method(&s, "job.submit", params, field, text), PD_E_PARAMS);
	ck_assert_str_eq(field, "first");
	insession_close(&s);
	open_core(&s, dir, 2);
	doc = get_job(&s, job, &now);
	ck_assert_uint_eq(pr_count(pr_get(now, "first")), 2);
	pr_doc_free(doc);
	unsigned solved = insession_submit(&s, SMALL ",\"first\":[\"b2\",\"b2 a1 c3\"]");
	insession_wait_state(&s, solved, "solved");
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

/* --- what the parent takes up ------------------------------------------------------------- */

/* Without a table this search of a draw would fill its memory. */
START_TEST(a_running_parent_is_answered_by_its_sub_jobs)
{
	static const char *const moves[] = {"a1", "b1", "b2"}; /* all there are, but for symmetry */
	struct insession s;
	pr_ref now;
	open_core(&s, NULL, 2);
	unsigned parent =
		insession_submit(&s, "\"game\":\"mnk:4,4,4\",\"memory\":\"512M\",\"threads\":1,\"algorithm\":\"pn\","
				     "\"claim\":\"first-wins\",\"priority\":5");
	insession_wait_state(&s, parent, "running");
	for (unsigned i = 0; i < 3; i++) {
		char params[256];
		snprintf(params, sizeof params,
			 "\"game\":\"mnk:4,4,4\",\"memory\":\"16M\",\"threads\":1,\"moves\":\"%s\"", moves[i]);
		submit_under(&s, params, parent);
	}
	insession_wait_state(&s, parent, "solved");
	struct pr_doc *doc = get_job(&s, parent, &now);
	ck_assert_str_eq(pr_get_str(pr_get(now, "result"), "status", ""), "disproved");
	pr_doc_free(doc);
	insession_close(&s);
}
END_TEST

START_TEST(facts_of_a_pause_are_taken_up_afterwards)
{
	struct insession s;
	char dir[64];
	scratch_dir(dir);
	open_core(&s, dir, 1);
	unsigned parent = insession_submit(&s, "\"game\":\"mnk:4,4,3\",\"memory\":\"4M\",\"claim\":\"first-wins\","
					       "\"algorithm\":\"paper\",\"budget\":{\"nodes\":40}");
	insession_wait_state(&s, parent, "exhausted");
	unsigned sub = submit_under(&s, "\"game\":\"mnk:4,4,3\",\"memory\":\"4M\",\"moves\":\"b2\"", parent);
	insession_wait_state(&s, sub, "solved");
	insession_close(&s);
	open_core(&s, dir, 1);
	ck_assert_int_eq(insession_on_job(&s, "job.set", parent, ",\"budget\":{\"nodes\":80}"), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.resume", parent, ""), 0);
	insession_wait_state(&s, parent, "solved");
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

/* --- when the parent is solved ------------------------------------------------------------ */

START_TEST(sub_jobs_of_a_solved_job_are_paused)
{
	struct insession s;
	char dir[64], reason[128];
	scratch_dir(dir);
	open_core(&s, dir, 2);
	ck_assert_int_eq(call_method(&s, "group.set", "\"group\":\"late\",\"paused\":true", NULL, NULL), 0);
	ck_assert_int_eq(call_method(&s, "group.set", "\"group\":\"never\",\"paused\":true", NULL, NULL), 0);
	unsigned parent =
		insession_submit(&s, LARGE ",\"moves\":\"121212\",\"claim\":\"first-wins\",\"group\":\"late\"");
	unsigned runs = submit_under(&s, LARGE ",\"position\":\"\"", parent);
	unsigned waits = submit_under(&s, LARGE ",\"position\":\"\",\"group\":\"never\"", parent);
	unsigned below = submit_under(&s, LARGE ",\"group\":\"never\"", waits);
	unsigned paused = submit_under(&s, LARGE ",\"position\":\"\",\"group\":\"never\"", parent);
	ck_assert_int_eq(insession_on_job(&s, "job.pause", paused, ""), 0);
	insession_wait_state(&s, runs, "running");
	ck_assert_int_eq(call_method(&s, "group.set", "\"group\":\"late\",\"paused\":false", NULL, NULL), 0);
	insession_wait_state(&s, parent, "solved");
	snprintf(reason, sizeof reason, "its parent, job %u, is solved; resume it", parent);
	insession_wait_state(&s, runs, "paused");
	insession_wait_state(&s, waits, "paused");
	insession_wait_state(&s, below, "paused");
	assert_text(&s, runs, "reason", reason);
	assert_text(&s, waits, "reason", reason);
	assert_text(&s, below, "reason", reason);
	assert_text(&s, paused, "reason", "paused on request");
	ck_assert_int_eq(insession_on_job(&s, "job.resume", runs, ""), 0);
	insession_wait_state(&s, runs, "running");
	insession_close(&s);
	open_core(&s, dir, 1);
	insession_wait_state(&s, runs, "running"); /* still alone */
	assert_text(&s, waits, "reason", reason);
	ck_assert_int_eq(insession_on_job(&s, "job.resume", paused, ""), 0);
	insession_wait_state(&s, paused, "queued");
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", runs, ""), 0);
	insession_wait_state(&s, parent, "solved");
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

/* --- random graphs ------------------------------------------------------------------------ */

/* What a job alone, without a table, says of the position that the moves lead to. */
static void truth_of(struct insession *alone, const char *question, char out[64])
{
	char params[4096], state[16];
	pr_ref now;
	snprintf(params, sizeof params, "%s,\"algorithm\":\"pn\",\"memory\":\"64M\"", question);
	unsigned job = insession_submit(alone, params);
	insession_wait(alone, job, state);
	ck_assert_str_eq(state, "solved");
	struct pr_doc *doc = get_job(alone, job, &now);
	snprintf(out, 64, "%s", pr_get_str(pr_get(now, "value"), "text", ""));
	pr_doc_free(doc);
}

/* Up to two random moves from the start, as a member of a request: ,"moves":["a","b"]. */
static void random_moves(struct insession *s, const char *game, uint64_t *random, char out[128])
{
	char moves[100] = "";
	for (unsigned left = walk_below(random, 3); left; left--) {
		char params[300];
		bool ok;
		pr_ref shown;
		snprintf(params, sizeof params, "\"game\":\"%s\",\"moves\":[%s]", game, moves);
		struct pr_doc *doc = insession_call(s, "position.show", params, &ok, &shown);
		ck_assert(ok);
		pr_ref list = pr_get(shown, "moves");
		if (pr_count(list)) {
			size_t used = strlen(moves);
			snprintf(moves + used, sizeof moves - used, "%s\"%s\"", used ? "," : "",
				 pr_text(pr_at(list, walk_below(random, (unsigned)pr_count(list))), ""));
		}
		pr_doc_free(doc);
	}
	snprintf(out, 128, ",\"position\":\"\",\"moves\":[%s]", moves);
}

/* Random jobs under each other, at random times, by random algorithms. */
START_TEST(random_families_find_the_true_values)
{
	static const char *const games[] = {"andor:ghi-first", "andor:ghi-long", "andor:ghi-second", "andor:cycle",
					    "andor:draw",      "andor:scores",   "mnk:3,3,3",        "connect4:4x4"};
	static const char *const algorithms[] = {"pds-pn", "dfpn-pn", "pds", "df-pn", "paper", "pn", "pn2"};
	enum { GAMES = sizeof games / sizeof *games, FAMILY = 8 };
	uint64_t random = walk_seed("random_families", 20);
	unsigned compared = 0, rounds = effort_of(10, 1);
	struct insession alone;
	open_core(&alone, NULL, 1);
	for (unsigned round = 0; round < rounds; round++) {
		struct insession s;
		open_core(&s, NULL, 2);
		for (unsigned g = 0; g < GAMES; g++) {
			char question[FAMILY][256], all[600], state[16], truth[64];
			unsigned jobs[FAMILY];
			for (unsigned i = 0; i < FAMILY; i++) {
				char moves[128];
				random_moves(&alone, games[g], &random, moves);
				snprintf(question[i], sizeof question[i], "\"game\":\"%s\"%s", games[g], moves);
				snprintf(all, sizeof all, "%s,\"memory\":\"16M\",\"algorithm\":\"%s\",\"seed\":%u%s",
					 question[i], algorithms[walk_below(&random, 7)], walk_below(&random, 100),
					 walk_below(&random, 2) ? ",\"options\":{\"cap-first\":1,\"cap-last\":3}" : "");
				unsigned parent = i ? jobs[walk_below(&random, i)] : 0;
				if (parent)
					snprintf(all + strlen(all), sizeof all - strlen(all), ",\"under\":%u", parent);
				bool ok;
				pr_ref result;
				struct pr_doc *doc = insession_call(&s, "job.submit", all, &ok, &result);
				jobs[i] = ok ? (unsigned)pr_get_int(result, "job", 0) : jobs[0]; /* it was solved */
				if (!ok)
					snprintf(question[i], sizeof question[i], "%s", question[0]);
				pr_doc_free(doc);
			}
			for (unsigned i = 0; i < FAMILY; i++) {
				insession_wait(&s, jobs[i], state);
				if (!strcmp(state, "paused")) /* one above it was solved first */
					continue;
				ck_assert_str_eq(state, "solved");
				pr_ref now;
				struct pr_doc *doc = get_job(&s, jobs[i], &now);
				truth_of(&alone, question[i], truth);
				ck_assert_str_eq(pr_get_str(pr_get(now, "value"), "text", ""), truth);
				pr_doc_free(doc);
				compared++;
			}
		}
		insession_close(&s);
	}
	insession_close(&alone);
	ck_assert_uint_gt(compared, rounds * GAMES);
}
END_TEST

SUITE(under)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, a_sub_job_begins_where_its_parent_does);
	tcase_add_test(c, hints_are_lines_of_legal_moves);
	tcase_add_test(c, a_running_parent_is_answered_by_its_sub_jobs);
	tcase_add_test(c, facts_of_a_pause_are_taken_up_afterwards);
	tcase_add_test(c, sub_jobs_of_a_solved_job_are_paused);
	tcase_add_test(c, random_families_find_the_true_values);
}
