/* The life of a directory: how it begins, who has it, and what happens when it, or part of it, goes away. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/bytes.h"
#include "proto/base/log.h"
#include "store/store.h"
#include "tests/support/child.h"
#include "tests/support/storedir.h"
#include "tests/support/suite.h"

enum { MANY = 2000 };

static struct st_store *open_store(const char *dir)
{
	struct st_store *store = NULL;
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(st_open(dir, 0, &store, &fail) == 0, "%s", fail.text);
	return store;
}

static int try_to_open(const char *dir, unsigned flags, struct pd_fail *fail)
{
	struct st_store *store = NULL;
	int rc = st_open(dir, flags, &store, fail);
	if (!rc)
		st_close(store);
	return rc;
}

static struct pd_reason reason(void)
{
	return (struct pd_reason){.side = PD_LO, .bound = 1, .rank = 3, .move = 3, .job = 1};
}

/* A job and `count` facts, numbered from `from`. */
static int add_facts(struct st_store *store, uint32_t from, uint32_t count, struct pd_fail *fail)
{
	struct st_batch *batch;
	uint32_t game, job;
	int rc = st_batch_begin(store, &batch, fail);
	if (rc)
		return rc;
	rc = st_batch_job_new(batch, &job, fail);
	if (!rc)
		rc = st_batch_job_put(batch, job, "job", 3, fail);
	if (!rc)
		rc = st_batch_game(batch, "g", 1, &game, fail);
	for (uint32_t n = from; !rc && n < from + count; n++) {
		struct pd_reason r = reason();
		uint8_t key[4];
		pd_put_be32(key, n);
		rc = st_batch_fact(batch, game, key, sizeof key, &r, fail);
	}
	if (!rc)
		return st_batch_commit(batch, fail);
	st_batch_abort(batch);
	return rc;
}

static void settle_store(struct st_store *store)
{
	struct pd_fail fail;
	int rc;
	while ((rc = st_facts_maintain(store, true, &fail)) > 0)
		;
	ck_assert_msg(!rc, "%s", fail.text);
}

static bool is_known(struct st_store *store, uint32_t n)
{
	struct st_reader *reader;
	struct pd_fact fact = {0};
	struct pd_fail fail;
	uint8_t key[4];
	pd_put_be32(key, n);
	ck_assert_int_eq(st_reader_open(store, &reader, &fail), 0);
	int rc = st_fact_get(reader, 1, key, sizeof key, &fact, &fail);
	ck_assert_int_ge(rc, 0);
	st_reader_close(reader);
	return rc;
}

static int count_job(void *ctx, uint32_t job, const void *record, size_t size)
{
	ck_assert_ptr_nonnull(record);
	ck_assert_uint_eq(size, 3);
	ck_assert_uint_eq(job, ++*(uint32_t *)ctx);
	return 0;
}

static uint32_t jobs_of(struct st_store *store)
{
	struct pd_fail fail;
	uint32_t jobs = 0;
	ck_assert_int_eq(st_job_each(store, count_job, &jobs, &fail), 0);
	return jobs;
}

static void path_in(const char *dir, const char *name, char *out, size_t size)
{
	ck_assert_int_lt(snprintf(out, size, "%s/%s", dir, name), (int)size);
}

static void move(const char *dir, const char *from, const char *to)
{
	char a[300], b[300];
	path_in(dir, from, a, sizeof a);
	path_in(dir, to, b, sizeof b);
	ck_assert_int_eq(rename(a, b), 0);
}

static void take_away(const char *dir, const char *name)
{
	char path[300];
	path_in(dir, name, path, sizeof path);
	ck_assert_int_eq(unlink(path), 0);
}

static bool is_there(const char *dir, const char *name)
{
	char path[300];
	path_in(dir, name, path, sizeof path);
	return !access(path, F_OK);
}

/* --- the beginning ------------------------------------------------------------------------ */

/* In a child: opens the directory when no file can be larger than `limit`; what st_open says, 0 or 1. */
static int open_below(const char *dir, rlim_t limit)
{
	int status;
	pid_t pid = fork_child();
	if (!pid) {
		struct rlimit most = {limit, limit};
		struct st_store *store;
		struct pd_fail fail;
		signal(SIGXFSZ, SIG_IGN);
		if (setrlimit(RLIMIT_FSIZE, &most))
			_exit(9);
		int rc = st_open(dir, 0, &store, &fail);
		if (!rc)
			rc = add_facts(store, 0, 1, &fail);
		_exit(rc == PD_OK ? 0 : rc == PD_E_NO_SPACE ? 1 : 2);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status), "a limit of %lu bytes: signal %d", (unsigned long)limit, WTERMSIG(status));
	return WEXITSTATUS(status);
}

