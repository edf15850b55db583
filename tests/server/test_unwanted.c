/* Answers that take long: two clients share a picture of a search, no client waits for a run that waits for the disk,
 * and what is not wanted any more is not finished. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/api/methods.h"
#include "server/api/read_queue.h"
#include "server/api/request.h"
#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/common/open_games.h"
#include "server/jobs/index/job_index.h"
#include "server/proofs/answers/line.h"
#include "store/store.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

#define LARGE "\"game\":\"connect4:7x6\",\"memory\":\"16M\""

static unsigned submit_job(struct insession *s, const char *params)
{
	bool ok;
	pr_ref result;
	struct pr_doc *doc = insession_call(s, "job.submit", params, &ok, &result);
	ck_assert(ok);
	unsigned job = (unsigned)pr_get_int(result, "job", 0);
	pr_doc_free(doc);
	return job;
}

/* --- pictures ----------------------------------------------------------------------------- */

/* A second client of the same core. */
struct second {
	struct sv_session *session;
	char *line;
};

static void keep_line(void *ctx, const char *line, size_t size)
{
	struct second *second = ctx;
	ck_assert_ptr_null(second->line);
	second->line = strndup(line, size);
}

static size_t no_backlog(void *ctx)
{
	return 0;
}

static void no_hanging_up(void *ctx)
{
	ck_abort_msg("there was no memory for a reply");
}

/* What a reply says without its id; to be freed. */
static char *result_of(char *line)
{
	const char *at = strstr(line, "\"result\"");
	ck_assert_msg(at != NULL, "%s", line);
	char *result = strdup(at);
	free(line);
	return result;
}

/* Waits until the job's search answers. */
static void await_search(struct insession *s, unsigned job)
{
	char params[32];
	bool ok, searching = false;
	pr_ref tree;
	snprintf(params, sizeof params, "\"job\":%u", job);
	while (!searching) {
		struct pr_doc *doc = insession_call(s, "job.tree", params, &ok, &tree);
		searching = !strcmp(pr_get_str(tree, "source", ""), "search");
		pr_doc_free(doc);
	}
}

/* The nodes searched differ from picture to picture, so equal replies are of one. */
START_TEST(two_clients_that_ask_for_the_same_get_one_picture)
{
	struct insession s;
	struct second second = {0};
	struct sv_sink sink = {&second, keep_line, no_backlog, no_hanging_up, true};
	char line[160];
	unsigned shared = 0, rounds = 0;
	insession_open(&s, NULL, (unsigned)_i, 0.1);
	second.session = sv_session_new(s.core, &sink);
	ck_assert_ptr_nonnull(second.session);
	unsigned job = submit_job(&s, LARGE);
	await_search(&s, job);
	snprintf(line, sizeof line,
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"job.tree\",\"params\":{\"job\":%u,\"depth\":2,\"nodes_"
		 "max\":60}}",
		 job);
	for (; rounds < 200 && shared < 3; rounds++) {
		insession_send(&s, line);
		sv_session_line(second.session, line, strlen(line));
		char *one = result_of(insession_line(&s));
		while (!second.line) {
			sv_core_pump(s.core);
			sv_core_tick(s.core);
		}
		char *two = result_of(second.line);
		second.line = NULL;
		shared += strstr(one, "\"source\":\"search\"") && !strcmp(one, two);
		free(one);
		free(two);
	}
	ck_assert_uint_eq(shared, 3);
	sv_session_free(second.session);
	insession_close(&s);
}
END_TEST

