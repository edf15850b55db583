/* S4: whichever write or sync of a commit fails, once or for a while, the store has every batch that was acknowledged
 * and no other, nothing is there twice, readers go on, and so does the writer as soon as the disk lets it. The system's
 * calls are replaced by our own below. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "proto/base/bytes.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "tests/support/effort.h"
#include "tests/support/storedir.h"
#include "tests/support/storemodel.h"
#include "tests/support/suite.h"

/* --- a disk that fails -------------------------------------------------------------------- */

enum how {
	NOT_WRITTEN, /* the call fails and has done nothing */
	WRITTEN,     /* it fails although the bytes are there: a synchronous write, of which the system keeps a copy */
	SHORT,       /* half of it is written, and the call says so */
	HOWS
};

static struct {
	atomic_long calls; /* since it was set up */
	atomic_long first; /* the first that fails, from 1; 0: none */
	atomic_long count; /* how many fail from there on */
	atomic_long failed;
	atomic_bool metas; /* writes of LMDB's meta pages alone are counted */
	enum how how;
} disk;

static void disk_fails(enum how how, long first, long count)
{
	disk.how = how;
	atomic_store(&disk.calls, 0);
	atomic_store(&disk.failed, 0);
	atomic_store(&disk.count, count);
	atomic_store(&disk.first, first);
}

static void disk_is_well(void)
{
	atomic_store(&disk.first, 0);
}

static bool must_fail(void)
{
	long first = atomic_load(&disk.first);
	if (!first)
		return false;
	long call = atomic_fetch_add(&disk.calls, 1) + 1;
	bool now = call >= first && call < first + atomic_load(&disk.count);
	atomic_fetch_add(&disk.failed, now);
	return now;
}

/* LMDB writes what is in a meta page, and not the whole page. */
static bool counts(size_t size, off_t offset)
{
	return !atomic_load(&disk.metas) || (size < 200 && offset < 8192);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	if (!counts(size, offset) || !must_fail())
		return syscall(SYS_pwrite64, fd, data, size, offset);
	if (disk.how == SHORT)
		return syscall(SYS_pwrite64, fd, data, size / 2, offset);
	if (disk.how == WRITTEN && syscall(SYS_pwrite64, fd, data, size, offset) < 0)
		abort();
	errno = EIO;
	return -1;
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	if (atomic_load(&disk.metas) || !must_fail())
		return syscall(SYS_writev, fd, parts, count);
	if (disk.how == SHORT)
		return syscall(SYS_writev, fd, parts, count / 2);
	if (disk.how == WRITTEN && syscall(SYS_writev, fd, parts, count) < 0)
		abort();
	errno = EIO;
	return -1;
}

/* No one pulls the plug here, so that a sync has nothing to do. */
int fdatasync(int fd)
{
	if (atomic_load(&disk.metas) || !must_fail())
		return 0;
	errno = EIO;
	return -1;
}

/* --- every call of a scenario ------------------------------------------------------------- */

enum { SEED = 77, BATCHES = 5, TRIES_MAX = 100 };

static const struct st_tuning tuning = {.flush_facts = 300, .step_facts = 150, .compaction_width = 2};

static struct st_store *open_store(const char *dir)
{
	struct st_store *store = NULL;
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(st_open(dir, 0, &store, &fail) == 0, "%s", fail.text);
	st_tune(store, &tuning);
	return store;
}

static void note_problem(void *ctx, const char *text)
{
	fprintf(stderr, "check: %s\n", text);
}

static void assert_same(const struct model *model, struct st_store *store, const char *when, long k)
{
	struct pd_fail fail;
	const char *text = model_compare(model, store);
	ck_assert_msg(!text, "call %ld, %s: %s", k, when, text);
	ck_assert_msg(st_check(store, note_problem, NULL, &fail) == 0, "call %ld, %s: damaged", k, when);
}

/* A crash now: the files as they are hold all batches that were acknowledged, and of the one that failed all or
 * nothing. */
static void assert_survives(const char *dir, const struct model *before, const struct model *after, long k)
{
	char copy[256];
	long first = atomic_exchange(&disk.first, 0);
	storedir_copy(dir, copy, sizeof copy);
	struct st_store *store = open_store(copy);
	struct model *model = model_new(SEED);
	model_copy(model, model_batches_of(store) == after->batches ? after : before);
	model_reopened(model);
	assert_same(model, store, "after a crash", k);
	model_free(model);
	st_close(store);
	storedir_remove(copy);
	atomic_store(&disk.first, first);
}