START_TEST(a_creation_that_finds_no_room_is_begun_again)
{
	int said = 1;
	for (rlim_t limit = 0; said == 1; limit += limit < 16384 ? 1024 : 4096) {
		char dir[256];
		struct pd_fail fail;
		storedir_new(dir, sizeof dir);
		said = open_below(dir, limit);
		ck_assert_msg(said <= 1, "a limit of %lu bytes: not for want of room", (unsigned long)limit);
		/* Whatever it has got to, and again after a second such attempt. */
		open_below(dir, limit);
		ck_assert_int_le(open_below(dir, limit / 2), 1);
		struct st_store *store = open_store(dir);
		ck_assert_int_eq(add_facts(store, 1, 1, &fail), 0);
		st_close(store);
		store = open_store(dir);
		ck_assert(is_known(store, 1));
		st_close(store);
		ck_assert(!is_there(dir, "work.mdb.new") && !is_there(dir, "facts.mdb.new"));
		storedir_remove(dir);
		ck_assert_int_lt(limit, 1 << 22);
	}
}
END_TEST

/* In a child: is killed as soon as it has made the named file. */
START_TEST(a_creation_may_be_killed)
{
	static const char *const made[] = {"work.mdb.new", "facts.mdb.new", "facts.mdb", "work.mdb"};
	for (unsigned i = 0; i < 40; i++) {
		char dir[256];
		int status;
		storedir_new(dir, sizeof dir);
		pid_t pid = fork_child();
		if (!pid) {
			struct st_store *store;
			struct pd_fail fail;
			_exit(st_open(dir, 0, &store, &fail) != 0);
		}
		bool ended = false;
		while (!ended && !is_there(dir, made[i % 4]))
			ended = waitpid(pid, &status, WNOHANG) != 0;
		for (volatile unsigned spin = i * 3000; spin; spin--)
			;
		if (!ended) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
		}
		struct st_store *store = open_store(dir);
		ck_assert_uint_eq(jobs_of(store), 0);
		st_close(store);
		storedir_remove(dir);
	}
}
END_TEST

START_TEST(files_that_are_missing_or_empty_are_not_new_ones)
{
	static const char *const names[] = {"work.mdb", "facts.mdb"};
	struct pd_fail fail;
	for (unsigned i = 0; i < 8; i++) {
		bool facts = i & 1, empty = i & 2, moved = i & 4; /* `moved`: there are facts in facts.mdb */
		char dir[256], path[300];
		storedir_new(dir, sizeof dir);
		struct st_store *store = open_store(dir);
		ck_assert_int_eq(add_facts(store, 0, MANY, &fail), 0);
		if (moved) {
			settle_store(store);
			ck_assert_int_eq(add_facts(store, MANY, 1, &fail), 0);
		}
		st_close(store);
		path_in(dir, names[facts], path, sizeof path);
		if (empty)
			ck_assert_int_eq(truncate(path, 0), 0);
		else
			take_away(dir, names[facts]);
		ck_assert_int_ne(try_to_open(dir, ST_READ_ONLY, &fail), 0);
		for (unsigned again = 0; again < 2; again++) {
			int rc = try_to_open(dir, 0, &fail);
			if (facts && !empty && !moved) /* the write-ahead log has them all */
				ck_assert_int_eq(rc, 0);
			else if (!facts && !empty && !moved) /* as if it had never been */
				ck_assert_int_eq(rc, 0);
			else
				ck_assert_int_eq(rc, PD_E_CORRUPT);
		}
		if (facts && !empty && !moved) {
			store = open_store(dir);
			ck_assert(is_known(store, 0) && is_known(store, MANY - 1));
			ck_assert_uint_eq(jobs_of(store), 1);
			st_close(store);
		}
		storedir_remove(dir);
	}
}
END_TEST

/* --- who has it --------------------------------------------------------------------------- */

