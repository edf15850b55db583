/* Memory runs out while jobs are submitted and searched: every allocation of the loop thread, and of a worker, fails in
 * turn. Whatever a client hears, no half record reaches the disk: the directory opens, and every job in it can be read.
 *
 * The allocator is glibc's, wrapped, which sanitizers do not allow: there the tests run without failures. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/jobs/model/job.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/queue/scheduler.h"
#include "tests/support/effort.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static atomic_long countdown; /* allocations of the thread until one fails; 0: none does */
static atomic_bool burst;     /* from that one on all fail */
static atomic_uint failures;
static _Atomic(pthread_t) victim;

static bool must_fail(void)
{
	if (!atomic_load(&countdown) || !pthread_equal(atomic_load(&victim), pthread_self()))
		return false;
	if (atomic_load(&countdown) > 1) {
		atomic_fetch_sub(&countdown, 1);
		return false;
	}
	if (!atomic_load(&burst))
		atomic_store(&countdown, 0);
	atomic_fetch_add(&failures, 1);
	return true;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	return must_fail() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return must_fail() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return must_fail() ? NULL : __libc_realloc(old, size);
}

static void arm(pthread_t thread, long k, bool all)
{
	atomic_store(&victim, thread);
	atomic_store(&burst, all);
	atomic_store(&failures, 0);
	atomic_store(&countdown, k);
}

static unsigned failed_so_far(void)
{
	return atomic_load(&failures);
}

/* How many failed. */
static unsigned disarm_faults(void)
{
	atomic_store(&countdown, 0);
	return failed_so_far();
}
#else
static void arm(pthread_t thread, long k, bool all)
{
}

static unsigned failed_so_far(void)
{
	return 0;
}

static unsigned disarm_faults(void)
{
	return 0;
}
#endif

#define LONG_POSITION                                                                                                  \
	"b2                                                                                                          " \
	"a1"

/* A job for one of the positions after two moves, by `which`: facts of one do not answer the next. */
static unsigned submit_job(struct insession *s, const char *key, long which)
{
	char params[256];
	long first = which % 9, second = (first + 1 + which / 9 % 8) % 9;
	bool ok;
	pr_ref result;
	snprintf(params, sizeof params,
		 "\"game\":\"mnk:3,3,3\",\"memory\":\"1M\",\"position\":\"%c%ld %c%ld\",\"key\":\"%s\"",
		 (char)('a' + first / 3), first % 3 + 1, (char)('a' + second / 3), second % 3 + 1, key);
	struct pr_doc *doc = insession_call(s, "job.submit", params, &ok, &result);
	ck_assert(ok);
	unsigned job = (unsigned)pr_get_int(result, "job", 0);
	pr_doc_free(doc);
	return job;
}

/* Opens the directory again: all jobs are whole. */
static void assert_whole(const char *dir, uint32_t jobs)
{
	struct insession s;
	insession_open(&s, dir, 0, 2);
	ck_assert_uint_eq(s.core->index->all.count, jobs);
	for (uint32_t i = 0; i < jobs; i++) {
		ck_assert_ptr_nonnull(s.core->index->all.jobs[i]);
		ck_assert_ptr_nonnull(s.core->index->all.jobs[i]->record.spec.key);
		ck_assert_str_eq(s.core->index->all.jobs[i]->record.spec.game, "mnk:3,3,3");
	}
	insession_close(&s);
}

START_TEST(a_submission_is_whole_or_refused)
{
	struct insession s;
	char dir[64], line[512], key[32];
	scratch_dir(dir);
	insession_open(&s, dir, 0, 2);
	unsigned failed = 1;
	for (long k = 1; failed; k++) {
		ck_assert_int_lt(k, 10000);
		snprintf(line, sizeof line,
			 "{\"jsonrpc\":\"2.0\",\"id\":\"k\",\"method\":\"job.submit\",\"params\":{\"game\":\"mnk:3,3,"
			 "3\",\"memory\":\"1M\","
			 "\"position\":\"" LONG_POSITION "\",\"key\":\"k%ld\"}}",
			 k);
		arm(pthread_self(), k, k % 2);
		insession_send(&s, line);
		failed = disarm_faults();
		snprintf(key, sizeof key, "sync%ld", k);
		submit_job(&s, key, k); /* behind it */
	}
	uint32_t jobs = s.core->index->all.count;
	ck_assert_uint_ge(jobs, 2);
	insession_close(&s);
	assert_whole(dir, jobs);
	scratch_remove(dir);
}
END_TEST

/* Runs a job while allocations of its worker fail; returns how many did. It ends solved, after a resume where it had to
 * pause. */
static unsigned run_job(struct insession *s, long k, bool all)
{
	char key[32], params[32], state[16];
	bool ok, rests = false;
	pr_ref result;
	snprintf(key, sizeof key, "%c%ld", all ? 'a' : 'k', k);
	arm(s->core->search_threads->threads[0], k, all);
	unsigned job = submit_job(s, key, k);
	do {
		insession_state(s, job, state);
		pd_mutex_lock(&s->core->lock);
		rests = failed_so_far() && !strcmp(state, "queued") && !sv_job_owned(s->core->index->all.jobs[job - 1]);
		pd_mutex_unlock(&s->core->lock);
	} while (!rests && (!strcmp(state, "queued") || !strcmp(state, "running")));
	unsigned failed = disarm_faults();
	snprintf(key, sizeof key, "%c%ld again", all ? 'a' : 'k', k);
	submit_job(s, key, k); /* a worker that found no memory looks again when something has changed */
	insession_wait(s, job, state);
	if (strcmp(state, "solved")) {
		ck_assert_msg(!strcmp(state, "paused") || !strcmp(state, "exhausted"), "k %ld: %s", k, state);
		snprintf(params, sizeof params, "\"job\":%u", job);
		struct pr_doc *doc = insession_call(s, "job.resume", params, &ok, &result);
		ck_assert_msg(ok, "%s", pr_get_str(result, "message", "?"));
		pr_doc_free(doc);
		insession_wait(s, job, state);
	}
	ck_assert_str_eq(state, "solved");
	return failed;
}

START_TEST(a_run_that_finds_no_memory_ends_with_a_whole_record)
{
	struct insession s;
	char dir[64];
	unsigned failed = 1;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	for (long k = 1; failed; k += 1 + k * effort_stride() / 40) {
		ck_assert_int_lt(k, 100000);
		failed = run_job(&s, k, false);
		failed |= run_job(&s, k, true);
	}
	uint32_t jobs = s.core->index->all.count;
	insession_close(&s);
	assert_whole(dir, jobs);
	scratch_remove(dir);
	ck_assert_uint_gt(jobs, 2);
}
END_TEST

SUITE(short_memory)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, a_submission_is_whole_or_refused);
	tcase_add_test(c, a_run_that_finds_no_memory_ends_with_a_whole_record);
}
