/* Jobs on a cluster: a core whose leaves workers search, over a port in the process that delays, drops and repeats. The
 * answers are right and the directory is clean, whatever comes to workers, port and core. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/cluster/cluster.h"
#include "server/common/config.h"
#include "server/common/core_state.h"
#include "server/proofs/maintenance/check.h"
#include "server/worker/worker.h"
#include "tests/support/effort.h"
#include "tests/support/insession.h"
#include "tests/support/port_double.h"
#include "tests/support/suite.h"
#include "tests/support/worker_double.h"

enum { WORKERS = 2 };

struct rig {
	struct port_double net;
	struct sv_cluster_config cluster;
	struct insession s;
	struct wk_worker *worker[WORKERS];
	char dir[64];
};

static void open_core(struct rig *r)
{
	struct sv_config config;
	sv_config_init(&config);
	config.nice = 0;
	config.data = r->dir;
	config.threads = 1;
	config.checkpoint_s = 0.2;
	config.graphs = TEST_GRAPHS;
	config.cluster = &r->cluster;
	insession_open_as(&r->s, &config);
}

static void start_worker(struct rig *r, unsigned i)
{
	struct pd_fail fail;
	const struct wk_config config = {.port = port_double_opener(&r->net),
					 .where = "double://here",
					 .name = i ? "second" : "first",
					 .threads = 1,
					 .memory = 16 << 20,
					 .graphs = TEST_GRAPHS};
	ck_assert_msg(!wk_open(&config, &r->worker[i], &fail), "%s", fail.text);
}

static void rig_open(struct rig *r, unsigned verify, uint64_t seed)
{
	memset(r, 0, sizeof *r);
	scratch_dir(r->dir);
	port_double_start(&r->net, seed);
	r->cluster = (struct sv_cluster_config){.port = port_double_opener(&r->net),
						.verify_sealed = verify,
						.verify_others = verify,
						.where = "double://here",
						.seed = seed};
	open_core(r);
}

/* Workers that are there. */
static unsigned count_workers(struct rig *r)
{
	struct sv_cluster_view view;
	sv_cluster_view(r->s.core->cluster, &view);
	return view.workers;
}

static uint64_t results(struct rig *r)
{
	struct sv_cluster_view view;
	sv_cluster_view(r->s.core->cluster, &view);
	return view.results;
}

static void on_problem(void *ctx, const char *text)
{
	printf("%s\n", text);
}

/* Ends everything; what is in the directory is justified. */
static void rig_close(struct rig *r)
{
	struct sv_check sum;
	struct pd_fail fail;
	for (unsigned i = 0; i < WORKERS; i++)
		wk_close(r->worker[i]);
	insession_close(&r->s);
	port_double_stop(&r->net);
	const struct sv_check_order order = {.graphs = TEST_GRAPHS, .threads = 1, .problem = on_problem};
	ck_assert_msg(!sv_check_directory(r->dir, &order, &sum, &fail), "%s", fail.text);
	ck_assert_uint_eq(sum.problems, 0);
	scratch_remove(r->dir);
}

static void assert_answer(struct rig *r, unsigned job, int wanted)
{
	char params[64];
	bool ok;
	pr_ref result;
	insession_assert_ends(&r->s, job, "solved");
	snprintf(params, sizeof params, "\"job\":%u", job);
	struct pr_doc *doc = insession_call(&r->s, "job.get", params, &ok, &result);
	ck_assert(ok);
	pr_ref value = pr_get(pr_get(result, "result"), "value");
	ck_assert_int_eq(pr_get_int(value, "lo", 99), wanted);
	ck_assert_int_eq(pr_get_int(value, "hi", 99), wanted);
	pr_doc_free(doc);
}

static void await_job(struct rig *r, unsigned workers)
{
	while (count_workers(r) != workers)
		usleep(1000);
}

/* Workers have brought results, of this job or of a long one. */
static void await_results(struct rig *r)
{
	if (results(r))
		return;
	unsigned job = insession_submit(&r->s, "\"game\":\"connect4:7x6\"");
	while (!results(r))
		usleep(1000);
	ck_assert_int_eq(insession_on_job(&r->s, "job.cancel", job, ""), 0);
	insession_assert_ends(&r->s, job, "cancelled");
}

static const struct {
	const char *params;
	int value;
} jobs[] = {
	{"\"game\":\"connect4:5x4\"", 0},
	{"\"game\":\"connect4:5x4\",\"algorithm\":\"dfpn-pn\"", 0},
	{"\"game\":\"mnk:4,4,4\"", 0},
	{"\"game\":\"connect4:4x5\"", 0},
};
enum { JOBS = sizeof jobs / sizeof *jobs };

START_TEST(workers_search_and_the_answer_is_right)
{
	struct rig r;
	rig_open(&r, _i % 2 ? SV_VERIFY_ALL : 0, (uint64_t)_i + 1);
	for (unsigned i = 0; i < WORKERS; i++)
		start_worker(&r, i);
	await_job(&r, WORKERS);
	pthread_mutex_lock(&r.net.lock);
	r.net.delay_ns = 1000000;
	r.net.repeat = 20;
	r.net.drop = (unsigned)_i % 2;
	pthread_mutex_unlock(&r.net.lock);
	assert_answer(&r, insession_submit(&r.s, jobs[_i].params), jobs[_i].value);
	await_results(&r); /* a quick machine may have needed none */
	rig_close(&r);
}
END_TEST

