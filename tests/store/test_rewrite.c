/* Rewriting the facts: what the filter leaves is there, all of it and nothing else, whatever the facts stood in before
 * and whatever happens meanwhile: a full disk, a process that is killed, a reader next to it. The contents are held
 * against the model of storemodel.h. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/hash.h"
#include "tests/support/child.h"
#include "tests/support/effort.h"
#include "tests/support/storedir.h"
#include "tests/support/storemodel.h"
#include "tests/support/suite.h"

enum { MODEL_SEED = 815, KILLS = 25 };

static const struct st_tuning tuning = {.flush_facts = 400, .step_facts = 150, .compaction_width = 2};

/* --- the same filter for store and model -------------------------------------------------- */

struct sieve {
	uint64_t salt;
	uint64_t calls, stop_at; /* 0: never */
	uint8_t last[ST_KEY_MAX + 4];
	size_t last_size;
};

/* Whose reasons are looked at. */
struct sifted {
	uint64_t of_key;
};

static bool reason_stays(void *ctx, const struct pd_reason *r)
{
	const struct sifted *s = ctx;
	uint64_t x = s->of_key * 1000003 + r->rank * 7919u + (unsigned)(r->bound + 99) * 17u + r->side;
	x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return s->of_key % 5 && (x >> 33) % 3;
}

/* About a third of the reasons go, and whole facts besides. */
static void sift(uint64_t salt, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	struct sifted whose = {pd_hash64(key, size) + game * 31 + salt};
	pd_fact_keep(fact, reason_stays, &whose);
}

static int filter(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	struct sieve *s = ctx;
	uint8_t now[ST_KEY_MAX + 4] = {0, 0, 0, (uint8_t)game};
	memcpy(now + 4, key, size);
	int order = memcmp(s->last, now, s->last_size < size + 4 ? s->last_size : size + 4);
	ck_assert_msg(order < 0 || (!order && s->last_size < size + 4), "the facts do not come in order");
	memcpy(s->last, now, size + 4);
	s->last_size = size + 4;
	if (++s->calls == s->stop_at)
		return PD_E_CONFLICT;
	sift(s->salt, game, key, size, fact);
	return PD_OK;
}

static void sift_model(struct model *model, uint64_t salt)
{
	uint8_t key[ST_KEY_MAX];
	model->facts = 0;
	for (uint32_t game = 1; game <= MODEL_GAMES; game++)
		for (uint32_t k = 0; k < MODEL_KEYS; k++) {
			struct pd_fact *fact = &model->fact[game][k];
			if (fact->count)
				sift(salt, game, key, model_key(k, key), fact);
			model->facts += fact->count > 0;
		}
}

static int rewrite_store(struct st_store *store, uint64_t salt, struct pd_fail *fail)
{
	struct sieve sieve = {.salt = salt};
	return st_facts_rewrite(store, filter, &sieve, fail);
}

/* --- a store and its model ---------------------------------------------------------------- */

static struct st_store *open_store(const char *dir)
{
	struct st_store *store = NULL;
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(!st_open(dir, 0, &store, &fail), "%s", fail.text);
	st_tune(store, &tuning);
	return store;
}

static void batches(struct st_store *store, struct model *model, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct st_batch *batch;
		struct pd_fail fail;
		ck_assert(!st_batch_begin(store, &batch, &fail));
		ck_assert(!model_batch(model, batch, &fail));
		ck_assert(!st_batch_commit(batch, &fail));
	}
}

static void count_problem(void *ctx, const char *text)
{
	fprintf(stderr, "check: %s\n", text);
	++*(unsigned *)ctx;
}

static void compare_with_model(const struct model *model, struct st_store *store)
{
	struct pd_fail fail;
	unsigned problems = 0;
	const char *text = model_compare(model, store);
	ck_assert_msg(!text, "%s", text);
	ck_assert_int_eq(st_check(store, count_problem, &problems, &fail), 0);
}

static void maintain_store(struct st_store *store, unsigned calls)
{
	struct pd_fail fail;
	int rc = 1;
	for (unsigned i = 0; i < calls && rc == 1; i++)
		rc = st_facts_maintain(store, true, &fail);
	ck_assert_msg(rc >= 0, "%s", fail.text);
}

