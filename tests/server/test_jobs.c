/* Jobs in this process, where requests, worker and writer meet: requests that come faster than the disk, records that
 * cannot be written, full disks, priorities, memory, contradictions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "server/api/lookup.h"
#include "server/api/session_state.h"
#include "server/common/config.h"
#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/common/open_games.h"
#include "server/core.h"
#include "server/jobs/model/job_record.h"
#include "server/jobs/model/job_state.h"
#include "store/store.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

#define LARGE "\"game\":\"connect4:7x6\",\"memory\":\"4M\""

/* What job.get says; to be freed. */
static struct pr_doc *get_job(struct insession *s, unsigned job, pr_ref *result)
{
	char params[32];
	bool ok;
	snprintf(params, sizeof params, "\"job\":%u", job);
	struct pr_doc *doc = insession_call(s, "job.get", params, &ok, result);
	ck_assert(ok);
	return doc;
}

/* Sends some calls on a job as one batch, without waiting for anything in between; the reply line is to be freed. */
static char *batch(struct insession *s, unsigned job, const char *const *methods)
{
	char text[2048] = "[";
	for (unsigned i = 0; methods[i]; i++) {
		const char *more = strcmp(methods[i], "job.set") ? "" : ",\"priority\":5";
		size_t n = strlen(text);
		snprintf(text + n, sizeof text - n,
			 "%s{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"%s\",\"params\":{\"job\":%u%s}}", i ? "," : "",
			 i, methods[i], job, more);
	}
	strcat(text, "]");
	insession_send(s, text);
	return insession_line(s);
}

START_TEST(requests_may_come_faster_than_the_disk)
{
	static const char *const resume_set[] = {"job.resume", "job.set", NULL};
	static const char *const resume_cancel[] = {"job.resume", "job.cancel", NULL};
	static const char *const resume_pause[] = {"job.resume", "job.pause", "job.resume",
						   "job.set",    "job.pause", NULL};
	struct insession s;
	insession_open(&s, NULL, 1, 0.05);
	for (unsigned i = 0; i < 30; i++) {
		unsigned job = insession_submit(&s, LARGE);
		ck_assert_int_eq(insession_on_job(&s, "job.pause", job, ""), 0);
		char *line = batch(&s, job, resume_set);
		ck_assert_msg(!strstr(line, "error"), "%s", line);
		free(line);
		insession_wait_state(&s, job,
				     "running"); /* and not paused again by a record made before it was resumed */
		ck_assert_int_eq(insession_on_job(&s, "job.pause", job, ""), 0);
		line = batch(&s, job, resume_pause);
		ck_assert_msg(!strstr(line, "error"), "%s", line);
		free(line);
		insession_assert_state(&s, job, "paused");
		line = batch(&s, job, resume_cancel);
		ck_assert_msg(!strstr(line, "error"), "%s", line);
		free(line);
		insession_assert_state(&s, job, "cancelled");
	}
	insession_close(&s);
}
END_TEST