/* In a child: opens for writing; what st_open says. */
static int second(const char *dir, char *text, size_t size)
{
	int pipes[2], status;
	ck_assert_int_eq(pipe(pipes), 0);
	pid_t pid = fork_child();
	if (!pid) {
		struct st_store *store;
		struct pd_fail fail = {.text = ""};
		int rc = st_open(dir, 0, &store, &fail);
		if (write(pipes[1], fail.text, strlen(fail.text)) < 0)
			_exit(99);
		_exit(rc);
	}
	close(pipes[1]);
	ssize_t n = read(pipes[0], text, size - 1);
	text[n > 0 ? n : 0] = 0;
	close(pipes[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The parent has the directory, and its locks are its own: a fork shares them, so the holder is a process apart. */
static pid_t hold(const char *dir, int *ready, int *go)
{
	int up[2], down[2];
	char byte;
	ck_assert_int_eq(pipe(up), 0);
	ck_assert_int_eq(pipe(down), 0);
	pid_t pid = fork_child();
	if (!pid) {
		struct st_store *store;
		struct pd_fail fail;
		close(down[1]);
		if (st_open(dir, 0, &store, &fail) || write(up[1], "r", 1) != 1)
			_exit(1);
		while (read(down[0], &byte, 1) == 1)
			;
		st_close(store);
		_exit(0);
	}
	close(down[0]);
	close(up[1]);
	ck_assert_int_eq(read(up[0], &byte, 1), 1);
	*ready = up[0];
	*go = down[1];
	return pid;
}

START_TEST(a_second_writer_is_refused_whatever_was_deleted)
{
	static const char *const gone[] = {NULL, "lock", "work.mdb-lock", "facts.mdb-lock"};
	for (unsigned i = 0; i < 4; i++) {
		char dir[256], text[400], pid_text[32];
		int ready, go, status;
		storedir_new(dir, sizeof dir);
		pid_t pid = hold(dir, &ready, &go);
		if (gone[i])
			take_away(dir, gone[i]);
		for (unsigned again = 0; again < 2; again++) {
			ck_assert_int_eq(second(dir, text, sizeof text), PD_E_LOCKED);
			snprintf(pid_text, sizeof pid_text, "process %ld", (long)pid);
			ck_assert_msg(strstr(text, pid_text) != NULL, "%s", text);
		}
		close(go);
		waitpid(pid, &status, 0);
		ck_assert_int_eq(second(dir, text, sizeof text), 0);
		close(ready);
		storedir_remove(dir);
	}
}
END_TEST

START_TEST(a_new_directory_has_one_writer)
{
	enum { CHILDREN = 8 };
	for (unsigned round = 0; round < 20; round++) {
		char dir[256], byte;
		int start[2], done[2], status, got = 0;
		pid_t pid[CHILDREN];
		storedir_new(dir, sizeof dir);
		ck_assert_int_eq(pipe(start), 0);
		ck_assert_int_eq(pipe(done), 0);
		for (unsigned i = 0; i < CHILDREN; i++) {
			pid[i] = fork_child();
			if (!pid[i]) {
				struct st_store *store;
				struct pd_fail fail;
				close(start[1]);
				close(done[1]);
				if (read(start[0], &byte, 1) != 0)
					_exit(1);
				int rc = st_open(dir, 0, &store, &fail);
				if (rc)
					_exit(rc);
				while (read(done[0], &byte, 1) == 1) /* holds it until all have tried */
					;
				_exit(0);
			}
		}
		close(start[1]);
		close(start[0]);
		unsigned others = 0;
		while (others < CHILDREN - 1) {
			pid_t ended = wait(&status);
			ck_assert_int_gt(ended, 0);
			ck_assert_int_eq(WEXITSTATUS(status), PD_E_LOCKED);
			others++;
		}
		close(done[1]);
		close(done[0]);
		while (wait(&status) > 0)
			got += WEXITSTATUS(status) == 0;
		ck_assert_int_eq(got, 1);
		st_close(open_store(dir));
		storedir_remove(dir);
	}
}
END_TEST

/* --- gone while it is in use -------------------------------------------------------------- */

/* Nothing is committed, and the reason names the directory; reading goes on. */
static void assert_stopped(struct st_store *store, const char *dir, uint32_t facts, uint32_t jobs)
{
	struct pd_fail fail = {.text = ""};
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(add_facts(store, 10 * MANY, 5, &fail), PD_E_IO);
		ck_assert_msg(strstr(fail.text, dir) != NULL, "%s", fail.text);
	}
	ck_assert(is_known(store, 0) && is_known(store, facts - 1) && !is_known(store, 10 * MANY));
	ck_assert_uint_eq(jobs_of(store), jobs);
}

START_TEST(files_may_be_taken_away_and_brought_back)
{
	static const char *const names[] = {"work.mdb", "facts.mdb", "work.mdb-lock", "facts.mdb-lock"};
	char dir[256];
	struct pd_fail fail;
	storedir_new(dir, sizeof dir);
	struct st_store *store = open_store(dir);
	uint32_t facts = MANY, jobs = 1;
	ck_assert_int_eq(add_facts(store, 0, MANY, &fail), 0);
	settle_store(store);
	for (unsigned i = 0; i < 8; i++) {
		const char *name = names[i % 4];
		move(dir, name, "aside");
		if (i >= 4) { /* something else has its place */
			char path[300];
			path_in(dir, name, path, sizeof path);
			close(open(path, O_CREAT | O_RDWR, 0644));
		}
		assert_stopped(store, dir, facts, jobs);
		/* What would be moved to the other file stays where it is. */
		if (i % 4 == 1 || i % 4 == 3)
			ck_assert_int_le(st_facts_maintain(store, true, &fail), 0);
		move(dir, "aside", name);
		ck_assert_int_eq(add_facts(store, facts, 10, &fail), 0);
		facts += 10;
		jobs++;
		settle_store(store);
	}
	st_close(store);
	store = open_store(dir);
	ck_assert(is_known(store, 0) && is_known(store, facts - 1));
	ck_assert_uint_eq(jobs_of(store), jobs);
	st_close(store);
	storedir_remove(dir);
}
END_TEST

START_TEST(the_directory_may_be_moved_and_brought_back)
{
	for (unsigned i = 0; i < 2; i++) {
		char dir[256], aside[300];
		struct pd_fail fail;
		storedir_new(dir, sizeof dir);
		snprintf(aside, sizeof aside, "%s-aside", dir);
		struct st_store *store = open_store(dir);
		ck_assert_int_eq(add_facts(store, 0, MANY, &fail), 0);
		settle_store(store);
		ck_assert_int_eq(rename(dir, aside), 0);
		if (i) { /* another has its place */
			struct st_store *other;
			ck_assert_int_eq(st_open(dir, 0, &other, &fail), 0);
			assert_stopped(store, dir, MANY, 1);
			st_close(other);
			storedir_remove(dir);
		}
		assert_stopped(store, dir, MANY, 1);
		ck_assert_int_eq(rename(aside, dir), 0);
		ck_assert_int_eq(add_facts(store, MANY, 10, &fail), 0);
		st_close(store);
		store = open_store(dir);
		ck_assert(is_known(store, MANY + 9));
		st_close(store);
		storedir_remove(dir);
	}
}
END_TEST

START_TEST(a_second_reader_notices_that_the_files_were_replaced)
{
	char dir[256];
	struct pd_fail fail = {.text = ""};
	struct st_store *reader;
	storedir_new(dir, sizeof dir);
	st_close(open_store(dir));
	ck_assert_int_eq(st_open(dir, ST_READ_ONLY, &reader, &fail), 0);
	ck_assert_int_eq(st_facts_maintain(reader, false, &fail), 0);
	move(dir, "facts.mdb-lock", "aside");
	ck_assert_int_eq(st_facts_maintain(reader, false, &fail), -1);
	ck_assert_int_eq(fail.code, PD_E_IO);
	move(dir, "aside", "facts.mdb-lock");
	ck_assert_int_eq(st_facts_maintain(reader, false, &fail), 0);
	st_close(reader);
	storedir_remove(dir);
}
END_TEST

SUITE(life)
{
	pd_log_threshold(PD_LOG_ERROR);
	tcase_set_timeout(c, 110);
	tcase_add_test(c, a_creation_that_finds_no_room_is_begun_again);
	tcase_add_test(c, a_creation_may_be_killed);
	tcase_add_test(c, files_that_are_missing_or_empty_are_not_new_ones);
	tcase_add_test(c, a_second_writer_is_refused_whatever_was_deleted);
	tcase_add_test(c, a_new_directory_has_one_writer);
	tcase_add_test(c, files_may_be_taken_away_and_brought_back);
	tcase_add_test(c, the_directory_may_be_moved_and_brought_back);
	tcase_add_test(c, a_second_reader_notices_that_the_files_were_replaced);
}
