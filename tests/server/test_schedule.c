/* Which job is searched, and why another is not: explanations, preemption, time slices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/common/config.h"
#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/core.h"
#include "server/jobs/queue/explain.h"
#include "server/jobs/model/job.h"
#include "server/jobs/model/job_group.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/queue/scheduler.h"
#include "store/store.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

#define LARGE "\"game\":\"connect4:7x6\",\"memory\":\"4M\""
#define SMALL "\"game\":\"mnk:3,3,3\",\"memory\":\"2M\""

/* A core whose jobs may give way at once. */
static void open_core(struct insession *s, const char *dir, unsigned threads, double slice)
{
	struct sv_config config;
	sv_config_init(&config);
	config.nice = 0;
	config.data = dir;
	config.threads = threads;
	config.checkpoint_s = 0.05;
	config.graphs = TEST_GRAPHS;
	config.identity = 1;
	config.slice_s = slice;
	config.run_min_s = 0.01;
	insession_open_as(s, &config);
}

static struct pr_doc *get_state(struct insession *s, const char *method, unsigned job, pr_ref *result)
{
	char params[32];
	bool ok;
	snprintf(params, sizeof params, "\"job\":%u", job);
	struct pr_doc *doc = insession_call(s, method, params, &ok, result);
	ck_assert(ok);
	return doc;
}

/* What job.explain says has that reason, and the text in its sentence. */
static void assert_explained(struct insession *s, unsigned job, const char *reason, const char *text)
{
	pr_ref result;
	struct pr_doc *doc = get_state(s, "job.explain", job, &result);
	ck_assert_str_eq(pr_get_str(result, "reason", ""), reason);
	ck_assert_msg(strstr(pr_get_str(result, "text", ""), text), "job %u: '%s' lacks '%s'", job,
		      pr_get_str(result, "text", ""), text);
	pr_doc_free(doc);
}

static int64_t count_events(struct insession *s, unsigned job, const char *event)
{
	pr_ref result;
	int64_t count = 0;
	struct pr_doc *doc = get_state(s, "job.history", job, &result);
	pr_ref points = pr_get(result, "points");
	for (size_t i = 0; i < pr_count(points); i++)
		count += !strcmp(pr_get_str(pr_at(points, i), "event", ""), event);
	pr_doc_free(doc);
	return count;
}

/* Waits until the job has searched that many nodes. */
static void wait_nodes(struct insession *s, unsigned job, int64_t nodes)
{
	pr_ref now;
	int64_t all;
	do {
		struct pr_doc *doc = get_state(s, "job.get", job, &now);
		all = pr_get_int(pr_get(now, "nodes"), "level1", 0) + pr_get_int(pr_get(now, "nodes"), "level2", 0);
		pr_doc_free(doc);
	} while (all < nodes);
}

START_TEST(it_is_said_why_a_job_waits)
{
	struct insession s;
	pr_ref result;
	open_core(&s, NULL, 1, 0);
	unsigned first = insession_submit(&s, LARGE);
	wait_nodes(&s, first, 1000);
	assert_explained(&s, first, "running", "1 search thread works on it");
	unsigned second = insession_submit(&s, LARGE), third = insession_submit(&s, LARGE);
	assert_explained(&s, second, "thread", "no search thread is free: they search job 1");
	assert_explained(&s, third, "thread", "queued before it: job 2");
	struct pr_doc *doc = get_state(&s, "job.explain", third, &result);
	ck_assert_uint_eq(pr_count(pr_get(result, "jobs")), 2);
	ck_assert_int_eq(pr_get_int(result, "before", 0), 1);
	ck_assert_int_eq(pr_get_int(result, "running", 0), 1);
	ck_assert_int_eq(pr_get_int(pr_get(result, "memory"), "reserved", 0), 4 << 20);
	pr_doc_free(doc);
	ck_assert_int_eq(insession_on_job(&s, "job.pause", second, ""), 0);
	assert_explained(&s, second, "paused", "paused on request");
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", second, ""), 0);
	assert_explained(&s, second, "cancelled", "cancelled");
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", first, ""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", third, ""), 0);
	unsigned bounded = insession_submit(&s, LARGE ",\"budget\":{\"nodes\":2000}");
	insession_wait_state(&s, bounded, "exhausted");
	assert_explained(&s, bounded, "budget", "of 2000 nodes");
	ck_assert_int_eq(insession_on_job(&s, "job.set", bounded, ",\"budget\":{\"nodes\":3000}"), 0);
	assert_explained(&s, bounded, "exhausted", "the budget of nodes is used up");
	insession_close(&s);
	open_core(&s, NULL, 0, 0);
	assert_explained(&s, insession_submit(&s, LARGE), "no-threads", "no search threads");
	insession_close(&s);
}
END_TEST