START_TEST(a_job_goes_on_when_workers_come_and_go)
{
	struct rig r;
	char state[16];
	rig_open(&r, 0, 5);
	unsigned job = insession_submit(&r.s, "\"game\":\"connect4:5x5\"");
	for (unsigned round = 0; round < effort_of(6, 2); round++) {
		start_worker(&r, round % WORKERS);
		uint64_t before = results(&r);
		insession_state(&r.s, job, state);
		while (strcmp(state, "solved") != 0 && results(&r) < before + 5)
			insession_state(&r.s, job, state);
		port_double_cut(&r.net, true);
		port_double_cut(&r.net, false);
		wk_close(r.worker[round % WORKERS]);
		r.worker[round % WORKERS] = NULL;
	}
	assert_answer(&r, job, 0);
	rig_close(&r);
}
END_TEST

START_TEST(a_core_that_closes_with_leaves_out_goes_on_where_it_was)
{
	struct rig r;
	char state[16];
	rig_open(&r, 0, 6);
	for (unsigned i = 0; i < WORKERS; i++)
		start_worker(&r, i);
	await_job(&r, WORKERS);
	unsigned job = insession_submit(&r.s, "\"game\":\"connect4:5x5\"");
	for (unsigned round = 0; round < 3; round++) {
		insession_state(&r.s, job, state);
		while (strcmp(state, "solved") != 0 && results(&r) < 5)
			insession_state(&r.s, job, state);
		insession_close(&r.s);
		open_core(&r);
	}
	assert_answer(&r, job, 0);
	rig_close(&r);
}
END_TEST

START_TEST(a_lie_never_gets_through_when_all_is_searched_again)
{
	struct rig r;
	struct worker_double liar;
	struct game *game;
	ck_assert(!game_open("connect4:5x4", NULL, &game, NULL));
	rig_open(&r, SV_VERIFY_ALL, 7);
	start_worker(&r, 0);
	worker_double_start(
		&liar, &(struct worker_double_setup){
			       .net = &r.net, .number = 1000, .games = "connect4", .game = game, .lie = 3, .seed = 1});
	await_job(&r, 2);
	assert_answer(&r, insession_submit(&r.s, "\"game\":\"connect4:5x4\""), 0);
	assert_answer(&r, insession_submit(&r.s, "\"game\":\"connect4:5x4\",\"seed\":9"), 0);
	worker_double_stop(&liar, true);
	rig_close(&r);
	game_close(game);
}
END_TEST

/* Whether job.tree names that worker at some leaf now; false, too, when the job has ended. */
static bool tree_names(struct rig *r, unsigned job, const char *name)
{
	char params[64];
	bool ok, found = false;
	pr_ref result;
	snprintf(params, sizeof params, "\"job\":%u,\"depth\":6,\"nodes_max\":1000", job);
	struct pr_doc *doc = insession_call(&r->s, "job.tree", params, &ok, &result);
	ck_assert_msg(ok, "%s", pr_get_str(result, "message", "?"));
	pr_ref positions = pr_get(result, "positions");
	for (size_t i = 0; i < pr_count(positions); i++)
		found |= !strcmp(pr_get_str(pr_at(positions, i), "worker", ""), name);
	pr_doc_free(doc);
	return found;
}

START_TEST(the_tree_of_a_job_names_the_workers)
{
	struct rig r;
	rig_open(&r, 0, 9);
	start_worker(&r, 1);
	await_job(&r, 1);
	bool named = false;
	while (!named) { /* on a wide board the leaves of a young search lie near its root */
		unsigned job = insession_submit(&r.s, "\"game\":\"hex:9\"");
		for (unsigned i = 0; i < 20 && !named; i++)
			named = tree_names(&r, job, "second");
		ck_assert_int_eq(insession_on_job(&r.s, "job.cancel", job, ""), 0);
		insession_assert_ends(&r.s, job, "cancelled");
	}
	rig_close(&r);
}
END_TEST

START_TEST(searches_that_have_no_remote_leaves_are_as_ever)
{
	struct rig r;
	rig_open(&r, 0, 8);
	start_worker(&r, 0);
	await_job(&r, 1);
	assert_answer(&r, insession_submit(&r.s, "\"game\":\"connect4:4x4\",\"detail\":\"full\""), 0);
	assert_answer(&r, insession_submit(&r.s, "\"game\":\"mnk:3,3,3\",\"algorithm\":\"paper\""), 0);
	assert_answer(&r, insession_submit(&r.s, "\"game\":\"mnk:3,3,3\",\"algorithm\":\"pn\""), 0);
	ck_assert_uint_eq(results(&r), 0);
	rig_close(&r);
}
END_TEST

SUITE(jobs)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, workers_search_and_the_answer_is_right, 0, JOBS);
	tcase_add_test(c, a_job_goes_on_when_workers_come_and_go);
	tcase_add_test(c, a_core_that_closes_with_leaves_out_goes_on_where_it_was);
	tcase_add_test(c, a_lie_never_gets_through_when_all_is_searched_again);
	tcase_add_test(c, the_tree_of_a_job_names_the_workers);
	tcase_add_test(c, searches_that_have_no_remote_leaves_are_as_ever);
}