/* --- tests -------------------------------------------------------------------------------- */

/* In whatever state memtable, flush and compaction are when it comes. */
START_TEST(what_the_filter_leaves_is_there)
{
	static const unsigned steps[] = {0, 1, 3, 8, 1000};
	for (unsigned i = 0; i < 2 * sizeof steps / sizeof *steps; i += effort() < 100 ? 3 : 1) {
		char dir[256] = "";
		struct pd_fail fail = {.text = ""};
		bool disk = i % 2;
		if (disk)
			storedir_new(dir, sizeof dir);
		struct model *model = model_new(MODEL_SEED + i);
		struct st_store *store = open_store(disk ? dir : NULL);
		for (unsigned round = 0; round < 3; round++) {
			batches(store, model, 6);
			if (disk)
				maintain_store(store, steps[i / 2]);
			batches(store, model, 1);
			uint64_t before = model->facts;
			ck_assert_msg(!rewrite_store(store, round, &fail), "%s", fail.text);
			sift_model(model, round);
			ck_assert_uint_lt(model->facts, before);
			ck_assert_uint_gt(model->facts, before / 3);
			compare_with_model(model, store);
			if (disk && round == 1) {
				st_close(store);
				store = open_store(dir);
				model_reopened(model);
				compare_with_model(model, store);
			}
		}
		batches(store, model, 3);
		maintain_store(store, 1000);
		compare_with_model(model, store);
		st_close(store);
		if (disk) {
			store = open_store(dir);
			model_reopened(model);
			compare_with_model(model, store);
			st_close(store);
			storedir_remove(dir);
		}
		model_free(model);
	}
}
END_TEST

static int drop_all(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	fact->count = 0;
	return PD_OK;
}

START_TEST(all_facts_may_go)
{
	char dir[256];
	struct pd_fail fail;
	storedir_new(dir, sizeof dir);
	struct model *model = model_new(MODEL_SEED);
	struct st_store *store = open_store(dir);
	ck_assert(!st_facts_rewrite(store, drop_all, NULL, &fail)); /* of a new store */
	batches(store, model, 8);
	maintain_store(store, 4);
	ck_assert(!st_facts_rewrite(store, drop_all, NULL, &fail));
	memset(model->fact, 0, sizeof model->fact);
	model->facts = 0;
	compare_with_model(model, store);
	st_close(store);
	store = open_store(dir);
	model_reopened(model);
	compare_with_model(model, store);
	batches(store, model, 2);
	compare_with_model(model, store);
	st_close(store);
	model_free(model);
	storedir_remove(dir);
}
END_TEST

/* Every n-th put and commit in turn: nothing has changed, the store is usable, and once there is room it goes through.
 */
START_TEST(a_full_disk_leaves_the_old_facts)
{
	for (unsigned i = 0; i < 4; i++) {
		char dir[256] = "";
		struct pd_fail fail = {.text = ""};
		bool disk = i % 2;
		enum st_fault kind = i / 2 ? ST_FAULT_COMMIT : ST_FAULT_PUT;
		unsigned failures = 0;
		int rc = 1;
		if (disk)
			storedir_new(dir, sizeof dir);
		struct model *model = model_new(MODEL_SEED + 100 + i);
		struct st_store *store = open_store(disk ? dir : NULL);
		batches(store, model, 8);
		if (disk)
			maintain_store(store, 3);
		for (unsigned n = 1; rc; n += kind == ST_FAULT_PUT ? 1 + n / 3 : 1) {
			st_fault(store, kind, n);
			rc = rewrite_store(store, 5, &fail);
			st_fault(store, kind, 0);
			if (!rc)
				sift_model(model, 5);
			else
				ck_assert_int_eq(rc, PD_E_NO_SPACE);
			failures += rc != 0;
			compare_with_model(model, store);
			batches(store, model, 1);
			if (disk)
				maintain_store(store, 2);
		}
		ck_assert_uint_ge(failures, disk ? 3 : 1);
		compare_with_model(model, store);
		st_close(store);
		if (disk)
			storedir_remove(dir);
		model_free(model);
	}
}
END_TEST

