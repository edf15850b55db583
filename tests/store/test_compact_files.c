/* Files written again without free pages: the same content, fewer bytes, whole after a kill at any step. */
#include "store/compact_files.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "tests/store/store_fixture.h"
#include "tests/support/child.h"

enum { FACTS = 20000, STEP = 1000 };

static void put_step(struct fixture *f, uint32_t first, int bound)
{
	struct st_batch *batch = begin_batch(f);
	struct st_tt_entry entry = {{0}};
	char key[24];
	for (uint32_t i = first; i < first + STEP; i++) {
		snprintf(key, sizeof key, "%08x", (unsigned)(i * 2654435761u));
		ck_assert(!add_fact(batch, key, make_reason(PD_LO, bound, 1 + (int)(i % 50)), &f->fail));
		pd_put_le32(entry.bytes, i + 1);
		ck_assert(!st_batch_tt_question(batch, 1 + i % 2, (struct pd_id){1, 2}, &f->fail));
		ck_assert(!st_batch_tt(batch, 1 + i % 2, &entry, 1, &f->fail));
	}
	ck_assert(!st_batch_job_put(batch, 1, "one", 3, &f->fail));
	ck_assert(!st_batch_job_put(batch, 2, "two", 3, &f->fail));
	ck_assert(!st_batch_event(batch, 1, "event", 5, &f->fail));
	ck_assert_msg(!st_batch_commit(batch, &f->fail), "%s", f->fail.text);
}

static void fill_store(struct fixture *f)
{
	uint32_t id;
	set_up(f, true);
	one_game(f);
	struct st_batch *batch = begin_batch(f);
	ck_assert(!st_batch_job_new(batch, &id, &f->fail));
	ck_assert(!st_batch_commit(batch, &f->fail));
	for (uint32_t i = 0; i < FACTS; i += STEP) {
		put_step(f, i, 0);
		settle_store(f);
	}
	batch = begin_batch(f);
	ck_assert(!st_batch_tt_drop(batch, 2, &f->fail));
	ck_assert(!st_batch_commit(batch, &f->fail));
	settle_store(f);
	put_step(f, 0, 1); /* facts in the log alone */
}

struct content {
	uint64_t hash, facts, entries, jobs;
};

static int on_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct content *c = ctx;
	c->hash = XXH3_64bits_withSeed(key, size, c->hash + game);
	for (uint32_t i = 0; i < fact->count; i++)
		c->hash = c->hash * 31 + (uint64_t)pd_fact_reasons(fact)[i].bound * 7 + pd_fact_reasons(fact)[i].rank;
	c->facts++;
	return 0;
}

static int on_entries(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	struct content *c = ctx;
	for (size_t i = 0; i < count; i++)
		c->hash = XXH3_64bits_withSeed(entries[i].bytes, sizeof entries[i].bytes, c->hash);
	c->entries += count;
	return 0;
}

static int on_record(void *ctx, const void *record, size_t size)
{
	struct content *c = ctx;
	c->hash = XXH3_64bits_withSeed(record, size, c->hash);
	return 0;
}

static int on_job(void *ctx, uint32_t job, const void *record, size_t size)
{
	struct content *c = ctx;
	c->jobs += job;
	return on_record(ctx, record, size);
}

static struct content content_of(struct fixture *f)
{
	struct content c = {.hash = st_identity(f->store)};
	struct st_reader *reader;
	int problems = 0;
	ck_assert(!st_reader_open(f->store, &reader, &f->fail));
	ck_assert(!st_fact_each(reader, on_fact, &c, &f->fail));
	st_reader_close(reader);
	ck_assert(!st_job_each(f->store, on_job, &c, &f->fail));
	for (uint32_t job = 1; job <= 2; job++) {
		ck_assert(!st_event_each(f->store, job, SIZE_MAX, on_record, &c, &f->fail));
		ck_assert(!st_tt_each(f->store, job, on_entries, &c, &f->fail));
	}
	ck_assert_int_eq(st_check(f->store, count_problem, &problems, &f->fail), 0);
	return c;
}

static void are_same(const struct content *a, const struct content *b)
{
	ck_assert_uint_eq(a->facts, b->facts);
	ck_assert_uint_eq(a->entries, b->entries);
	ck_assert_uint_eq(a->jobs, b->jobs);
	ck_assert_uint_eq(a->hash, b->hash);
}