START_TEST(it_is_said_who_has_the_memory)
{
	struct insession s;
	open_core(&s, NULL, 2, 0);
	pd_mutex_lock(&s.core->lock);
	s.core->config.memory = 7 << 20;
	pd_mutex_unlock(&s.core->lock);
	unsigned first = insession_submit(&s, LARGE);
	insession_wait_state(&s, first, "running");
	unsigned second = insession_submit(&s, LARGE);
	assert_explained(&s, second, "memory",
			 "it needs 4M of memory, and of the 7M for all jobs 4M are reserved by job 1");
	insession_close(&s);
}
END_TEST

START_TEST(a_job_gives_way_to_one_of_higher_priority_and_goes_on)
{
	struct insession s;
	open_core(&s, NULL, 1, 0);
	unsigned low = insession_submit(&s, LARGE), equal = insession_submit(&s, LARGE);
	wait_nodes(&s, low, 20000);
	unsigned high = insession_submit(&s, LARGE ",\"priority\":3");
	insession_wait_state(&s, high, "running");
	insession_assert_state(&s, low, "queued");
	assert_explained(&s, low, "thread", "it gave way to job 3, which has a higher priority");
	ck_assert_int_eq(count_events(&s, low, "gave way"), 1);
	insession_assert_state(&s, equal, "queued");
	ck_assert_int_eq(insession_on_job(&s, "job.pause", high, ""), 0);
	insession_wait_state(&s, low, "running"); /* it keeps its turn */
	insession_assert_state(&s, equal, "queued");
	wait_nodes(&s, low, 20001);
	ck_assert_int_eq(count_events(&s, low, "resumed"), 1);
	ck_assert_int_eq(insession_on_job(&s, "job.set", equal, ",\"priority\":1"), 0);
	insession_wait_state(&s, equal, "running");
	insession_assert_state(&s, low, "queued");
	insession_close(&s);
}
END_TEST

START_TEST(memory_is_freed_by_the_job_that_has_it)
{
	struct insession s;
	open_core(&s, NULL, 3, 0);
	pd_mutex_lock(&s.core->lock);
	s.core->config.memory = 7 << 20;
	pd_mutex_unlock(&s.core->lock);
	unsigned small = insession_submit(&s, "\"game\":\"connect4:7x6\",\"memory\":\"2M\",\"priority\":-1");
	insession_wait_state(&s, small, "running");
	unsigned low = insession_submit(&s, LARGE);
	insession_wait_state(&s, low, "running");
	unsigned high = insession_submit(&s, LARGE ",\"priority\":3");
	insession_wait_state(&s, high, "running");
	insession_assert_state(&s, low, "queued"); /* the other would not have freed enough */
	insession_assert_state(&s, small, "running");
	ck_assert_int_eq(count_events(&s, small, "gave way"), 0);
	insession_close(&s);
}
END_TEST

enum { TAKERS = 3, TURNS = 3 };

/* How often each job gave way, at one moment: the counts only grow, so what two readings agree on held between them. */
static void turns_taken(struct insession *s, const unsigned *jobs, int64_t *turns)
{
	for (bool same = false; !same;) {
		int64_t again[TAKERS];
		for (unsigned i = 0; i < TAKERS; i++)
			turns[i] = count_events(s, jobs[i], "gave way");
		for (unsigned i = 0; i < TAKERS; i++)
			again[i] = count_events(s, jobs[i], "gave way");
		same = !memcmp(turns, again, sizeof again);
	}
}