/* A disk so full that not even the half-built run can be emptied: its database is not used for anything else meanwhile.
 */
START_TEST(a_spoiled_run_is_left_alone)
{
	char dir[256];
	struct pd_fail fail;
	storedir_new(dir, sizeof dir);
	struct model *model = model_new(MODEL_SEED + 7);
	struct st_store *store = open_store(dir);
	batches(store, model, 8);
	for (unsigned n = 1; n <= 4; n++) { /* one of these commits is the one that cleans up */
		struct sieve sieve = {.salt = 3, .stop_at = 700};
		st_fault(store, ST_FAULT_COMMIT, n);
		int rc = st_facts_rewrite(store, filter, &sieve, &fail);
		st_fault(store, ST_FAULT_COMMIT, 0);
		ck_assert(rc == PD_E_CONFLICT || rc == PD_E_NO_SPACE);
		compare_with_model(model, store);
		batches(store, model, 2);
		maintain_store(store, 1000);
		compare_with_model(model, store);
	}
	ck_assert(!rewrite_store(store, 3, &fail));
	sift_model(model, 3);
	compare_with_model(model, store);
	batches(store, model, 3);
	maintain_store(store, 1000);
	compare_with_model(model, store);
	st_close(store);
	model_free(model);
	storedir_remove(dir);
}
END_TEST

static void rewrite_child(const char *dir, int ready)
{
	struct st_store *store;
	struct pd_fail fail;
	char byte = 1;
	if (st_open(dir, 0, &store, &fail))
		_exit(2);
	st_tune(store, &tuning);
	if (write(ready, &byte, 1) != 1)
		_exit(3);
	if (rewrite_store(store, 9, &fail))
		_exit(4);
	_exit(write(ready, &byte, 1) == 1 ? 0 : 3);
}

/* Kills a rewrite `delay_ns` after it began; UINT64_MAX: not at all. Returns the time it took, or had. */
static uint64_t run_and_kill(const char *dir, uint64_t delay_ns, bool *acknowledged)
{
	int pipes[2], status;
	char byte;
	ck_assert_int_eq(pipe(pipes), 0);
	pid_t pid = fork_child();
	if (!pid)
		rewrite_child(dir, pipes[1]);
	close(pipes[1]);
	ck_assert_int_eq(read(pipes[0], &byte, 1), 1);
	uint64_t start = pd_now_ns();
	struct pollfd waiting = {.fd = pipes[0], .events = POLLIN};
	while (pd_now_ns() - start < delay_ns && poll(&waiting, 1, 0) == 0)
		;
	uint64_t took = pd_now_ns() - start;
	if (delay_ns != UINT64_MAX)
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	*acknowledged = read(pipes[0], &byte, 1) == 1;
	ck_assert(WIFSIGNALED(status) || !WEXITSTATUS(status));
	close(pipes[0]);
	return took;
}

/* The moments are drawn from the time of the shortest rewrite so far, as the first may have been kept waiting; when too
 * few were early enough, as later ones may have been quicker still, earlier ones follow. */
START_TEST(a_killed_rewrite_leaves_the_old_facts_or_the_new_ones)
{
	char dir[256], copy[256];
	uint64_t random = getenv("PROOFD_SEED") ? strtoull(getenv("PROOFD_SEED"), NULL, 10) : 1, full = 0, took;
	unsigned old = 0, new = 0;
	storedir_new(dir, sizeof dir);
	struct model *before = model_new(MODEL_SEED), *after = model_new(MODEL_SEED);
	struct st_store *store = open_store(dir);
	batches(store, before, 30);
	maintain_store(store, 5);
	st_close(store);
	for (unsigned i = 0; i < 30; i++)
		model_batch(after, NULL, NULL);
	model_reopened(before);
	model_reopened(after);
	sift_model(after, 9);
	for (unsigned round = 0; round < KILLS || old < 3; round++) {
		bool acknowledged;
		struct pd_fail fail = {.text = ""};
		storedir_copy(dir, copy, sizeof copy);
		if (!round)
			took = full = run_and_kill(copy, UINT64_MAX, &acknowledged);
		else
			took = run_and_kill(copy, model_random(&random, 1 + full + full / 4), &acknowledged);
		ck_assert(round || acknowledged);
		if (acknowledged && took < full)
			full = took;
		if (round >= KILLS)
			full /= 2;
		store = NULL;
		ck_assert_msg(!st_open(copy, 0, &store, &fail), "%s", fail.text);
		const char *text = model_compare(after, store);
		new += !text;
		old += text != NULL;
		ck_assert_msg(!acknowledged || !text, "an acknowledged rewrite is lost: %s", text);
		compare_with_model(text ? before : after, store);
		if (text) { /* and it can be done again */
			ck_assert(!rewrite_store(store, 9, &fail));
			compare_with_model(after, store);
		}
		st_close(store);
		storedir_remove(copy);
	}
	ck_assert_uint_ge(new, 1);
	model_free(before);
	model_free(after);
	storedir_remove(dir);
}
END_TEST