static void close_it(struct fixture *f)
{
	st_close(f->store);
	f->store = NULL;
}

START_TEST(the_same_in_fewer_bytes)
{
	struct fixture f;
	struct st_compacted sum;
	fill_store(&f);
	struct content before = content_of(&f), after;
	ck_assert_uint_eq(before.facts, FACTS);
	close_it(&f);
	ck_assert_msg(!st_compact_files(f.dir, NULL, NULL, &sum, &f.fail), "%s", f.fail.text);
	ck_assert_uint_lt(sum.bytes_after, sum.bytes_before / 2);
	reopen_store(&f);
	after = content_of(&f);
	are_same(&before, &after);
	put_step(&f, 0, 2); /* and work goes on in it */
	settle_store(&f);
	close_it(&f);
	ck_assert_msg(!st_compact_files(f.dir, NULL, NULL, &sum, &f.fail), "%s", f.fail.text);
	reopen_store(&f);
	ck_assert_uint_eq(content_of(&f).facts, FACTS);
	tear_down(&f);
}
END_TEST

struct countdown {
	int left;
};

static void die_in_time(void *ctx)
{
	struct countdown *c = ctx;
	if (--c->left == 0)
		raise(SIGKILL);
}

/* Kills a process after its k-th step, for all k, in the same directory. */
START_TEST(killed_after_each_step)
{
	struct fixture f;
	fill_store(&f);
	struct content before = content_of(&f), after;
	close_it(&f);
	int k = 1, status = 0;
	for (;; k++) {
		pid_t pid = fork_child();
		ck_assert_int_ge(pid, 0);
		if (!pid) {
			struct countdown c = {k};
			struct st_compacted sum;
			_exit(st_compact_files(f.dir, die_in_time, &c, &sum, &f.fail) ? 1 : 0);
		}
		ck_assert(waitpid(pid, &status, 0) == pid);
		reopen_store(&f);
		after = content_of(&f);
		are_same(&before, &after);
		close_it(&f);
		if (!WIFSIGNALED(status))
			break;
	}
	ck_assert_int_eq(status, 0);
	ck_assert_int_gt(k, 15);
	char path[300];
	snprintf(path, sizeof path, "%s/compact.new", f.dir);
	ck_assert(access(path, F_OK) != 0);
	tear_down(&f);
}
END_TEST

/* A process that reads or writes the directory keeps its files. */
START_TEST(refused_in_use)
{
	struct fixture f;
	struct st_compacted sum;
	struct stat before, after;
	char path[300], byte = 0;
	fill_store(&f);
	close_it(&f);
	snprintf(path, sizeof path, "%s/work.mdb", f.dir);
	ck_assert(!stat(path, &before));
	for (int writes = 0; writes < 2; writes++) {
		int ready[2], end[2], status;
		ck_assert(!pipe(ready) && !pipe(end));
		pid_t pid = fork_child();
		if (!pid) {
			struct st_store *store;
			close(end[1]);
			if (st_open(f.dir, writes ? 0 : ST_READ_ONLY, &store, &f.fail))
				_exit(1);
			if (write(ready[1], "x", 1) != 1 || read(end[0], &byte, 1) < 0)
				_exit(2);
			st_close(store);
			_exit(0);
		}
		ck_assert(read(ready[0], &byte, 1) == 1);
		ck_assert_int_eq(st_compact_files(f.dir, NULL, NULL, &sum, &f.fail), PD_E_LOCKED);
		ck_assert(!stat(path, &after));
		ck_assert(before.st_ino == after.st_ino);
		close(end[1]);
		ck_assert(waitpid(pid, &status, 0) == pid && !status);
		close(end[0]);
		close(ready[0]);
		close(ready[1]);
	}
	ck_assert_msg(!st_compact_files(f.dir, NULL, NULL, &sum, &f.fail), "%s", f.fail.text);
	ck_assert_int_eq(st_compact_files("/nowhere", NULL, NULL, &sum, &f.fail), PD_E_USAGE);
	reopen_store(&f);
	tear_down(&f);
}
END_TEST

SUITE(compact_files)
{
	tcase_set_timeout(c, 500);
	tcase_add_test(c, the_same_in_fewer_bytes);
	tcase_add_test(c, killed_after_each_step);
	tcase_add_test(c, refused_in_use);
}
