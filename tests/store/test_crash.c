/* D1, D2: a store whose process was killed at any moment opens by itself, has every batch that was acknowledged, whole,
 * and of the batch in progress all or nothing. PROOFD_SEED=N replays the drawing of moments. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/child.h"
#include "tests/support/effort.h"
#include "tests/support/storedir.h"
#include "tests/support/storemodel.h"
#include "tests/support/suite.h"

enum { MODEL_SEED = 4711, KILLS = 50, STEPS_MAX = 60 };

static const struct st_tuning tuning = {.flush_facts = 400, .step_facts = 200, .compaction_width = 2};

/* After how many batches the store was opened: each start abandons open snapshots. */
struct history {
	uint64_t start[2 * KILLS + STEPS_MAX];
	unsigned starts;
};

static uint64_t seed_of_run(void)
{
	const char *text = getenv("PROOFD_SEED");
	return text ? strtoull(text, NULL, 10) : 1;
}

/* The model after that many batches. */
static struct model *replay(const struct history *history, uint64_t batches)
{
	struct model *model = model_new(MODEL_SEED);
	struct pd_fail fail;
	unsigned next = 0;
	for (uint64_t n = 0;; n++) {
		for (; next < history->starts && history->start[next] == n; next++)
			model_reopened(model);
		if (n == batches)
			return model;
		model_batch(model, NULL, &fail);
	}
}

/* In a child: opens the store and the model that belongs to it. */
static struct model *resume(const char *dir, const struct history *history, struct st_store **store)
{
	struct pd_fail fail;
	if (st_open(dir, 0, store, &fail))
		_exit(2);
	st_tune(*store, &tuning);
	struct model *model = replay(history, model_batches_of(*store));
	model_reopened(model);
	return model;
}

static void one_batch(struct st_store *store, struct model *model)
{
	struct st_batch *batch;
	struct pd_fail fail;
	if (st_batch_begin(store, &batch, &fail) || model_batch(model, batch, &fail) || st_batch_commit(batch, &fail))
		_exit(3);
}

/* The child that is killed: writes a byte into the pipe for every acknowledged batch. When it has done plenty, because
 * its parent was kept waiting, it stands still. */
static void write_history(const char *dir, const struct history *history, int acknowledge)
{
	struct st_store *store;
	struct pd_fail fail;
	struct model *model = resume(dir, history, &store);
	for (unsigned i = 0; i < 1000; i++) {
		char byte = 1;
		one_batch(store, model);
		if (write(acknowledge, &byte, 1) != 1)
			_exit(4);
		for (unsigned k = 0; k < 3; k++)
			if (st_facts_maintain(store, i % 4 == 0, &fail) < 0)
				_exit(5);
	}
	for (;;)
		pause();
}

static void count_problem(void *ctx, const char *text)
{
	fprintf(stderr, "check: %s\n", text);
	++*(unsigned *)ctx;
}

/* Opens what a child left, compares, and closes. Returns the number of batches, which lies in [least, most]. */
static uint64_t verify_history(const char *dir, struct history *history, uint64_t least, uint64_t most)
{
	struct st_store *store = NULL;
	struct pd_fail fail = {.text = ""};
	unsigned problems = 0;
	ck_assert_msg(st_open(dir, 0, &store, &fail) == 0, "%s", fail.text);
	uint64_t batches = model_batches_of(store);
	ck_assert_msg(batches >= least && batches <= most, "%llu batches, %llu were acknowledged",
		      (unsigned long long)batches, (unsigned long long)least);
	history->start[history->starts++] = batches;
	struct model *model = replay(history, batches);
	const char *text = model_compare(model, store);
	ck_assert_msg(!text, "after %llu batches: %s", (unsigned long long)batches, text);
	ck_assert_msg(st_check(store, count_problem, &problems, &fail) == 0, "after %llu batches",
		      (unsigned long long)batches);
	model_free(model);
	st_close(store);
	return batches;
}

START_TEST(a_killed_store_has_every_acknowledged_batch)
{
	char dir[256], byte;
	struct history history = {.starts = 0};
	uint64_t random = seed_of_run(), batches = 0;
	storedir_new(dir, sizeof dir);
	for (unsigned round = 0; round < effort_of(KILLS, 5); round++) {
		int pipes[2], status;
		ck_assert_int_eq(pipe(pipes), 0);
		pid_t pid = fork_child();
		if (!pid) {
			close(pipes[0]);
			write_history(dir, &history, pipes[1]);
		}
		close(pipes[1]);
		/* Killed a drawn number of acknowledgements and turns of a loop later. */
		uint64_t seen = 0, wanted = model_random(&random, 6);
		while (seen < wanted && read(pipes[0], &byte, 1) == 1)
			seen++;
		for (volatile uint64_t spin = model_random(&random, 2000000); spin; spin--)
			;
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		ck_assert_msg(WIFSIGNALED(status), "the child ended with %d", WEXITSTATUS(status));
		while (read(pipes[0], &byte, 1) == 1)
			seen++;
		close(pipes[0]);
		batches = verify_history(dir, &history, batches + seen, batches + seen + 1);
	}
	storedir_remove(dir);
}
END_TEST

/* A flush and the merges after it, stopped after 0, 1, 2, ... of their steps; the next process goes through with it. */
START_TEST(maintenance_may_stop_after_any_step)
{
	char dir[256];
	struct history history = {.starts = 0};
	uint64_t batches = 0;
	bool done = false;
	storedir_new(dir, sizeof dir);
	for (unsigned steps = 0; !done && steps < STEPS_MAX; steps++) {
		int status;
		pid_t pid = fork_child();
		if (!pid) {
			struct st_store *store;
			struct pd_fail fail;
			struct model *model = resume(dir, &history, &store);
			int rc = 1;
			for (unsigned i = 0; i < 2; i++)
				one_batch(store, model);
			for (unsigned i = 0; i < steps && rc == 1; i++)
				rc = st_facts_maintain(store, true, &fail);
			_exit(rc < 0 ? 4 : rc == 1 ? 10 : 11);
		}
		waitpid(pid, &status, 0);
		ck_assert(WIFEXITED(status));
		ck_assert_int_ge(WEXITSTATUS(status), 10);
		done = WEXITSTATUS(status) == 11;
		batches = verify_history(dir, &history, batches + 2, batches + 2);
	}
	ck_assert(done);
	storedir_remove(dir);
}
END_TEST

SUITE(crash)
{
	tcase_set_timeout(c, 110);
	tcase_add_test(c, a_killed_store_has_every_acknowledged_batch);
	tcase_add_test(c, maintenance_may_stop_after_any_step);
}