/* The next batch, whole or not at all; false when it failed. */
static bool one_batch(const char *dir, struct st_store *store, struct model *model, long k)
{
	struct model *next = model_new(SEED);
	struct st_batch *batch;
	struct pd_fail fail;
	model_copy(next, model);
	int rc = st_batch_begin(store, &batch, &fail);
	if (!rc) {
		rc = model_batch(next, batch, &fail);
		if (rc)
			st_batch_abort(batch);
		else
			rc = st_batch_commit(batch, &fail);
		if (rc)
			assert_survives(dir, model, next, k);
	}
	ck_assert_msg(!rc || rc == PD_E_IO || rc == PD_E_NO_SPACE, "call %ld: %d %s", k, rc, fail.text);
	if (!rc)
		model_copy(model, next);
	model_free(next);
	return !rc;
}

/* Runs the scenario with `count` failures from call k on; false when it has fewer calls. */
static bool scenario(enum how how, long k, long count)
{
	char dir[256];
	struct pd_fail fail;
	unsigned tries = 0;
	storedir_new(dir, sizeof dir);
	struct st_store *store = open_store(dir);
	struct model *model = model_new(SEED);
	disk_fails(how, k, count);
	while (model->batches < BATCHES) {
		ck_assert_msg(tries++ < TRIES_MAX, "call %ld: it never goes on", k);
		bool good = one_batch(dir, store, model, k);
		good &= st_facts_maintain(store, model->batches % 2 == 0, &fail) >= 0;
		if (!good) {
			const char *text = model_compare(model, store); /* reading goes on */
			ck_assert_msg(!text, "call %ld: %s", k, text);
		}
	}
	int rc;
	while ((rc = st_facts_maintain(store, true, &fail)))
		ck_assert_msg(rc > 0 || tries++ < TRIES_MAX, "call %ld: it never goes on: %s", k, fail.text);
	bool hit = atomic_load(&disk.failed) > 0;
	disk_is_well();
	assert_same(model, store, "at the end", k);
	st_close(store);
	store = open_store(dir);
	model_reopened(model);
	assert_same(model, store, "opened again", k);
	st_close(store);
	model_free(model);
	storedir_remove(dir);
	return hit;
}

START_TEST(every_write_may_fail)
{
	static const long counts_of[] = {1, 2, 5};
	enum how how = (enum how)(_i / 3);
	long count = counts_of[_i % 3], runs = 0, stride = effort() < 10 ? 36 : effort() < 100 ? 6 : 1;
	if (effort() < 100 && _i % 3 != _i / 3 % 3)
		return; /* a share: each way to fail with one of the counts */
	for (long k = 1; scenario(how, k, count); k += stride * (k < 30 ? 1 : 1 + k / 12))
		runs++;
	ck_assert_int_gt(runs, 30 / stride);
}
END_TEST

/* --- a disk that is gone for a while ------------------------------------------------------ */

static struct pd_reason reason_of(uint32_t n)
{
	return (struct pd_reason){.side = PD_LO, .bound = 1, .rank = (uint16_t)(1 + n % 50), .move = 3, .job = 1};
}

static int add_facts(struct st_store *store, uint32_t from, uint32_t count)
{
	struct st_batch *batch;
	struct pd_fail fail;
	uint32_t game;
	uint8_t key[4];
	int rc = st_batch_begin(store, &batch, &fail);
	if (rc)
		return rc;
	rc = st_batch_game(batch, "g", 1, &game, &fail);
	for (uint32_t n = from; !rc && n < from + count; n++) {
		struct pd_reason r = reason_of(n);
		pd_put_le32(key, n * UINT32_C(2654435761));
		rc = st_batch_fact(batch, game, key, sizeof key, &r, &fail);
	}
	ck_assert_int_eq(rc, 0);
	return st_batch_commit(batch, &fail);
}

/* 1, 0 or -1, as st_fact_get; *fail may say why. */
static int look_why(struct st_reader *reader, uint32_t n, struct pd_fail *fail)
{
	struct pd_fact fact = {0};
	uint8_t key[4];
	pd_put_le32(key, n * UINT32_C(2654435761));
	int rc = st_fact_get(reader, 1, key, sizeof key, &fact, fail);
	return rc == 1 && (fact.count != 1 || fact.few[0].rank != 1 + n % 50) ? -1 : rc;
}

static int look_up_fact(struct st_reader *reader, uint32_t n)
{
	return look_why(reader, n, &(struct pd_fail){.text = ""});
}

static void settle_store(struct st_store *store)
{
	struct pd_fail fail;
	int rc;
	while ((rc = st_facts_maintain(store, true, &fail)) > 0)
		;
	ck_assert_int_eq(rc, 0);
}

static int see_job(void *ctx, uint32_t job, const void *record, size_t size)
{
	ck_assert_uint_eq(job, ++*(uint32_t *)ctx);
	return 0;
}

