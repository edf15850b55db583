/* S1, S2, S4, S5: whatever happens, the store has what a trivial model has. PROOFD_SEED=N replays a run. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/effort.h"
#include "tests/support/storedir.h"
#include "tests/support/storemodel.h"
#include "tests/support/suite.h"

static uint64_t seed_of_run(void)
{
	const char *text = getenv("PROOFD_SEED");
	return text ? strtoull(text, NULL, 10) : 20260131;
}

static struct st_store *open_store(const char *dir, const struct st_tuning *tuning)
{
	struct st_store *store = NULL;
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(st_open(dir, 0, &store, &fail) == 0, "%s", fail.text);
	st_tune(store, tuning);
	return store;
}

static void note_problem(void *ctx, const char *text)
{
	fprintf(stderr, "check: %s\n", text);
	++*(unsigned *)ctx;
}

static void compare_with_model(const struct model *model, struct st_store *store, const char *when)
{
	const char *text = model_compare(model, store);
	ck_assert_msg(!text, "seed %llu, batch %llu, %s: %s", (unsigned long long)model->seed,
		      (unsigned long long)model->batches, when, text);
	unsigned problems = 0;
	struct pd_fail fail = {.text = ""};
	int64_t rc = st_check(store, note_problem, &problems, &fail);
	ck_assert_msg(rc == 0 && !problems, "seed %llu, batch %llu, %s: %lld problems %s",
		      (unsigned long long)model->seed, (unsigned long long)model->batches, when, (long long)rc,
		      fail.text);
}

/* Runs `count` batches with what happens between them drawn from the seed. */
static void run_batches(uint64_t seed, const char *dir, unsigned count)
{
	struct model *model = model_new(seed);
	uint64_t random = seed ^ 0x5eed;
	struct st_tuning tuning = {.flush_facts = 100 + model_random(&random, 900),
				   .step_facts = 10 + (uint32_t)model_random(&random, 400),
				   .compaction_width = 2 + (uint32_t)model_random(&random, 4)};
	struct st_store *store = open_store(dir, &tuning);
	for (unsigned i = 0; i < count; i++) {
		struct st_batch *batch;
		struct pd_fail fail = {.text = ""};
		ck_assert_msg(st_batch_begin(store, &batch, &fail) == 0, "%s", fail.text);
		if (model_random(&random, 8) == 0) { /* a batch that is given up leaves nothing */
			struct model *copy = model_new(seed);
			model_copy(copy, model);
			ck_assert_msg(model_batch(copy, batch, &fail) == 0, "%s", fail.text);
			st_batch_abort(batch);
			model_free(copy);
			ck_assert_msg(st_batch_begin(store, &batch, &fail) == 0, "%s", fail.text);
		}
		ck_assert_msg(model_batch(model, batch, &fail) == 0, "%s", fail.text);
		ck_assert_msg(st_batch_commit(batch, &fail) == 0, "%s", fail.text);
		for (uint64_t n = model_random(&random, 6); n; n--)
			ck_assert_msg(st_facts_maintain(store, model_random(&random, 4) == 0, &fail) >= 0, "%s",
				      fail.text);
		if (model_random(&random, 10) == 0)
			compare_with_model(model, store, "running");
		if (dir && model_random(&random, 12) == 0) {
			st_close(store);
			store = open_store(dir, &tuning);
			model_reopened(model);
			compare_with_model(model, store, "opened again");
		}
	}
	struct pd_fail fail;
	while (st_facts_maintain(store, true, &fail) == 1)
		;
	compare_with_model(model, store, "at rest");
	struct st_stats stats;
	st_stats(store, &stats);
	if (dir)
		ck_assert_msg(stats.runs <= 1 && stats.memtable == 0, "%llu runs", (unsigned long long)stats.runs);
	ck_assert_uint_eq(stats.facts, model->facts);
	st_close(store);
	model_free(model);
}

START_TEST(a_store_on_disk_has_what_the_model_has)
{
	char dir[256];
	storedir_new(dir, sizeof dir);
	run_batches(seed_of_run() + (uint64_t)_i, dir, effort_of(150, 40));
	storedir_remove(dir);
}
END_TEST

START_TEST(a_store_in_memory_has_what_the_model_has)
{
	run_batches(seed_of_run() + (uint64_t)_i, NULL, 150);
}
END_TEST

SUITE(model)
{
	int runs = (int)effort_of(6, 1);
	tcase_set_timeout(c, 100);
	tcase_add_loop_test(c, a_store_on_disk_has_what_the_model_has, 0, runs);
	tcase_add_loop_test(c, a_store_in_memory_has_what_the_model_has, 0, runs);
}