/* The reader: sees the old facts, and the new ones when it has looked again. */
static void reader_child(const char *dir, const struct model *before, const struct model *after, int in, int out)
{
	struct st_store *store;
	struct pd_fail fail;
	char byte;
	if (read(in, &byte, 1) != 1 || st_open(dir, ST_READ_ONLY, &store, &fail))
		_exit(2);
	if (model_compare(before, store))
		_exit(3);
	if (write(out, "x", 1) != 1 || read(in, &byte, 1) != 1)
		_exit(4);
	if (st_facts_maintain(store, false, &fail) < 0)
		_exit(5);
	const char *text = model_compare(after, store);
	if (text)
		fprintf(stderr, "%s\n", text);
	_exit(text ? 6 : 0);
}

START_TEST(a_second_reader_follows)
{
	for (unsigned steps = 0; steps < 12; steps += 4) {
		char dir[256], byte = 1;
		int to[2], from[2], status;
		struct pd_fail fail;
		storedir_new(dir, sizeof dir);
		struct model *before = model_new(MODEL_SEED + 1), *after = model_new(MODEL_SEED + 1);
		for (unsigned i = 0; i < 10; i++) {
			model_batch(before, NULL, NULL);
			model_batch(after, NULL, NULL);
		}
		sift_model(after, 1);
		ck_assert(!pipe(to) && !pipe(from));
		pid_t pid = fork_child();
		if (!pid)
			reader_child(dir, before, after, to[0], from[1]);
		struct model *model = model_new(MODEL_SEED + 1);
		struct st_store *store = open_store(dir);
		batches(store, model, 7);
		maintain_store(store, steps);
		batches(store, model, 3);
		ck_assert(write(to[1], &byte, 1) == 1 && read(from[0], &byte, 1) == 1);
		ck_assert(!rewrite_store(store, 1, &fail));
		ck_assert(write(to[1], &byte, 1) == 1);
		waitpid(pid, &status, 0);
		ck_assert(WIFEXITED(status));
		ck_assert_int_eq(WEXITSTATUS(status), 0);
		st_close(store);
		for (unsigned i = 0; i < 2; i++) {
			close(to[i]);
			close(from[i]);
		}
		model_free(before);
		model_free(after);
		model_free(model);
		storedir_remove(dir);
	}
}
END_TEST

START_TEST(a_store_for_reading_refuses)
{
	char dir[256];
	struct pd_fail fail;
	struct st_store *store;
	storedir_new(dir, sizeof dir);
	st_close(open_store(dir));
	ck_assert(!st_open(dir, ST_READ_ONLY, &store, &fail));
	ck_assert_int_eq(rewrite_store(store, 0, &fail), PD_E_UNSUPPORTED);
	st_close(store);
	storedir_remove(dir);
}
END_TEST

SUITE(rewrite)
{
	tcase_set_timeout(c, 110);
	tcase_add_test(c, what_the_filter_leaves_is_there);
	tcase_add_test(c, all_facts_may_go);
	tcase_add_test(c, a_full_disk_leaves_the_old_facts);
	tcase_add_test(c, a_spoiled_run_is_left_alone);
	tcase_add_test(c, a_killed_rewrite_leaves_the_old_facts_or_the_new_ones);
	tcase_add_test(c, a_second_reader_follows);
	tcase_add_test(c, a_store_for_reading_refuses);
}