static int new_job(struct st_store *store, uint32_t *job)
{
	struct st_batch *batch;
	struct pd_fail fail;
	int rc = st_batch_begin(store, &batch, &fail);
	if (rc)
		return rc;
	rc = st_batch_job_new(batch, job, &fail);
	if (!rc)
		rc = st_batch_job_put(batch, *job, "job", 3, &fail);
	ck_assert_int_eq(rc, 0);
	return st_batch_commit(batch, &fail);
}

START_TEST(a_disk_may_be_gone_for_a_while)
{
	char dir[256];
	struct st_reader *reader;
	struct pd_fail fail;
	uint32_t job, jobs, given = 1;
	storedir_new(dir, sizeof dir);
	struct st_store *store = open_store(dir);
	ck_assert_int_eq(add_facts(store, 0, 1000), 0);
	settle_store(store);
	ck_assert_int_eq(st_reader_open(store, &reader, &fail), 0);
	ck_assert_int_eq(new_job(store, &job), 0);
	ck_assert_uint_eq(job, 1);
	for (long first = 1; first < 8; first++) {
		disk_fails((enum how)_i, first, 1000000);
		for (unsigned i = 0; i < 6; i++) {
			int rc = new_job(store, &job);
			ck_assert(rc == PD_OK || rc == PD_E_IO || rc == PD_E_NO_SPACE);
			given += !rc;
			rc = st_facts_maintain(store, true, &fail);
			ck_assert(rc >= 0 || fail.code == PD_E_IO || fail.code == PD_E_NO_SPACE);
			for (uint32_t n = 0; n < 1000; n += 7)
				ck_assert_int_eq(look_up_fact(reader, n), 1);
			jobs = 0;
			ck_assert_int_eq(st_job_each(store, see_job, &jobs, &fail), 0);
			ck_assert_uint_eq(jobs, given);
		}
		ck_assert_int_gt(atomic_load(&disk.failed), 0);
		disk_is_well();
		ck_assert_int_eq(new_job(store, &job), 0);
		ck_assert_uint_eq(job, ++given); /* no number is given twice, and none is left out */
	}
	ck_assert_int_eq(add_facts(store, 1000, 10), 0);
	ck_assert_int_eq(look_up_fact(reader, 1009), 1);
	st_reader_close(reader);
	st_close(store);
	storedir_remove(dir);
}
END_TEST

/* As LMDB leaves the meta page of a commit whose last write failed: new roots, next to the old numbers of the
 * transaction and of the last page. */
static void leave_roots(const char *dir, const char *name)
{
	enum { PAGE = 4096, ROOT = 16 + 24 + 48 + 40, LAST = ROOT + 8, ID = LAST + 8 };
	char path[300];
	uint8_t page[2][ID + 8];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *file = fopen(path, "r+b");
	ck_assert(file);
	for (unsigned i = 0; i < 2; i++)
		ck_assert(!fseek(file, (long)i * PAGE, SEEK_SET) && fread(page[i], sizeof page[i], 1, file) == 1);
	unsigned older = pd_get_le64(page[0] + ID) > pd_get_le64(page[1] + ID);
	pd_put_le64(page[older] + ROOT, pd_get_le64(page[older] + LAST) + 7);
	ck_assert(!fseek(file, (long)older * PAGE, SEEK_SET) && fwrite(page[older], sizeof page[older], 1, file) == 1);
	ck_assert(!fclose(file));
}

/* No one follows them, also when the store ends before it could put that right. */
START_TEST(a_store_that_ends_unmended_opens_again)
{
	static const char *const names[] = {"facts.mdb", "work.mdb"};
	char dir[256];
	struct st_reader *reader;
	struct pd_fail fail;
	storedir_new(dir, sizeof dir);
	struct st_store *store = open_store(dir);
	ck_assert_int_eq(add_facts(store, 0, 1000), 0);
	settle_store(store);
	st_close(store);
	leave_roots(dir, names[_i]);
	store = open_store(dir);
	ck_assert_int_eq(st_reader_open(store, &reader, &fail), 0);
	for (uint32_t n = 0; n < 1000; n++)
		ck_assert_int_eq(look_up_fact(reader, n), 1);
	ck_assert_int_eq(add_facts(store, 1000, 1000), 0);
	settle_store(store);
	ck_assert_int_eq(st_check(store, note_problem, NULL, &fail), 0);
	st_reader_close(reader);
	st_close(store);
	storedir_remove(dir);
}
END_TEST

/* --- readers next to it -------------------------------------------------------------------- */

struct shared {
	struct st_store *store;
	atomic_uint known; /* positions below it are known */
	atomic_bool stop;
	atomic_ullong reads, wrong;
};

static void note_wrong(struct shared *s, const char *what, uint32_t n, uint32_t known, int rc,
		       const struct pd_fail *fail)
{
	fprintf(stderr, "%s %u, of %u that are known: %d, error %d %s\n", what, n, known, rc, fail->code, fail->text);
	atomic_fetch_add(&s->wrong, 1);
}