START_TEST(a_change_that_cannot_be_written_has_not_happened)
{
	struct insession s;
	pr_ref job_now;
	insession_open(&s, NULL, 0, 2);
	unsigned job = insession_submit(&s, LARGE ",\"priority\":2");
	st_fault(s.core->store, ST_FAULT_COMMIT, 1);
	ck_assert_int_eq(insession_on_job(&s, "job.pause", job, ""), PD_E_NO_SPACE);
	insession_assert_state(&s, job, "queued");
	st_fault(s.core->store, ST_FAULT_COMMIT, 1);
	ck_assert_int_eq(insession_on_job(&s, "job.set", job, ",\"priority\":9,\"budget\":{\"nodes\":7}"),
			 PD_E_NO_SPACE);
	struct pr_doc *doc = get_job(&s, job, &job_now);
	ck_assert_int_eq(pr_get_int(job_now, "priority", 0), 2);
	ck_assert_int_eq(pr_get_int(pr_get(job_now, "budget"), "nodes", 0), 0);
	ck_assert_int_eq(pr_kind_of(pr_get(job_now, "reason")), PR_NULL);
	pr_doc_free(doc);
	ck_assert_int_eq(insession_on_job(&s, "job.pause", job, ""), 0);
	insession_assert_state(&s, job, "paused");
	st_fault(s.core->store, ST_FAULT_COMMIT, 1);
	ck_assert_int_eq(insession_on_job(&s, "job.resume", job, ""), PD_E_NO_SPACE);
	doc = get_job(&s, job, &job_now);
	ck_assert_str_eq(pr_get_str(job_now, "state", ""), "paused");
	ck_assert_str_eq(pr_get_str(job_now, "reason", ""), "paused on request");
	pr_doc_free(doc);
	st_fault(s.core->store, ST_FAULT_COMMIT, 1);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", job, ""), PD_E_NO_SPACE);
	insession_assert_state(&s, job, "paused");
	ck_assert_int_eq(insession_on_job(&s, "job.resume", job, ""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", job, ""), 0);
	insession_assert_state(&s, job, "cancelled");
	insession_close(&s);
}
END_TEST

START_TEST(a_result_outlives_a_resume_that_fails)
{
	struct insession s;
	pr_ref now;
	insession_open(&s, NULL, 1, 2);
	unsigned job = insession_submit(&s, LARGE ",\"budget\":{\"nodes\":2000}");
	insession_assert_ends(&s, job, "exhausted");
	ck_assert_int_eq(insession_on_job(&s, "job.set", job, ",\"budget\":{\"nodes\":4000}"), 0);
	st_fault(s.core->store, ST_FAULT_COMMIT, 1);
	ck_assert_int_eq(insession_on_job(&s, "job.resume", job, ""), PD_E_NO_SPACE);
	struct pr_doc *doc = get_job(&s, job, &now);
	ck_assert_str_eq(pr_get_str(now, "state", ""), "exhausted");
	ck_assert_str_eq(pr_get_str(pr_get(now, "result"), "status", ""), "unsolved");
	ck_assert_int_gt(pr_get_int(now, "finished", 0), 0);
	pr_doc_free(doc);
	ck_assert_int_eq(insession_on_job(&s, "job.resume", job, ""), 0);
	insession_assert_ends(&s, job, "exhausted");
	insession_close(&s);
}
END_TEST

/* Lets every commit fail, and waits until the job shows as paused for want of room. */
static void fill_disk(struct insession *s, unsigned job)
{
	st_fault(s->core->store, ST_FAULT_COMMIT, ST_FAULT_ALWAYS);
	insession_wait_state(s, job, "paused");
}

START_TEST(without_room_a_job_is_paused_and_requests_on_it_are_refused)
{
	struct insession s;
	bool ok;
	pr_ref result;
	insession_open(&s, NULL, 1, 0.05);
	unsigned job = insession_submit(&s, LARGE);
	insession_wait_state(&s, job, "running");
	fill_disk(&s, job);
	struct pr_doc *doc = insession_call(&s, "job.list", "\"state\":\"paused\"", &ok, &result);
	ck_assert_uint_eq(pr_count(pr_get(result, "jobs")), 1);
	ck_assert_str_ne(pr_get_str(pr_at(pr_get(result, "jobs"), 0), "reason", ""), "");
	pr_doc_free(doc);
	doc = insession_call(&s, "server.stats", "", &ok, &result);
	ck_assert_int_eq(pr_get_int(pr_get(result, "jobs"), "paused", 0), 1);
	ck_assert_int_eq(pr_get_int(pr_get(result, "jobs"), "running", 1), 0);
	pr_doc_free(doc);
	ck_assert_int_eq(insession_on_job(&s, "job.set", job, ",\"priority\":5"), PD_E_NO_SPACE);
	st_fault(s.core->store, ST_FAULT_COMMIT, 0);
	insession_wait_state(&s, job, "running"); /* by itself, when there is room */
	pr_ref now;
	doc = get_job(&s, job, &now);
	ck_assert_int_eq(pr_kind_of(pr_get(now, "reason")), PR_NULL);
	pr_doc_free(doc);
	ck_assert_int_eq(insession_on_job(&s, "job.pause", job, ""), 0);
	insession_close(&s);
}
END_TEST

START_TEST(the_highest_priority_runs_first_then_the_oldest)
{
	struct insession s;
	insession_open(&s, NULL, 1, 0.05);
	pd_mutex_lock(&s.core->lock);
	s.core->config.run_min_s = 3600; /* that a job gives way is another test (server.schedule) */
	pd_mutex_unlock(&s.core->lock);
	unsigned first = insession_submit(&s, LARGE);
	insession_wait_state(&s, first, "running");
	unsigned second = insession_submit(&s, LARGE ",\"priority\":-1"), third = insession_submit(&s, LARGE),
		 fourth = insession_submit(&s, LARGE);
	unsigned fifth = insession_submit(&s, LARGE ",\"priority\":7");
	unsigned order[] = {first, fifth, third, fourth, second};
	for (unsigned i = 0; i < 5; i++) {
		insession_wait_state(&s, order[i], "running");
		for (unsigned j = i + 1; j < 5; j++)
			insession_assert_state(&s, order[j], "queued");
		ck_assert_int_eq(insession_on_job(&s, "job.cancel", order[i], ""), 0);
	}
	insession_close(&s);
}
END_TEST

START_TEST(a_job_waits_until_its_memory_fits_with_the_others)
{
	struct insession s;
	insession_open(&s, NULL, 2, 0.05);
	pd_mutex_lock(&s.core->lock);
	s.core->config.memory = 7 << 20;
	pd_mutex_unlock(&s.core->lock);
	unsigned a = insession_submit(&s, LARGE);
	insession_wait_state(&s, a, "running");
	unsigned b = insession_submit(&s, LARGE), c = insession_submit(&s, "\"game\":\"mnk:3,3,3\",\"memory\":\"2M\"");
	insession_assert_ends(&s, c, "solved"); /* it fits, and passes by the one that does not */
	insession_assert_state(&s, b, "queued");
	ck_assert_int_eq(insession_on_job(&s, "job.pause", a, ""), 0);
	insession_wait_state(&s, b, "running");
	ck_assert_int_eq(insession_code(&s, "job.submit", "\"game\":\"mnk:3,3,3\",\"memory\":\"8M\""), PD_E_PARAMS);
	insession_close(&s);
}
END_TEST

static uint64_t shorter(uint64_t best, uint64_t start)
{
	uint64_t took = pd_now_ns() - start;
	return took < best ? took : best;
}

/* It takes 20 ms, and 2 s are promised. What a busy machine adds it does not add every time. */
START_TEST(stopping_takes_effect_at_once)
{
	struct insession s;
	uint64_t pause = UINT64_MAX, close = UINT64_MAX;
	for (unsigned round = 0; round < 5; round++) {
		insession_open(&s, NULL, 1, 3600);
		unsigned job = insession_submit(&s, LARGE);
		insession_wait_state(&s, job, "running");
		uint64_t start = pd_now_ns();
		ck_assert_int_eq(insession_on_job(&s, "job.pause", job, ""), 0);
		pause = shorter(pause, start);
		ck_assert_int_eq(insession_on_job(&s, "job.resume", job, ""), 0);
		insession_wait_state(&s, job, "running");
		start = pd_now_ns();
		insession_close(&s);
		close = shorter(close, start);
	}
	ck_assert_uint_lt(close, UINT64_C(1000000000));
	ck_assert_uint_lt(pause, UINT64_C(1000000000));
}
END_TEST

START_TEST(counters_go_on_after_a_restart_and_the_history_tells)
{
	struct insession s;
	char dir[64], text[256];
	bool ok, done = false;
	pr_ref now, result;
	int64_t nodes = 0;
	double seconds = 0;
	scratch_dir(dir);
	for (unsigned i = 0; i < 3; i++) {
		insession_open(&s, dir, 1, 0.05);
		unsigned job = i ? 1 : insession_submit(&s, LARGE);
		do {
			struct pr_doc *doc = get_job(&s, job, &now);
			int64_t all = pr_get_int(pr_get(now, "nodes"), "level1", 0) +
				      pr_get_int(pr_get(now, "nodes"), "level2", 0);
			ck_assert_int_ge(all, nodes);
			ck_assert(pr_get_real(now, "seconds", 0) >= seconds);
			ck_assert_int_eq(pr_get_int(now, "restarts", 99), i);
			done = all > nodes + 200000;
			if (done) {
				nodes = all;
				seconds = pr_get_real(now, "seconds", 0);
			}
			pr_doc_free(doc);
		} while (!done);
		insession_close(&s);
	}
	insession_open(&s, dir, 0, 2);
	insession_assert_state(&s, 1, "queued");
	struct pr_doc *doc = insession_call(&s, "job.history", "\"job\":1", &ok, &result);
	pr_ref points = pr_get(result, "points");
	text[0] = 0;
	for (size_t i = 0; i < pr_count(points); i++) {
		const char *event = pr_get_str(pr_at(points, i), "event", "");
		if (strcmp(event, "checkpoint"))
			snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", event);
	}
	ck_assert_str_eq(text, "submitted started stopped resumed stopped resumed stopped ");
	pr_doc_free(doc);
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

/* Puts reasons for a position into a directory that no one has open. */
static void forge_fact(const char *dir, const struct game *g, const char *position, const struct pd_reason *reasons,
		       size_t count)
{
	struct st_store *store;
	struct st_batch *b;
	struct pd_fail fail;
	uint32_t id;
	uint8_t key[GAME_KEY_MAX];
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	ck_assert(!g->rules->parse(g, position, state, NULL));
	size_t size = g->rules->key(g, state, key);
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_batch_begin(store, &b, &fail));
	ck_assert(!st_batch_game(b, g->name, g->rules_version, &id, &fail));
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(!st_batch_fact(b, id, key, size, &reasons[i], &fail), "%s", fail.text);
	ck_assert(!st_batch_commit(b, &fail));
	st_close(store);
}

START_TEST(a_contradiction_fails_the_job_for_good)
{
	struct insession s;
	char dir[64];
	pr_ref now;
	scratch_dir(dir);
	const struct pd_reason forged = {.bound = 1, .side = PD_LO, .rank = 5, .move = PD_NO_MOVE, .effort = 1};
	struct game *g;
	ck_assert(!game_open("mnk:3,3,3", NULL, &g, NULL));
	forge_fact(dir, g, "b2", &forged, 1);
	game_close(g);
	insession_open(&s, dir, 1, 0.05);
	/* `pn` asks for no facts below the root, so it finds the truth and collides with the forgery. */
	unsigned job = insession_submit(
		&s, "\"game\":\"mnk:3,3,3\",\"algorithm\":\"pn\",\"detail\":\"full\",\"memory\":\"16M\"");
	insession_assert_ends(&s, job, "failed");
	struct pr_doc *doc = get_job(&s, job, &now);
	ck_assert_str_ne(pr_get_str(now, "reason", ""), "");
	pr_doc_free(doc);
	insession_close(&s);
	insession_open(&s, dir, 1, 0.05);
	insession_assert_state(&s, job, "failed"); /* on disk too */
	unsigned other = insession_submit(&s, "\"game\":\"mnk:4,3,3\",\"memory\":\"2M\"");
	insession_assert_ends(&s, other, "solved");
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_fact_of_many_reasons_takes_another)
{
	/* One line of 20 moves to 5 on a scale of -20..20. The store knows already 24 weak things about its start. */
	struct insession s;
	char dir[64], graphs[64], path[128];
	FILE *file;
	scratch_dir(dir);
	scratch_dir(graphs);
	snprintf(path, sizeof path, "%s/chain.json", graphs);
	file = fopen(path, "w");
	fprintf(file, "{\"root\":\"n0\",\"values\":[-20,20],\"nodes\":{");
	for (unsigned i = 0; i < 20; i++)
		fprintf(file, "\"n%u\":{\"%s\":[\"n%u\"]},", i, i % 2 ? "and" : "or", i + 1);
	fprintf(file, "\"n20\":{\"value\":5}}}");
	fclose(file);
	insession_open(&s, dir, 0, 2);
	s.core->config.graphs = s.core->games->graphs = graphs;
	ck_assert_uint_eq(insession_submit(&s, "\"game\":\"andor:chain\",\"memory\":\"2M\",\"algorithm\":\"pn\""), 1);
	insession_close(&s);
	struct game *g;
	struct game_host host = {graphs, sv_graph_read};
	struct pd_fail fail;
	enum { WEAK = 24 };
	struct pd_reason weak[WEAK];
	for (int i = 0; i < WEAK; i++)
		weak[i] = (struct pd_reason){.bound = (int16_t)(i - 19),
					     .side = PD_LO,
					     .rank = (uint16_t)(i + 1),
					     .move = PD_NO_MOVE,
					     .effort = 1};
	ck_assert(!game_open("andor:chain", &host, &g, &fail));
	forge_fact(dir, g, "", weak, WEAK);
	game_close(g);
	struct sv_config config;
	sv_config_init(&config);
	config.nice = 0;
	insession_open(&s, NULL, 0, 2);
	struct sv_core *own = s.core;
	config.data = dir;
	config.graphs = graphs;
	ck_assert(!sv_core_open(&config, NULL, NULL, &s.core, &fail));
	s.session->core = s.core;
	insession_wait_state(&s, 1, "solved");
	sv_core_close(s.core);
	s.session->core = s.core = own;
	insession_close(&s);
	unlink(path);
	rmdir(graphs);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_read_only_core_sees_what_the_writer_adds)
{
	struct insession s;
	struct sv_core *reader;
	struct sv_config config;
	struct pd_fail fail;
	struct game *g;
	char dir[64];
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pn_known known = {0};
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	sv_config_init(&config);
	config.data = dir;
	config.read_only = true;
	ck_assert(!sv_core_open(&config, NULL, NULL, &reader, &fail));
	insession_assert_ends(&s, insession_submit(&s, "\"game\":\"mnk:3,3,3\",\"memory\":\"2M\""), "solved");
	ck_assert(!sv_game_get(reader, "mnk:3,3,3", &g, &fail));
	g->rules->start(g, state);
	uint64_t start = pd_now_ns();
	while (known.source != PN_BY_FACT && pd_now_ns() - start < UINT64_C(20000000000)) {
		struct sv_lookup looking = {0};
		sv_lookup_init(&looking, reader, reader->reader);
		sv_lookup_game(&looking, reader, g);
		ck_assert(!pn_known_get(&looking.base, state, &known, &fail));
	}
	ck_assert_int_eq(known.source, PN_BY_FACT);
	sv_game_put(reader, g);
	sv_core_close(reader);
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

/* Whatever write fails first, the job comes to its answer: twelve cores side by side, each with another failure. */
START_TEST(no_single_failure_keeps_a_job_from_its_answer)
{
	enum { CORES = 12 };
	static struct insession s[CORES];
	for (unsigned i = 0; i < CORES; i++) {
		insession_open(&s[i], NULL, 1, 0.05);
		ck_assert_uint_eq(
			insession_submit(&s[i], "\"game\":\"connect4:4x4\",\"memory\":\"2M\",\"algorithm\":\"pds\""),
			1);
		st_fault(s[i].core->store, i % 2 ? ST_FAULT_PUT : ST_FAULT_COMMIT, 1 + i * i / 4);
	}
	for (unsigned i = 0; i < CORES; i++) {
		pr_ref now;
		insession_wait_state(&s[i], 1, "solved");
		struct pr_doc *doc = get_job(&s[i], 1, &now);
		ck_assert_str_eq(pr_get_str(pr_get(pr_get(now, "result"), "value"), "text", ""), "draw");
		pr_doc_free(doc);
		insession_close(&s[i]);
	}
}
END_TEST

/* Members of job.get's `options` as text; "" when there are none. */
static void options_text(struct insession *s, unsigned job, char *out, size_t size)
{
	pr_ref now;
	struct pr_doc *doc = get_job(s, job, &now);
	char *text = pr_dump(pr_get(now, "options"), NULL);
	snprintf(out, size, "%s", text ? text : "");
	free(text);
	pr_doc_free(doc);
}

/* The level-2 budgets that a job met stay below what it was submitted with, before and after it was on disk alone. */
START_TEST(a_job_keeps_its_options)
{
	struct insession s;
	char dir[64], options[128];
	unsigned plain;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	unsigned job = insession_submit(
		&s,
		LARGE ",\"budget\":{\"nodes\":100000},\"options\":{\"cap-last\":70,\"epsilon\":0.1,\"cap-first\":6e1,"
		      "\"cache\":false,\"mobility\":true}");
	insession_assert_ends(&s, job, "exhausted");
	for (unsigned opened = 0; opened < 2; opened++) {
		pr_ref now;
		struct pr_doc *doc = get_job(&s, job, &now);
		pr_ref kept = pr_get(now, "options");
		ck_assert_uint_eq(pr_count(kept), 4);
		ck_assert(pr_get_real(kept, "epsilon", 0) == 0.1);
		ck_assert_int_eq(pr_get_int(kept, "cap-first", 0), 60);
		ck_assert_int_eq(pr_get_int(kept, "cap-last", 0), 70);
		ck_assert(!pr_get_bool(kept, "cache", true));
		ck_assert_int_gt(pr_get_int(now, "entries", 0),
				 1000); /* by default the budget would be hundreds of nodes */
		ck_assert_int_ge(pr_get_int(now, "budget_level2", 0), opened ? 0 : 60);
		ck_assert_int_le(pr_get_int(now, "budget_level2", 0), 70);
		pr_doc_free(doc);
		insession_close(&s);
		insession_open(&s, dir, 1, 0.05);
	}
	ck_assert_int_eq(insession_on_job(&s, "job.set", job, ",\"budget\":{\"nodes\":200000}"), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.resume", job, ""), 0);
	insession_assert_ends(&s, job, "exhausted");
	pr_ref now;
	struct pr_doc *doc = get_job(&s, job, &now);
	ck_assert_int_ge(pr_get_int(now, "budget_level2", 0), 60);
	ck_assert_int_le(pr_get_int(now, "budget_level2", 0), 70);
	pr_doc_free(doc);
	plain = insession_submit(&s,
				 LARGE ",\"budget\":{\"nodes\":1000},\"options\":{\"cap-first\":2000,\"cache\":true}");
	insession_assert_ends(&s, plain, "exhausted");
	options_text(&s, plain, options, sizeof options);
	ck_assert_str_eq(options, "");
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

START_TEST(records_hold_options_and_older_ones_none)
{
	static const char old[] = "{\"v\":1,\"state\":\"queued\",\"game\":\"mnk:3,3,3\",\"position\":\"\",\"claim\":"
				  "\"value\",\"algorithm\":\"pds\"}";
	static const char later[] = "{\"v\":1,\"state\":\"queued\",\"game\":\"mnk:3,3,3\",\"position\":\"\",\"claim\":"
				    "\"value\",\"algorithm\":\"pds\","
				    "\"options\":{\"not-known-yet\":1}}";
	struct sv_record job, again;
	struct pd_fail fail;
	struct pd_buf record;
	const struct pn_tunable *t;
	char before[PN_TUNABLE_TEXT], after[PN_TUNABLE_TEXT];
	ck_assert(!sv_record_read(1, old, strlen(old), &job, &fail));
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++)
		ck_assert(!pn_option_text(&job.spec.options, t, before));
	for (unsigned round = 0; round < 2;
	     round++) { /* each as far from its default as it goes, one way and the other */
		for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++) {
			char text[32];
			snprintf(text, sizeof text, "%lld", (long long)(round ? t->min : t->max));
			const char *value = t->kind != PN_YES_NO ? text : round ? "no" : "yes";
			ck_assert_msg(!pn_option_set(&job.spec.options, t->name, value, &fail), "%s", fail.text);
		}
		ck_assert(!pn_option_set(&job.spec.options, "epsilon", round ? "0.1" : "1e-7", &fail));
		pd_buf_init(&record, 1 << 16);
		sv_record_write(&job, &record);
		ck_assert_msg(!sv_record_read(1, record.data, record.size, &again, &fail), "%s", fail.text);
		for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++) {
			pn_option_text(&job.spec.options, t, before);
			pn_option_text(&again.spec.options, t, after);
			ck_assert_str_eq(before, after);
		}
		sv_record_fini(&again);
		pd_buf_fini(&record);
	}
	sv_record_fini(&job);
	ck_assert_int_eq(sv_record_read(1, later, strlen(later), &job, &fail), PD_E_PARAMS);
	ck_assert_str_eq(fail.field, "options");
}
END_TEST

START_TEST(the_protocol_describes_every_option)
{
	struct insession s;
	bool ok;
	pr_ref result, submit_params = NULL, schema = NULL;
	const struct pn_tunable *t;
	insession_open(&s, NULL, 0, 2);
	struct pr_doc *doc = insession_call(&s, "rpc.discover", "", &ok, &result);
	ck_assert(ok);
	pr_ref methods = pr_get(result, "methods");
	for (size_t i = 0; i < pr_count(methods); i++)
		if (!strcmp(pr_get_str(pr_at(methods, i), "name", ""), "job.submit"))
			submit_params = pr_get(pr_at(methods, i), "params");
	for (size_t i = 0; i < pr_count(submit_params); i++)
		if (!strcmp(pr_get_str(pr_at(submit_params, i), "name", ""), "options"))
			schema = pr_get(pr_get(pr_at(submit_params, i), "schema"), "properties");
	unsigned count = 0;
	for (; (t = pn_tunable_at(count)) != NULL; count++) {
		pr_ref one = pr_get(schema, t->name);
		static const char *const types[] = {
			[PN_WHOLE] = "integer", [PN_REAL] = "number", [PN_YES_NO] = "boolean"};
		ck_assert_str_eq(pr_get_str(one, "type", "?"), types[t->kind]);
		ck_assert_ptr_nonnull(strstr(pr_get_str(one, "description", ""), t->what));
		if (t->kind == PN_YES_NO)
			continue;
		ck_assert(pr_get_real(one, "minimum", -1) == (double)t->min);
		ck_assert(pr_get_real(one, "maximum", -1) == (double)t->max);
	}
	ck_assert_uint_eq(pr_count(schema), count);
	pr_doc_free(doc);
	insession_close(&s);
}
END_TEST

SUITE(jobs)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, requests_may_come_faster_than_the_disk);
	tcase_add_test(c, a_change_that_cannot_be_written_has_not_happened);
	tcase_add_test(c, a_result_outlives_a_resume_that_fails);
	tcase_add_test(c, without_room_a_job_is_paused_and_requests_on_it_are_refused);
	tcase_add_test(c, the_highest_priority_runs_first_then_the_oldest);
	tcase_add_test(c, a_job_waits_until_its_memory_fits_with_the_others);
	tcase_add_test(c, stopping_takes_effect_at_once);
	tcase_add_test(c, counters_go_on_after_a_restart_and_the_history_tells);
	tcase_add_test(c, a_contradiction_fails_the_job_for_good);
	tcase_add_test(c, a_fact_of_many_reasons_takes_another);
	tcase_add_test(c, no_single_failure_keeps_a_job_from_its_answer);
	tcase_add_test(c, a_read_only_core_sees_what_the_writer_adds);
	tcase_add_test(c, a_job_keeps_its_options);
	tcase_add_test(c, records_hold_options_and_older_ones_none);
	tcase_add_test(c, the_protocol_describes_every_option);
}