/* A run whose checkpoint finds no room may come to no picture for hours. */
START_TEST(no_client_waits_for_a_run_that_waits_for_the_disk)
{
	struct insession s;
	char params[32];
	bool ok, still = false;
	pr_ref tree;
	insession_open(&s, NULL, 1, 60);
	unsigned id = submit_job(&s, LARGE);
	snprintf(params, sizeof params, "\"job\":%u", id);
	await_search(&s, id);
	for (unsigned i = 0; i < 100 && !still; i++) {
		pd_mutex_lock(&s.core->lock);
		sv_index_trouble(sv_index_find(s.core->index, id), &(struct pd_fail){.code = PD_E_NO_SPACE});
		pd_mutex_unlock(&s.core->lock);
		struct pr_doc *doc = insession_call(&s, "job.tree", params, &ok, &tree);
		pd_mutex_lock(&s.core->lock);
		still = sv_index_find(s.core->index, id)->run.trouble.code !=
			0; /* no checkpoint was written meanwhile */
		pd_mutex_unlock(&s.core->lock);
		ck_assert(ok);
		if (still)
			ck_assert_str_ne(pr_get_str(tree, "source", "search"), "search");
		pr_doc_free(doc);
	}
	ck_assert(still);
	pd_mutex_lock(&s.core->lock);
	sv_index_trouble(sv_index_find(s.core->index, id), false);
	pd_mutex_unlock(&s.core->lock);
	insession_close(&s);
}
END_TEST

/* --- lines and trees ---------------------------------------------------------------------- */

struct patience {
	unsigned asked, most;
};

static bool patient(void *ctx)
{
	struct patience *p = ctx;
	return ++p->asked <= p->most;
}

START_TEST(a_line_ends_when_it_is_not_wanted_any_more)
{
	static const char job[] = "\"game\":\"mnk:3,3,3\",\"memory\":\"2M\"";
	struct insession s;
	struct game *game;
	struct st_reader *reader;
	struct sv_line line;
	struct pd_fail fail;
	_Alignas(16) uint8_t start[GAME_STATE_MAX];
	char state[16];
	insession_open(&s, NULL, 1, 0.05);
	insession_wait(&s, submit_job(&s, job), state);
	ck_assert_str_eq(state, "solved");
	ck_assert(!sv_game_get(s.core, "mnk:3,3,3", &game, &fail));
	ck_assert(!st_reader_open(s.core->store, &reader, &fail));
	ck_assert(!game->rules->parse(game, "", start, &fail));
	struct patience p = {.most = UINT32_MAX};
	struct sv_line_order order = {s.core, reader, game, start, 100, 3, patient, &p};
	ck_assert_msg(!sv_line_make(&order, &line, &fail), "%s", fail.text);
	unsigned whole = p.asked;
	ck_assert(line.complete && whole >= line.count);
	sv_line_free(&line);
	for (unsigned most = 0; most < whole; most++) {
		p = (struct patience){.most = most};
		ck_assert_int_eq(sv_line_make(&order, &line, &fail), PD_E_SHUTDOWN);
		ck_assert_uint_eq(p.asked, most + 1); /* and nothing more is done */
		sv_line_free(&line);
	}
	st_reader_close(reader);
	sv_game_put(s.core, game);
	insession_close(&s);
}
END_TEST

/* The client has gone while a reader thread prints its tree. */
START_TEST(a_tree_ends_when_it_is_not_wanted_any_more)
{
	struct insession s;
	struct st_reader *reader = NULL;
	struct pr_doc *doc;
	struct pd_fail fail;
	static const char params[] = "{\"job\":1}";
	insession_open(&s, NULL, 0, 1);
	submit_job(&s, LARGE);
	ck_assert(!pr_doc_parse(params, sizeof params - 1, &doc, &fail));
	for (unsigned gone = 0; gone < 2; gone++) {
		struct sv_read_request queued = {.gone = gone};
		struct sv_request r = {
			.core = s.core, .params = pr_doc_root(doc), .reader = &reader, .queued = &queued};
		pd_buf_init(&r.json, PR_REPLY_MAX);
		pr_out_init(&r.out, &r.json);
		ck_assert_int_eq(sv_method_job_tree(&r), gone ? PD_E_SHUTDOWN : PD_OK);
		pd_buf_fini(&r.json);
	}
	pr_doc_free(doc);
	st_reader_close(reader);
	insession_close(&s);
}
END_TEST

SUITE(unwanted)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, two_clients_that_ask_for_the_same_get_one_picture, 1, 3);
	tcase_add_test(c, no_client_waits_for_a_run_that_waits_for_the_disk);
	tcase_add_test(c, a_line_ends_when_it_is_not_wanted_any_more);
	tcase_add_test(c, a_tree_ends_when_it_is_not_wanted_any_more);
}