/* A reader is told that a failed commit is not repaired yet when it has waited for that (read_txn.h), because the
 * writer has lost its processor; never at once. It asks again then. */
static bool asks_again(uint64_t begin, const struct pd_fail *fail)
{
	enum { WAITED_NS = 50000000 };
	return fail->code == PD_E_IO && pd_now_ns() - begin >= WAITED_NS;
}

static int look_on(struct st_reader *reader, uint32_t n, struct pd_fail *fail)
{
	int rc;
	uint64_t begin;
	do {
		begin = pd_now_ns();
		*fail = (struct pd_fail){.text = ""};
		rc = look_why(reader, n, fail);
	} while (rc < 0 && asks_again(begin, fail));
	return rc;
}

static int jobs_on(struct st_store *store, uint32_t *jobs, struct pd_fail *fail)
{
	int rc;
	uint64_t begin;
	do {
		begin = pd_now_ns();
		*jobs = 0;
		*fail = (struct pd_fail){.text = ""};
		rc = st_job_each(store, see_job, jobs, fail);
	} while (rc && asks_again(begin, fail));
	return rc;
}

static struct st_reader *reader_on(struct st_store *store)
{
	struct st_reader *reader;
	struct pd_fail fail;
	for (;;) {
		uint64_t begin = pd_now_ns();
		if (!st_reader_open(store, &reader, &fail))
			return reader;
		if (asks_again(begin, &fail))
			continue;
		fprintf(stderr, "a reader cannot be opened: %d %s\n", fail.code, fail.text);
		abort();
	}
}

static void *read_on(void *arg)
{
	struct shared *s = arg;
	struct st_reader *reader = reader_on(s->store);
	struct pd_fail fail;
	uint64_t random = 1;
	while (!atomic_load(&s->stop)) {
		uint32_t known = atomic_load(&s->known), n = (uint32_t)model_random(&random, known + 100), jobs;
		int rc = look_on(reader, n, &fail);
		if (rc < 0 || (!rc && n < known))
			note_wrong(s, "position", n, known, rc, &fail);
		if (random % 16 == 0 && jobs_on(s->store, &jobs, &fail))
			note_wrong(s, "jobs", jobs, known, 0, &fail);
		if (random % 64 == 0) { /* readers come and go as well */
			st_reader_close(reader);
			reader = reader_on(s->store);
		}
		atomic_fetch_add(&s->reads, 1);
	}
	st_reader_close(reader);
	return NULL;
}

START_TEST(readers_do_not_notice)
{
	enum { READERS = 3, SHARE = 20 };
	const uint32_t rounds = effort_of(400, 60);
	char dir[256];
	struct shared s = {.store = NULL};
	struct pd_fail fail;
	pthread_t thread[READERS];
	uint32_t failures = 0;
	storedir_new(dir, sizeof dir);
	s.store = open_store(dir);
	atomic_store(&disk.metas, true);
	for (unsigned i = 0; i < READERS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, read_on, &s), 0);
	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t known = round * SHARE;
		/* Every third round the first commit from now on finds a bad meta page, in one file or the other. */
		disk_fails(WRITTEN, round % 3 ? 0 : 1, 1);
		if (round % 2)
			failures += st_facts_maintain(s.store, true, &fail) < 0;
		if (add_facts(s.store, known, SHARE)) {
			failures++;
			ck_assert_int_eq(add_facts(s.store, known, SHARE), 0);
		}
		atomic_store(&s.known, known + SHARE);
		if (st_facts_maintain(s.store, round % 5 == 0, &fail) < 0)
			failures++;
	}
	disk_is_well();
	while (atomic_load(&s.reads) < 1000)
		;
	atomic_store(&s.stop, true);
	for (unsigned i = 0; i < READERS; i++)
		pthread_join(thread[i], NULL);
	ck_assert_uint_gt(failures, rounds / 10);
	ck_assert_uint_eq(atomic_load(&s.wrong), 0);
	st_close(s.store);
	storedir_remove(dir);
}
END_TEST

SUITE(commit_repair)
{
	pd_log_threshold(PD_LOG_ERROR);
	setenv("TMPDIR", storedir_quick(), 0); /* the disk is ours, so it may as well be memory */
	tcase_set_timeout(c, 110);
	tcase_add_loop_test(c, every_write_may_fail, 0, HOWS * 3);
	tcase_add_loop_test(c, a_disk_may_be_gone_for_a_while, 0, HOWS);
	tcase_add_loop_test(c, a_store_that_ends_unmended_opens_again, 0, 2);
	tcase_add_test(c, readers_do_not_notice);
}
