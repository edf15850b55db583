/* A taint that is killed at any moment: the facts are the old ones or the new ones, and no job stands as solved on
 * facts that have gone. The same call again brings it to its end, and the jobs can be solved again. PROOFD_SEED=N
 * replays the drawing of moments. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/hash.h"
#include "server/jobs/model/job_record.h"
#include "server/proofs/maintenance/check.h"
#include "server/proofs/maintenance/retraction.h"
#include "store/store.h"
#include "tests/support/child.h"
#include "tests/support/insession.h"
#include "tests/support/storedir.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { KILLS = 20, JOBS = 3 };

static int digest_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	uint64_t *digest = ctx;
	*digest = XXH3_64bits_withSeed(key, size, *digest + game);
	for (unsigned i = 0; i < fact->count; i++) {
		const struct pd_reason *r = &pd_fact_reasons(fact)[i];
		uint32_t words[] = {(uint16_t)r->bound, r->side, r->rank, r->move, r->effort, r->job};
		*digest = XXH3_64bits_withSeed(words, sizeof words, *digest);
	}
	return PD_OK;
}

static int count_solved(void *ctx, uint32_t id, const void *record, size_t size)
{
	struct sv_record job;
	struct pd_fail fail;
	ck_assert(!sv_record_read(id, record, size, &job, &fail));
	*(unsigned *)ctx += job.state == SV_SOLVED;
	ck_assert_int_eq(job.state == SV_SOLVED, job.result != NULL);
	sv_record_fini(&job);
	return PD_OK;
}

/* What stands in a directory: a digest of its facts, and how many jobs are solved. */
static uint64_t digest_directory(const char *dir, unsigned *solved)
{
	struct st_store *store;
	struct st_reader *reader;
	struct pd_fail fail = {.text = ""};
	uint64_t digest = 1;
	*solved = 0;
	ck_assert_msg(!st_open(dir, 0, &store, &fail), "%s", fail.text);
	ck_assert(!st_reader_open(store, &reader, &fail));
	ck_assert(!st_fact_each(reader, digest_fact, &digest, &fail));
	ck_assert(!st_job_each(store, count_solved, solved, &fail));
	st_reader_close(reader);
	st_close(store);
	return digest;
}

static int taint(const char *dir)
{
	struct sv_retraction_order order = {.job = 1, .threads = 2};
	struct sv_retracted sum;
	struct pd_fail fail;
	return sv_retract(dir, &order, &sum, &fail);
}

static int64_t facts_written(const char *dir)
{
	char path[160];
	struct stat st;
	snprintf(path, sizeof path, "%s/facts.mdb", dir);
	ck_assert(!stat(path, &st));
	return st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
}

/* Kills a taint `delay_ns` after it began, or with 0 as soon as facts.mdb is written to; UINT64_MAX: not at all.
 * Returns the time it had. */
static uint64_t run_and_kill(const char *dir, uint64_t delay_ns)
{
	int64_t written = facts_written(dir);
	int pipes[2], status;
	ck_assert_int_eq(pipe(pipes), 0);
	uint64_t start = pd_now_ns();
	pid_t pid = fork_child();
	if (!pid) {
		close(pipes[0]);
		_exit(taint(dir) ? 1 : 0);
	}
	close(pipes[1]);
	struct pollfd ended = {.fd = pipes[0], .events = POLLIN};
	while (delay_ns ? pd_now_ns() - start < delay_ns : facts_written(dir) == written)
		if (poll(&ended, 1, delay_ns ? 1 : 0))
			break;
	uint64_t took = pd_now_ns() - start;
	if (delay_ns != UINT64_MAX)
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	ck_assert(WIFSIGNALED(status) || !WEXITSTATUS(status));
	close(pipes[0]);
	return took;
}

static void note_problem(void *ctx, const char *text)
{
	printf("check: %s\n", text);
}