START_TEST(jobs_of_one_priority_take_turns)
{
	struct insession s;
	char dir[64];
	unsigned jobs[TAKERS];
	int64_t least, most, turns[TAKERS];
	scratch_dir(dir);
	open_core(&s, dir, 1, 0.05);
	for (unsigned i = 0; i < TAKERS; i++)
		jobs[i] = insession_submit(&s, LARGE);
	do {
		turns_taken(&s, jobs, turns);
		least = most = turns[0];
		for (unsigned i = 1; i < TAKERS; i++) {
			least = turns[i] < least ? turns[i] : least;
			most = turns[i] > most ? turns[i] : most;
		}
	} while (least < TURNS);
	ck_assert_int_le(most, least + 2); /* none more often than the others */
	unsigned small = insession_submit(&s, SMALL);
	insession_wait_state(&s, small, "solved");
	insession_close(&s);
	open_core(&s, dir, 0, 0); /* turns outlive a restart */
	pd_mutex_lock(&s.core->lock);
	const struct sv_job *first = sv_index_head(&s.core->index->groups.nameless);
	for (unsigned i = 0; i < TAKERS; i++) {
		const struct sv_job *job = sv_index_find(s.core->index, jobs[i]);
		ck_assert(first->record.ran_before || first == job || first->record.turn < job->record.turn);
	}
	for (unsigned i = 0; i < TAKERS; i++)
		ck_assert(sv_index_find(s.core->index, jobs[i])->record.turn > 0);
	ck_assert_uint_ge(s.core->index->turns, first->record.turn);
	pd_mutex_unlock(&s.core->lock);
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

START_TEST(without_slices_a_job_runs_to_its_end)
{
	struct insession s;
	open_core(&s, NULL, 1, 0);
	unsigned first = insession_submit(&s, LARGE ",\"budget\":{\"nodes\":300000}");
	unsigned second = insession_submit(&s, SMALL);
	insession_wait_state(&s, second, "solved");
	insession_assert_state(&s, first, "exhausted");
	ck_assert_int_eq(count_events(&s, first, "gave way"), 0);
	insession_close(&s);
}
END_TEST

static int64_t of_group(struct insession *s, const char *name, const char *member)
{
	bool ok;
	pr_ref result;
	int64_t value = -1;
	struct pr_doc *doc = insession_call(s, "group.list", "", &ok, &result);
	pr_ref groups = pr_get(result, "groups");
	for (size_t i = 0; i < pr_count(groups); i++)
		if (!strcmp(pr_get_str(pr_at(groups, i), "group", ""), name))
			value = pr_get_int(pr_at(groups, i), member, 0);
	pr_doc_free(doc);
	return value;
}

START_TEST(a_group_runs_no_more_jobs_than_it_may)
{
	struct insession s;
	char dir[64];
	unsigned jobs[3];
	scratch_dir(dir);
	open_core(&s, dir, 3, 0);
	ck_assert_int_eq(insession_code(&s, "group.set", "\"group\":\"night\",\"limit\":1"), 0);
	for (unsigned i = 0; i < 3; i++)
		jobs[i] = insession_submit(&s, LARGE ",\"group\":\"night\"");
	insession_wait_state(&s, jobs[0], "running");
	unsigned other = insession_submit(&s, LARGE);
	insession_wait_state(&s, other, "running"); /* it passes by */
	assert_explained(&s, jobs[1], "group-full", "its group night runs 1 jobs at once, which is its limit");
	ck_assert_int_eq(of_group(&s, "night", "running"), 1);
	ck_assert_int_eq(of_group(&s, "night", "queued"), 2);
	ck_assert_int_eq(insession_code(&s, "group.set", "\"group\":\"night\",\"limit\":2"), 0);
	insession_wait_state(&s, jobs[1], "running");
	insession_assert_state(&s, jobs[2], "queued");
	ck_assert_int_eq(insession_code(&s, "group.set", "\"group\":\"night\",\"limit\":1"), 0);
	while (of_group(&s, "night", "running") != 1)
		; /* the one that has run longer gives way: the first, unless it had to begin again */
	ck_assert_int_eq(insession_code(&s, "group.set", "\"group\":\"night\",\"paused\":true"), 0);
	insession_wait_state(&s, jobs[0], "queued");
	insession_wait_state(&s, jobs[1], "queued");
	assert_explained(&s, jobs[1], "group-paused", "its group night is paused; its group night was paused");
	insession_assert_state(&s, other, "running");
	insession_close(&s);
	open_core(&s, dir, 3, 0); /* the settings outlive a restart */
	ck_assert_int_eq(of_group(&s, "night", "limit"), 1);
	insession_wait_state(&s, other, "running");
	assert_explained(&s, jobs[0], "group-paused", "its group night is paused");
	ck_assert_int_eq(insession_code(&s, "group.set", "\"group\":\"night\",\"paused\":false"), 0);
	insession_wait_state(&s, jobs[0], "running");
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(insession_on_job(&s, "job.cancel", jobs[i], ""), 0);
		ck_assert_int_eq(insession_on_job(&s, "job.remove", jobs[i], ""), 0);
	}
	ck_assert_int_eq(of_group(&s, "night", "jobs"), 0);
	ck_assert_int_eq(insession_code(&s, "group.set", "\"group\":\"night\",\"limit\":0"), 0);
	while (of_group(&s, "night", "jobs") != -1)
		; /* a worker may still be leaving a job that is removed */
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

START_TEST(settings_that_cannot_be_written_have_not_changed)
{
	struct insession s;
	open_core(&s, NULL, 0, 0);
	insession_submit(&s, LARGE ",\"group\":\"a\"");
	ck_assert_int_eq(insession_code(&s, "group.set", "\"group\":\"a\",\"limit\":3"), 0);
	st_fault(s.core->store, ST_FAULT_COMMIT, 1);
	ck_assert_int_eq(insession_code(&s, "group.set", "\"group\":\"a\",\"limit\":7"), PD_E_NO_SPACE);
	st_fault(s.core->store, ST_FAULT_COMMIT, 1);
	ck_assert_int_eq(insession_code(&s, "group.set", "\"group\":\"b\",\"limit\":7"), PD_E_NO_SPACE);
	ck_assert_int_eq(of_group(&s, "a", "limit"), 3);
	ck_assert_int_eq(of_group(&s, "b", "limit"), -1);
	ck_assert_int_eq(insession_code(&s, "group.set", "\"group\":\"a b\",\"limit\":7"), PD_E_PARAMS);
	ck_assert_int_eq(insession_code(&s, "group.set", "\"group\":\"a\""), PD_E_PARAMS);
	ck_assert_int_eq(insession_code(&s, "job.submit", LARGE ",\"group\":\"a/b\""), PD_E_PARAMS);
	insession_close(&s);
}
END_TEST

START_TEST(there_is_a_bound_on_groups)
{
	struct insession s;
	char params[64];
	open_core(&s, NULL, 0, 0);
	for (unsigned i = 0; i < SV_GROUPS_MAX; i++) {
		snprintf(params, sizeof params, "\"group\":\"g%u\",\"limit\":1024,\"paused\":true", i);
		ck_assert_int_eq(insession_code(&s, "group.set", params), 0);
	}
	ck_assert_int_eq(insession_code(&s, "group.set", "\"group\":\"more\",\"limit\":1"), PD_E_LIMIT);
	ck_assert_int_eq(insession_code(&s, "job.submit", LARGE ",\"group\":\"more\""), PD_E_LIMIT);
	insession_submit(&s, LARGE ",\"group\":\"g7\"");
	insession_close(&s);
}
END_TEST

START_TEST(a_job_waits_until_others_are_solved)
{
	struct insession s;
	char dir[64], params[128];
	pr_ref now;
	scratch_dir(dir);
	open_core(&s, dir, 2, 0);
	unsigned first = insession_submit(&s, LARGE ",\"budget\":{\"nodes\":5000}");
	unsigned second = insession_submit(&s, SMALL), third = insession_submit(&s, SMALL ",\"after\":[1,2]");
	insession_wait_state(&s, first, "exhausted");
	insession_wait_state(&s, second, "solved");
	assert_explained(&s, third, "after", "it waits until job 1 is solved, which is exhausted");
	unsigned other = insession_submit(&s, SMALL); /* passes by */
	insession_wait_state(&s, other, "solved");
	insession_close(&s);
	open_core(&s, dir, 2, 0);
	assert_explained(&s, third, "after", "job 1");
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", first, ""), 0);
	insession_wait_state(&s, third, "paused");
	assert_explained(&s, third, "paused", "job 1, which it waits for, was cancelled; resume it");
	ck_assert_int_eq(insession_on_job(&s, "job.resume", third, ""), 0);
	insession_wait_state(&s, third, "solved");
	struct pr_doc *doc = get_state(&s, "job.get", third, &now);
	ck_assert_uint_eq(pr_count(pr_get(now, "after")), 2);
	pr_doc_free(doc);
	snprintf(params, sizeof params, SMALL ",\"after\":[%u]", first);
	ck_assert_int_eq(insession_code(&s, "job.submit", params), PD_E_PARAMS); /* it is cancelled */
	ck_assert_int_eq(insession_code(&s, "job.submit", SMALL ",\"after\":[1000]"), PD_E_PARAMS);
	ck_assert_int_eq(insession_code(&s, "job.submit", SMALL ",\"after\":[0]"), PD_E_PARAMS);
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_chain_of_jobs_runs_in_its_order)
{
	struct insession s;
	enum { JOBS = 40 };
	char params[128];
	pr_ref now;
	int64_t ended = 0;
	open_core(&s, NULL, 3, 0);
	unsigned last = insession_submit(&s, SMALL);
	for (unsigned i = 1; i < JOBS; i++) {
		snprintf(params, sizeof params, SMALL ",\"after\":[%u],\"priority\":%u", last, i);
		last = insession_submit(&s, params);
	}
	insession_wait_state(&s, last, "solved");
	for (unsigned i = 0; i < JOBS; i++) {
		struct pr_doc *doc = get_state(&s, "job.get", last - JOBS + 1 + i, &now);
		ck_assert_str_eq(pr_get_str(now, "state", ""), "solved");
		ck_assert_int_ge(pr_get_int(now, "started", 0), ended);
		ended = pr_get_int(now, "finished", 0);
		pr_doc_free(doc);
	}
	insession_close(&s);
}
END_TEST

START_TEST(a_job_that_is_removed_is_not_waited_for)
{
	struct insession s;
	open_core(&s, NULL, 1, 0);
	unsigned first = insession_submit(&s, LARGE ",\"budget\":{\"nodes\":5000}");
	unsigned waits = insession_submit(&s, SMALL ",\"after\":[1]");
	insession_wait_state(&s, first, "exhausted");
	ck_assert_int_eq(insession_on_job(&s, "job.remove", first, ""), 0);
	insession_wait_state(&s, waits, "paused");
	assert_explained(&s, waits, "paused", "job 1, which it waits for, was removed");
	ck_assert_int_eq(insession_on_job(&s, "job.resume", waits, ""), 0);
	insession_wait_state(&s, waits, "solved");
	insession_close(&s);
}
END_TEST

START_TEST(processor_time_and_disk_have_budgets)
{
	struct insession s;
	char dir[64], less[64];
	pr_ref now;
	scratch_dir(dir);
	open_core(&s, dir, 2, 0);
	unsigned job = insession_submit(&s, LARGE ",\"budget\":{\"cpu\":0.2}");
	insession_wait_state(&s, job, "exhausted");
	assert_explained(&s, job, "budget", "of 0.200 seconds of processor time");
	struct pr_doc *doc = get_state(&s, "job.get", job, &now);
	double cpu = pr_get_real(now, "cpu", 0);
	ck_assert(cpu >= 0.2 && pr_get_real(pr_get(now, "budget"), "cpu", 0) == 0.2);
	ck_assert_str_eq(pr_get_str(now, "reason", ""), "the budget of processor time is used up");
	pr_doc_free(doc);
	ck_assert_int_eq(insession_on_job(&s, "job.resume", job, ""), PD_E_STATE);
	insession_close(&s);
	open_core(&s, dir, 2, 0);
	ck_assert_int_eq(insession_on_job(&s, "job.set", job, ",\"budget\":{\"cpu\":0.4,\"disk\":\"1G\"}"), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.resume", job, ""), 0);
	insession_wait_state(&s, job, "exhausted");
	doc = get_state(&s, "job.get", job, &now);
	ck_assert(pr_get_real(now, "cpu", 0) >= 0.4);
	ck_assert_int_eq(pr_get_int(pr_get(now, "budget"), "disk", 0), 1 << 30);
	int64_t bytes = pr_get_int(now, "table_bytes", 0);
	ck_assert_int_gt(bytes, 0);
	pr_doc_free(doc);
	snprintf(less, sizeof less, ",\"budget\":{\"cpu\":0,\"disk\":%lld}", (long long)bytes - 1);
	ck_assert_int_eq(insession_on_job(&s, "job.set", job, less), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.resume", job, ""), PD_E_STATE);
	assert_explained(&s, job, "budget", "of disk");
	ck_assert_int_eq(insession_on_job(&s, "job.set", job, ",\"budget\":{\"disk\":0,\"nodes\":1}"), 0);
	assert_explained(&s, job, "budget", "of 1 node;");
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

/* Waits until server.stats says so; the figures are those of the last look. */
static void wait_quota(struct insession *s, const char *lack, int64_t on_disk, int64_t in_memory)
{
	for (bool is = false; !is;) {
		bool ok;
		pr_ref result;
		struct pr_doc *doc = insession_call(s, "server.stats", "", &ok, &result);
		pr_ref quota = pr_get(result, "quota");
		is = ok && !strcmp(pr_get_str(quota, "lack", ""), lack) && pr_get_int(quota, "disk", -1) == on_disk &&
		     pr_get_int(quota, "memory", -1) == in_memory;
		if (is)
			ck_assert_int_eq(pr_kind_of(pr_get(quota, "text")) == PR_STRING, strcmp(lack, "none") != 0);
		pr_doc_free(doc);
	}
}

static void set_reserve(struct insession *s, uint64_t bytes)
{
	pd_mutex_lock(&s->core->lock);
	s->core->config.disk_reserve = bytes;
	s->core->search_threads->quota.due_ns = 0;
	pd_mutex_unlock(&s->core->lock);
}

START_TEST(jobs_pause_before_the_disk_is_full_and_go_on)
{
	struct insession s;
	char dir[64];
	scratch_dir(dir);
	open_core(&s, dir, 2, 0);
	unsigned first = insession_submit(&s, LARGE), second = insession_submit(&s, LARGE),
		 small = insession_submit(&s, SMALL ",\"after\":[1]");
	insession_wait_state(&s, first, "running");
	insession_wait_state(&s, second, "running");
	set_reserve(&s, UINT64_C(1) << 60);
	insession_wait_state(&s, first, "paused");
	insession_wait_state(&s, second, "paused");
	wait_quota(&s, "disk", 2, 0);
	assert_explained(&s, first, "disk-reserve", "are free on the disk, and 1048576T are reserved");
	unsigned other = insession_submit(&s, SMALL);
	assert_explained(&s, other, "disk-reserve", "are free on the disk");
	ck_assert_int_eq(insession_code(&s, "fact.query", "\"game\":\"mnk:3,3,3\""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.pause", second, ""), 0); /* it stays paused */
	assert_explained(&s, second, "paused", "paused on request");
	insession_close(&s);
	open_core(&s, dir, 2, 0); /* there is room after a restart */
	insession_wait_state(&s, first, "running");
	insession_wait_state(&s, other, "solved");
	insession_assert_state(&s, second, "paused");
	insession_assert_state(&s, small, "queued");
	set_reserve(&s, UINT64_C(1) << 60);
	insession_wait_state(&s, first, "paused");
	set_reserve(&s, 1);
	insession_wait_state(&s, first, "running");
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

/* Returns what was the bound before. */
static uint64_t set_memory_bound(struct insession *s, uint64_t bytes)
{
	pd_mutex_lock(&s->core->lock);
	uint64_t before = s->core->bound.bytes;
	s->core->bound.bytes = bytes;
	s->core->search_threads->quota.due_ns = 0;
	pd_mutex_unlock(&s->core->lock);
	return before;
}

/* The job waits for `more` nanoseconds more. */
static void wait_more(struct insession *s, unsigned job, int64_t more)
{
	pd_mutex_lock(&s->core->lock);
	sv_index_find(s->core->index, job)->entry.hold_until_ns += (uint64_t)more;
	pd_mutex_unlock(&s->core->lock);
}

START_TEST(a_job_that_uses_the_memory_up_again_and_again_waits_longer)
{
	static const char *const waits[] = {"jobs go on below",
					    "this one in 2 s at the earliest: it was paused for this 2 times",
					    "this one in 4 s at the earliest: it was paused for this 3 times"};
	static const int64_t an_hour = INT64_C(3600000000000);
	struct insession s;
	struct timespec begin, end;
	open_core(&s, NULL, 1, 0);
	unsigned job = insession_submit(&s, LARGE);
	for (unsigned i = 0; i < sizeof waits / sizeof *waits; i++) {
		insession_wait_state(&s, job, "running");
		uint64_t bound = set_memory_bound(&s, 1 << 16);
		clock_gettime(CLOCK_MONOTONIC, &begin);
		insession_wait_state(&s, job, "paused");
		assert_explained(&s, job, "memory-short", waits[i]);
		wait_quota(&s, "memory", 0, 1);
		if (i == 2)
			wait_more(&s, job, an_hour); /* however late this test looks */
		set_memory_bound(&s, bound);
	}
	wait_quota(&s, "none", 0, 1); /* there is memory, and it waits */
	wait_more(&s, job, -an_hour);
	insession_wait_state(&s, job, "running");
	clock_gettime(CLOCK_MONOTONIC, &end);
	ck_assert_int_ge(end.tv_sec - begin.tv_sec, 3);
	wait_quota(&s, "none", 0, 0);
	insession_close(&s);
}
END_TEST

START_TEST(jobs_pause_before_the_memory_is_used_up_and_go_on)
{
	struct insession s;
	open_core(&s, NULL, 2, 0);
	unsigned low = insession_submit(&s, LARGE), high = insession_submit(&s, LARGE ",\"priority\":1");
	insession_wait_state(&s, low, "running");
	insession_wait_state(&s, high, "running");
	uint64_t bound = set_memory_bound(&s, 1 << 16);
	insession_wait_state(&s, low, "paused"); /* one after the other */
	assert_explained(&s, low, "memory-short", "of the 64K of memory that it may have");
	insession_wait_state(&s, high, "paused");
	wait_quota(&s, "memory", 0, 2);
	set_memory_bound(&s, bound);
	insession_wait_state(&s, low, "running");
	insession_wait_state(&s, high, "running");
	insession_close(&s);
}
END_TEST

/* Requests that come while a job gives way are judged by what comes of it. */
START_TEST(requests_meet_a_job_that_gives_way)
{
	struct insession s;
	open_core(&s, NULL, 1, 0.01);
	unsigned jobs[2] = {insession_submit(&s, LARGE), insession_submit(&s, LARGE)};
	for (unsigned i = 0; i < 60; i++) {
		unsigned job = jobs[i % 2];
		ck_assert_int_eq(insession_on_job(&s, "job.pause", job, ""), 0);
		insession_assert_state(&s, job, "paused");
		ck_assert_int_eq(insession_on_job(&s, "job.set", job, ",\"priority\":0"), 0);
		ck_assert_int_eq(insession_on_job(&s, "job.resume", job, ""), 0);
		if (i % 8 == 0)
			insession_wait_state(&s, job, "running");
	}
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", jobs[0], ""), 0);
	insession_assert_state(&s, jobs[0], "cancelled");
	insession_close(&s);
}
END_TEST

SUITE(schedule)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, it_is_said_why_a_job_waits);
	tcase_add_test(c, it_is_said_who_has_the_memory);
	tcase_add_test(c, a_job_gives_way_to_one_of_higher_priority_and_goes_on);
	tcase_add_test(c, memory_is_freed_by_the_job_that_has_it);
	tcase_add_test(c, jobs_of_one_priority_take_turns);
	tcase_add_test(c, without_slices_a_job_runs_to_its_end);
	tcase_add_test(c, a_group_runs_no_more_jobs_than_it_may);
	tcase_add_test(c, settings_that_cannot_be_written_have_not_changed);
	tcase_add_test(c, there_is_a_bound_on_groups);
	tcase_add_test(c, a_job_waits_until_others_are_solved);
	tcase_add_test(c, a_chain_of_jobs_runs_in_its_order);
	tcase_add_test(c, a_job_that_is_removed_is_not_waited_for);
	tcase_add_test(c, processor_time_and_disk_have_budgets);
	tcase_add_test(c, jobs_pause_before_the_disk_is_full_and_go_on);
	tcase_add_test(c, jobs_pause_before_the_memory_is_used_up_and_go_on);
	tcase_add_test(c, a_job_that_uses_the_memory_up_again_and_again_waits_longer);
	tcase_add_test(c, requests_meet_a_job_that_gives_way);
}
