/* The contract of store.h, one behaviour a test: D1, D4, D5, F4. Most run on disk and in memory alike (S5). */

#include <fcntl.h>
#include <lmdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/store/store_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/storemodel.h"

/* --- jobs, events, games ------------------------------------------------------------------ */

static int copy_text(void *ctx, const void *record, size_t size)
{
	char *text = ctx;
	strncat(text, record, size);
	strcat(text, ";");
	return 0;
}

static int copy_job(void *ctx, uint32_t job, const void *record, size_t size)
{
	char *text = ctx;
	sprintf(text + strlen(text), "%u=", (unsigned)job);
	return copy_text(text, record, size);
}

START_TEST(jobs_and_events_come_back_in_order)
{
	struct fixture f;
	char text[200] = "";
	uint32_t a, b;
	set_up(&f, _i);
	struct st_batch *batch = begin_batch(&f);
	OK(st_batch_job_new(batch, &a, &f.fail));
	OK(st_batch_job_new(batch, &b, &f.fail));
	OK(st_batch_job_put(batch, b, "two", 3, &f.fail));
	OK(st_batch_job_put(batch, a, "one", 3, &f.fail));
	OK(st_batch_event(batch, b, "x", 1, &f.fail));
	OK(st_batch_event(batch, a, "p", 1, &f.fail));
	OK(st_batch_event(batch, a, "q", 1, &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	batch = begin_batch(&f);
	OK(st_batch_event(batch, a, "r", 1, &f.fail));
	OK(st_batch_job_put(batch, a, "uno", 3, &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	if (_i)
		reopen_store(&f);
	OK(st_job_each(f.store, copy_job, text, &f.fail));
	ck_assert_str_eq(text, "1=uno;2=two;");
	text[0] = 0;
	OK(st_event_each(f.store, a, 2, copy_text, text, &f.fail));
	ck_assert_str_eq(text, "q;r;");
	text[0] = 0;
	OK(st_event_each(f.store, a, 100, copy_text, text, &f.fail));
	OK(st_event_each(f.store, b, 100, copy_text, text, &f.fail));
	OK(st_event_each(f.store, 3, 100, copy_text, text, &f.fail));
	OK(st_event_each(f.store, a, 0, copy_text, text, &f.fail));
	ck_assert_str_eq(text, "p;q;r;x;");
	tear_down(&f);
}
END_TEST

static int stop_walk(void *ctx, uint32_t job, const void *record, size_t size)
{
	*(uint32_t *)ctx = job;
	return PD_E_NOT_FOUND; /* a code that means something inside the store */
}

START_TEST(a_walk_that_is_ended_returns_what_ended_it)
{
	struct fixture f;
	uint32_t a, b, seen = 0;
	set_up(&f, _i);
	struct st_batch *batch = begin_batch(&f);
	OK(st_batch_job_new(batch, &a, &f.fail));
	OK(st_batch_job_new(batch, &b, &f.fail));
	OK(st_batch_job_put(batch, a, "", 0, &f.fail));
	OK(st_batch_job_put(batch, b, NULL, 0, &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	ck_assert_int_eq(st_job_each(f.store, stop_walk, &seen, &f.fail), PD_E_NOT_FOUND);
	ck_assert_uint_eq(seen, 1);
	tear_down(&f);
}
END_TEST

START_TEST(what_is_out_of_range_is_refused_and_does_no_harm)
{
	struct fixture f;
	uint32_t job;
	static uint8_t big[ST_JOB_MAX + 1];
	struct st_tt_entry entry = {{1}};
	set_up(&f, _i);
	struct st_batch *batch = begin_batch(&f);
	struct pd_reason r = make_reason(PD_LO, 1, 1);
	OK(st_batch_job_new(batch, &job, &f.fail));
	ck_assert_int_eq(st_batch_job_put(batch, job, big, sizeof big, &f.fail), PD_E_LIMIT);
	ck_assert_int_eq(st_batch_event(batch, job, big, ST_EVENT_MAX + 1, &f.fail), PD_E_LIMIT);
	ck_assert_int_eq(st_batch_job_put(batch, 2, big, 1, &f.fail), PD_E_NO_JOB);
	ck_assert_int_eq(st_batch_event(batch, 0, big, 1, &f.fail), PD_E_NO_JOB);
	ck_assert_int_eq(st_batch_tt(batch, 2, &entry, 1, &f.fail), PD_E_NO_JOB);
	ck_assert_int_eq(st_batch_snapshot_put(batch, job, &entry, 0, &f.fail), PD_E_STATE);
	ck_assert_int_eq(st_batch_snapshot_put(batch, job, &entry, 1, &f.fail), PD_E_STATE);
	ck_assert_int_eq(st_batch_snapshot_end(batch, job, &f.fail), PD_E_STATE);
	ck_assert_int_eq(st_batch_fact(batch, 1, big, 5, &r, &f.fail), PD_E_GAME);
	OK(st_batch_game(batch, "g", 1, &job, &f.fail));
	ck_assert_int_eq(st_batch_fact(batch, 1, big, 0, &r, &f.fail), PD_E_LIMIT);
	ck_assert_int_eq(st_batch_fact(batch, 1, big, ST_KEY_MAX + 1, &r, &f.fail), PD_E_LIMIT);
	OK(st_batch_fact(batch, 1, big, ST_KEY_MAX, &r, &f.fail));
	OK(st_batch_job_put(batch, 1, big, ST_JOB_MAX, &f.fail));
	OK(st_batch_event(batch, 1, big, ST_EVENT_MAX, &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	settle_store(&f);
	struct st_reader *reader;
	struct pd_fact fact = {0};
	OK(st_reader_open(f.store, &reader, &f.fail));
	ck_assert_int_eq(st_fact_get(reader, 1, big, ST_KEY_MAX, &fact, &f.fail), 1);
	ck_assert_int_eq(st_fact_get(reader, 1, big, ST_KEY_MAX - 1, &fact, &f.fail), 0);
	st_reader_close(reader);
	tear_down(&f);
}
END_TEST

static void count_game(void *ctx, uint32_t id, const char *name, uint64_t rules_version)
{
	char *text = ctx;
	sprintf(text + strlen(text), "%u=%s/%u;", (unsigned)id, name, (unsigned)rules_version);
}

START_TEST(games_keep_their_numbers)
{
	struct fixture f;
	uint32_t id;
	char text[100] = "";
	set_up(&f, _i);
	struct st_batch *batch = begin_batch(&f);
	OK(st_batch_game(batch, "a", 1, &id, &f.fail));
	ck_assert_uint_eq(id, 1);
	OK(st_batch_game(batch, "a", 2, &id, &f.fail));
	ck_assert_uint_eq(id, 2);
	OK(st_batch_game(batch, "a", 1, &id, &f.fail));
	ck_assert_uint_eq(id, 1);
	ck_assert_uint_eq(st_game_find(f.store, "a", 1), 0); /* not yet committed */
	st_batch_abort(batch);
	batch = begin_batch(&f);
	OK(st_batch_game(batch, "b", 9, &id, &f.fail));
	ck_assert_uint_eq(id, 1);
	OK(st_batch_commit(batch, &f.fail));
	if (_i)
		reopen_store(&f);
	batch = begin_batch(&f);
	OK(st_batch_game(batch, "c", 9, &id, &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	if (_i)
		reopen_store(&f);
	ck_assert_uint_eq(st_game_find(f.store, "b", 9), 1);
	ck_assert_uint_eq(st_game_find(f.store, "b", 8), 0);
	ck_assert_uint_eq(st_game_find(f.store, "a", 1), 0);
	st_game_each(f.store, count_game, text);
	ck_assert_str_eq(text, "1=b/9;2=c/9;");
	tear_down(&f);
}
END_TEST

/* --- facts -------------------------------------------------------------------------------- */

START_TEST(a_fact_is_seen_from_its_commit_on)
{
	struct fixture f;
	struct pd_fact fact = {0};
	set_up(&f, _i);
	one_game(&f);
	struct st_batch *batch = begin_batch(&f);
	OK(add_fact(batch, "pos", make_reason(PD_LO, 0, 5), &f.fail));
	ck_assert_int_eq(get_fact(&f, "pos", &fact), 0);
	OK(st_batch_commit(batch, &f.fail));
	ck_assert_int_eq(get_fact(&f, "pos", &fact), 1);
	ck_assert_int_eq(fact.count, 1);
	settle_store(&f);
	batch = begin_batch(&f);
	OK(add_fact(batch, "pos", make_reason(PD_LO, 1, 9), &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	if (_i)
		reopen_store(&f);
	ck_assert_int_eq(get_fact(&f, "pos", &fact), 1);
	ck_assert_int_eq(fact.count, 2); /* one from the run, one from the memtable */
	ck_assert_int_eq(fact.few[0].bound, 1);
	ck_assert_int_eq(fact.few[1].rank, 5);
	ck_assert_int_eq(get_fact(&f, "po", &fact), 0);
	tear_down(&f);
}
END_TEST

/* F4: in the batch (0), in the memtable (1), in a run (2). */
START_TEST(a_contradiction_is_refused_and_kept)
{
	struct fixture f;
	struct pd_fact fact = {0};
	int problems = 0;
	set_up(&f, _i < 3);
	one_game(&f);
	struct st_batch *batch = begin_batch(&f);
	OK(add_fact(batch, "pos", make_reason(PD_LO, 1, 3), &f.fail));
	if (_i) {
		OK(st_batch_commit(batch, &f.fail));
		if (_i == 2)
			settle_store(&f);
		batch = begin_batch(&f);
	}
	OK(add_fact(batch, "other", make_reason(PD_LO, 1, 3), &f.fail));
	ck_assert_int_eq(add_fact(batch, "pos", make_reason(PD_HI, 0, 4), &f.fail), PD_E_CONFLICT);
	ck_assert_ptr_nonnull(strstr(f.fail.text, ">= 1"));
	ck_assert_ptr_nonnull(strstr(f.fail.text, "<= 0"));
	ck_assert_int_eq(add_fact(batch, "third", make_reason(PD_HI, 0, 4), &f.fail), PD_E_CONFLICT);
	if (_i == 1)
		ck_assert_int_eq(st_batch_commit(batch, &f.fail), PD_E_CONFLICT);
	else
		st_batch_abort(batch);
	ck_assert_int_eq(get_fact(&f, "other", &fact), 0);
	ck_assert_int_eq(get_fact(&f, "pos", &fact), _i != 0);
	if (_i < 3)
		reopen_store(&f);
	ck_assert_int_eq(st_check(f.store, count_problem, &problems, &f.fail), 1);
	ck_assert_int_eq(problems, 1);
	tear_down(&f);
}
END_TEST

static int drop_named(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	if (size == 1 && key[0] == *(const char *)ctx)
		fact->count = 0;
	return PD_OK;
}

START_TEST(a_contradiction_is_settled_when_the_stored_fact_is_gone)
{
	static const char names[][2] = {"a", "b", "c"};
	static const int left[] = {2, 2, 0};
	struct fixture f;
	set_up(&f, true);
	one_game(&f);
	struct st_batch *batch = begin_batch(&f);
	for (unsigned i = 0; i < 3; i++)
		OK(add_fact(batch, names[i], make_reason(PD_LO, 1, 3), &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	for (unsigned i = 0; i < 3; i++) {
		batch = begin_batch(&f);
		ck_assert_int_eq(add_fact(batch, names[i], make_reason(PD_HI, 0, 4), &f.fail), PD_E_CONFLICT);
		st_batch_abort(batch);
	}
	OK(st_conflicts_settle(f.store, &f.fail));
	ck_assert_int_eq(st_check(f.store, count_problem, &(int){0}, &f.fail), 3);
	for (unsigned i = 0; i < 3; i++) { /* the first of them first: the others get new numbers */
		OK(st_facts_rewrite(f.store, drop_named, (void *)(uintptr_t)names[i], &f.fail));
		OK(st_conflicts_settle(f.store, &f.fail));
		ck_assert_int_eq(st_check(f.store, count_problem, &(int){0}, &f.fail), left[i]);
		if (i)
			continue;
		batch = begin_batch(&f); /* another one takes no place of theirs */
		ck_assert_int_eq(add_fact(batch, "c", make_reason(PD_HI, 0, 4), &f.fail), PD_E_CONFLICT);
		st_batch_abort(batch);
		ck_assert_int_eq(st_check(f.store, count_problem, &(int){0}, &f.fail), 3);
		reopen_store(&f);
		OK(st_conflicts_settle(f.store, &f.fail));
	}
	tear_down(&f);
}
END_TEST

/* However many values a scale has: in memory, in the memtable, out of the log, in a run, in two runs and in their
 * merger. */
START_TEST(a_fact_has_as_many_reasons_as_there_are_bounds)
{
	enum { WAYS = 2 };
	const int many = (int)effort_of(3000, 600);
	struct fixture f;
	struct pd_fact fact = {0};
	set_up(&f, _i);
	one_game(&f);
	for (unsigned way = 0; way < WAYS; way++) { /* even bounds, then the odd ones between them */
		struct st_batch *batch = begin_batch(&f);
		for (int i = (int)way; i < many; i += WAYS) {
			OK(add_fact(batch, "pos", make_reason(PD_LO, i - 4000, i + 1), &f.fail));
			OK(add_fact(batch, "pos", make_reason(PD_HI, 4000 - i, i + 1), &f.fail));
			OK(add_fact(batch, "another", make_reason(PD_LO, i, i + 1), &f.fail));
		}
		OK(st_batch_commit(batch, &f.fail));
		if (_i)
			reopen_store(&f);
		ck_assert_int_eq(get_fact(&f, "pos", &fact), 1);
		ck_assert_uint_eq(fact.count, 2 * (unsigned)many / WAYS * (way + 1));
		settle_store(&f);
		ck_assert_int_eq(get_fact(&f, "pos", &fact), 1);
		ck_assert_uint_eq(fact.count, 2 * (unsigned)many / WAYS * (way + 1));
	}
	for (int i = 0; i < many; i++)
		ck_assert_int_eq(pd_fact_find(&fact, PD_LO, i - 4000)->rank, i + 1);
	ck_assert_int_eq(st_check(f.store, count_problem, &(int){0}, &f.fail), 0);
	pd_fact_fini(&fact);
	tear_down(&f);
}
END_TEST

START_TEST(what_is_known_is_not_written_again)
{
	struct fixture f;
	set_up(&f, true);
	one_game(&f);
	struct st_batch *batch = begin_batch(&f);
	OK(add_fact(batch, "pos", make_reason(PD_LO, 1, 3), &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	settle_store(&f);
	batch = begin_batch(&f);
	OK(add_fact(batch, "pos", make_reason(PD_LO, 1, 3), &f.fail));
	OK(add_fact(batch, "pos", make_reason(PD_LO, 0, 3), &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	struct st_stats stats;
	st_stats(f.store, &stats);
	ck_assert_uint_eq(stats.memtable, 0);
	ck_assert_uint_eq(stats.facts, 1);
	tear_down(&f);
}
END_TEST

/* Records of one position follow each other over the borders of blocks, where each block must stand for itself. */
START_TEST(a_fact_that_grows_often_comes_back)
{
	struct fixture f;
	struct pd_fact fact = {0};
	set_up(&f, true);
	one_game(&f);
	struct st_batch *batch = begin_batch(&f);
	for (int rank = 5000; rank; rank--)
		OK(add_fact(batch, "pos", make_reason(PD_LO, 1, rank), &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	reopen_store(&f);
	ck_assert_int_eq(get_fact(&f, "pos", &fact), 1);
	ck_assert_int_eq(fact.count, 1);
	ck_assert_int_eq(fact.few[0].rank, 1);
	ck_assert_int_eq(st_check(f.store, count_problem, &(int){0}, &f.fail), 0);
	tear_down(&f);
}
END_TEST

START_TEST(a_start_abandons_an_open_snapshot)
{
	struct fixture f;
	struct st_tt_entry entry = {{1}};
	set_up(&f, true);
	one_game(&f);
	struct st_batch *batch = begin_batch(&f);
	OK(st_batch_snapshot_start(batch, 1, &f.fail));
	OK(st_batch_snapshot_put(batch, 1, &entry, 1, &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	reopen_store(&f);
	batch = begin_batch(&f);
	ck_assert_int_eq(st_batch_snapshot_put(batch, 1, &entry, 1, &f.fail), PD_E_STATE);
	ck_assert_int_eq(st_batch_snapshot_end(batch, 1, &f.fail), PD_E_STATE);
	OK(st_batch_commit(batch, &f.fail));
	tear_down(&f);
}
END_TEST

/* --- failures (D4) ------------------------------------------------------------------------ */

/* Fails the k-th put, then the k-th commit, of a series of batches and maintenance, for every k until nothing fails any
 * more. */
START_TEST(every_failure_leaves_the_store_as_it_was)
{
	struct st_tuning tuning = {.flush_facts = 300, .step_facts = 150, .compaction_width = 2};
	enum st_fault kind = _i / 2 ? ST_FAULT_COMMIT : ST_FAULT_PUT;
	bool failed = true;
	for (unsigned k = 1; failed; k += kind == ST_FAULT_PUT && k > 60 ? k / 8 : effort() < 100 ? 1 + k / 3 : 1) {
		struct fixture f;
		struct model *model = model_new(77);
		failed = false;
		set_up(&f, _i % 2);
		st_tune(f.store, &tuning);
		st_fault(f.store, kind, k);
		while (model->batches < 6) {
			struct model *next = model_new(77);
			model_copy(next, model);
			struct st_batch *batch = begin_batch(&f);
			int rc = model_batch(next, batch, &f.fail);
			if (rc)
				st_batch_abort(batch);
			else
				rc = st_batch_commit(batch, &f.fail);
			if (!rc)
				model_copy(model, next);
			else
				ck_assert_msg(rc == PD_E_NO_SPACE && !failed, "k %u: %d %s", k, rc, f.fail.text);
			failed |= rc != 0;
			model_free(next);
			rc = st_facts_maintain(f.store, model->batches % 2 == 0, &f.fail);
			ck_assert(rc >= 0 || (f.fail.code == PD_E_NO_SPACE && !failed));
			failed |= rc < 0;
			if (rc < 0 || model->batches == 6) {
				const char *text = model_compare(model, f.store);
				ck_assert_msg(!text, "k %u: %s", k, text);
			}
		}
		for (unsigned i = 0; i < 100; i++) {
			int rc = st_facts_maintain(f.store, true, &f.fail);
			ck_assert(rc >= 0 || (f.fail.code == PD_E_NO_SPACE && !failed));
			failed |= rc < 0;
			if (!rc)
				break;
		}
		const char *text = model_compare(model, f.store);
		ck_assert_msg(!text, "k %u, at the end: %s", k, text);
		int problems = 0;
		ck_assert_int_eq(st_check(f.store, count_problem, &problems, &f.fail), 0);
		if (_i % 2) {
			reopen_store(&f);
			model_reopened(model);
			text = model_compare(model, f.store);
			ck_assert_msg(!text, "k %u, opened again: %s", k, text);
		}
		model_free(model);
		tear_down(&f);
	}
}
END_TEST

/* A real failure of write: the limit on file sizes stands for a disk that is full and is made room on later. */
START_TEST(a_full_disk_pauses_and_loses_nothing)
{
	struct fixture f;
	struct model *model = model_new(5);
	struct rlimit limit, before;
	unsigned failures = 0;
	signal(SIGXFSZ, SIG_IGN);
	set_up(&f, true);
	getrlimit(RLIMIT_FSIZE, &before);
	for (unsigned i = 0; i < effort_of(60, 12); i++) {
		struct st_stats stats;
		st_stats(f.store, &stats);
		limit = before;
		uint64_t largest = stats.work_bytes > stats.facts_bytes ? stats.work_bytes : stats.facts_bytes;
		if (i % 3) /* little room in two of three rounds */
			limit.rlim_cur = largest + 4096 * (i % 7);
		setrlimit(RLIMIT_FSIZE, &limit);
		struct model *next = model_new(5);
		model_copy(next, model);
		struct st_batch *batch = begin_batch(&f);
		int rc = model_batch(next, batch, &f.fail);
		if (rc)
			st_batch_abort(batch);
		else
			rc = st_batch_commit(batch, &f.fail);
		ck_assert_msg(!rc || rc == PD_E_NO_SPACE, "%d %s", rc, f.fail.text);
		if (!rc)
			model_copy(model, next);
		failures += rc != 0;
		model_free(next);
		rc = st_facts_maintain(f.store, true, &f.fail);
		ck_assert_msg(rc >= 0 || f.fail.code == PD_E_NO_SPACE, "%s", f.fail.text);
		failures += rc < 0;
		const char *text = model_compare(model, f.store);
		ck_assert_msg(!text, "round %u: %s", i, text);
	}
	setrlimit(RLIMIT_FSIZE, &before);
	ck_assert_uint_gt(failures, 0);
	reopen_store(&f);
	model_reopened(model);
	const char *text = model_compare(model, f.store);
	ck_assert_msg(!text, "%s", text);
	model_free(model);
	tear_down(&f);
}
END_TEST

START_TEST(commits_are_counted_as_they_went)
{
	struct fixture f;
	struct st_stats s;
	uint64_t sum = 0;
	uint32_t job;
	set_up(&f, _i % 2);
	enum st_fault kind = _i / 2 ? ST_FAULT_COMMIT : ST_FAULT_PUT;
	for (unsigned round = 0; round < 3; round++) {
		st_fault(f.store, kind, round == 1 ? ST_FAULT_ALWAYS : 0);
		struct st_batch *batch = begin_batch(&f);
		int rc = st_batch_job_new(batch, &job, &f.fail);
		rc = rc ? rc : st_batch_job_put(batch, job, "one", 3, &f.fail);
		if (rc)
			st_batch_abort(batch);
		else
			rc = st_batch_commit(batch, &f.fail);
		ck_assert_int_eq(rc, round == 1 ? PD_E_NO_SPACE : PD_OK);
		st_stats(f.store, &s);
		ck_assert_int_eq(s.commit_error, rc);
		ck_assert_uint_eq(s.commit_failures, round != 0);
	}
	for (unsigned i = 0; i < ST_COMMIT_BUCKETS; i++)
		sum += s.commit_bucket[i];
	ck_assert_uint_eq(sum, s.commits);
	ck_assert(s.commits >= 2 && s.commit_ns_sum >= s.commit_ns_max && s.commit_ns_max >= s.commit_ns_last);
	/* An abort that nothing failed before is no failure. */
	st_batch_abort(begin_batch(&f));
	st_stats(f.store, &s);
	ck_assert_uint_eq(s.commit_failures, 1);
	ck_assert_int_eq(s.commit_error, PD_OK);
	tear_down(&f);
}
END_TEST

START_TEST(statistics_count)
{
	struct fixture f;
	struct st_stats stats;
	struct st_tt_entry entries[10] = {{{1}}};
	set_up(&f, _i);
	one_game(&f);
	struct st_batch *batch = begin_batch(&f);
	OK(add_fact(batch, "pos", make_reason(PD_LO, 1, 3), &f.fail));
	OK(st_batch_tt(batch, 1, entries, 10, &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	st_stats(f.store, &stats);
	ck_assert_uint_eq(stats.commits, 2);
	ck_assert_uint_eq(stats.journal_entries, 10);
	ck_assert_uint_eq(stats.facts, 1);
	ck_assert_uint_eq(stats.memtable, 1);
	ck_assert_uint_gt(stats.commit_ns_last, 0);
	ck_assert_uint_ge(stats.commit_ns_max, stats.commit_ns_last);
	ck_assert_int_eq(stats.work_bytes > 0, _i);
	tear_down(&f);
}
END_TEST

SUITE(store)
{
	tcase_set_timeout(c, 110);
	tcase_add_loop_test(c, jobs_and_events_come_back_in_order, 0, 2);
	tcase_add_loop_test(c, a_walk_that_is_ended_returns_what_ended_it, 0, 2);
	tcase_add_loop_test(c, what_is_out_of_range_is_refused_and_does_no_harm, 0, 2);
	tcase_add_loop_test(c, games_keep_their_numbers, 0, 2);
	tcase_add_loop_test(c, a_fact_is_seen_from_its_commit_on, 0, 2);
	tcase_add_loop_test(c, a_contradiction_is_refused_and_kept, 0, 4);
	tcase_add_test(c, a_contradiction_is_settled_when_the_stored_fact_is_gone);
	tcase_add_loop_test(c, a_fact_has_as_many_reasons_as_there_are_bounds, 0, 2);
	tcase_add_test(c, what_is_known_is_not_written_again);
	tcase_add_test(c, a_fact_that_grows_often_comes_back);
	tcase_add_test(c, a_start_abandons_an_open_snapshot);
	tcase_add_loop_test(c, every_failure_leaves_the_store_as_it_was, 0, 4);
	tcase_add_test(c, a_full_disk_pauses_and_loses_nothing);
	tcase_add_loop_test(c, statistics_count, 0, 2);
	tcase_add_loop_test(c, commits_are_counted_as_they_went, 0, 4);
}