static void assert_clean(const char *dir)
{
	struct sv_check sum;
	struct pd_fail fail;
	ck_assert(!sv_check_directory(dir, &(struct sv_check_order){NULL, 2, note_problem, NULL, NULL}, &sum, &fail));
	ck_assert_uint_eq(sum.problems, 0);
}

static void solve_jobs(const char *dir, bool new)
{
	static const char *const params[JOBS] = {
		"\"game\":\"connect4:4x4\",\"position\":\"2\",\"detail\":\"full\"",
		"\"game\":\"connect4:4x4\",\"detail\":\"full\"",
		"\"game\":\"mnk:3,3,3\"",
	};
	struct insession s;
	insession_open(&s, dir, 1, 0.05);
	for (unsigned i = 0; i < JOBS; i++) {
		char state[16];
		bool ok;
		pr_ref result;
		if (new)
			pr_doc_free(insession_call(&s, "job.submit", params[i], &ok, &result));
		insession_wait(&s, i + 1, state);
		ck_assert_str_eq(state, "solved");
	}
	insession_close(&s);
}

START_TEST(a_killed_taint_leaves_nothing_that_depends_on_what_has_gone)
{
	char dir[64], copy[128];
	uint64_t random = getenv("PROOFD_SEED") ? strtoull(getenv("PROOFD_SEED"), NULL, 10) : 1, full = 0, after = 0;
	unsigned solved, untouched = 0, halfway = 0, done = 0;
	scratch_dir(dir);
	solve_jobs(dir, true);
	uint64_t before = digest_directory(dir, &solved);
	ck_assert_uint_eq(solved, JOBS);
	for (unsigned round = 0; round < KILLS || !untouched; round++) {
		storedir_copy(dir, copy, sizeof copy);
		if (round >= KILLS) /* all came too late: the machine was busier in the first round */
			full /= 2;
		if (!round)
			full = run_and_kill(copy, UINT64_MAX);
		else if (round == 1) /* as soon as facts are written, whatever else the machine does */
			run_and_kill(copy, 0);
		else /* most of it in the last part, where things are written */
			run_and_kill(copy,
				     1 + full / 4 + 1000 * (uint64_t)walk_below(&random, 1 + (unsigned)(full / 1000)));
		uint64_t now = digest_directory(copy, &solved);
		if (!round)
			after = now;
		ck_assert_uint_ne(after, before);
		if (now == after) {
			ck_assert_uint_eq(solved, 1);
			done++;
		} else {
			ck_assert_uint_eq(now, before);
			ck_assert(solved == JOBS || solved == 1);
			untouched += solved == JOBS;
			halfway += solved == 1;
		}
		assert_clean(copy);
		if (round % 2) {
			ck_assert(!taint(copy));
			ck_assert_uint_eq(digest_directory(copy, &solved), after);
			ck_assert_uint_eq(solved, 1);
		}
		if (round % 5 == 1) {
			solve_jobs(copy, false);
			assert_clean(copy);
		}
		storedir_remove(copy);
	}
	printf("killed before anything was written: %u, between jobs and facts: %u, later: %u\n", untouched, halfway,
	       done);
	ck_assert_uint_ge(done, 1);
	scratch_remove(dir);
}
END_TEST

/* Jobs let go of the facts before the facts go. */
START_TEST(jobs_come_first)
{
	char dir[64], copy[128];
	unsigned solved;
	scratch_dir(dir);
	solve_jobs(dir, true);
	for (unsigned round = 0; round < 6; round++) {
		storedir_copy(dir, copy, sizeof copy);
		int64_t written = facts_written(copy);
		run_and_kill(copy, 0);
		ck_assert_int_ne(facts_written(copy), written);
		digest_directory(copy, &solved);
		ck_assert_uint_eq(solved, 1);
		storedir_remove(copy);
	}
	scratch_remove(dir);
}
END_TEST

SUITE(taint_crash)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, a_killed_taint_leaves_nothing_that_depends_on_what_has_gone);
	tcase_add_test(c, jobs_come_first);
}
