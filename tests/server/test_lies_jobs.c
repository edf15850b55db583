/* Jobs that failed because what they found contradicts a lie, or what rests on one: they go on once it is known. */
#include "server/cluster/trust.h"
#include "server/common/core_parts.h"
#include "server/common/core_state.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/write/task.h"
#include "tests/server/liar_directory.h"

#define FAILS "\"game\":\"mnk:3,3,3\",\"algorithm\":\"pn\",\"detail\":\"full\"" /* asks for no facts */

/* Job 1 believed worker ONE about a move, and concluded something false. */
static void make_false_fact(char dir[64])
{
	struct insession s;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	ck_assert_uint_eq(submit_job(&s, "\"game\":\"mnk:3,3,3\",\"position\":\"b2 a2\""), 1);
	insession_close(&s);
	forge_fact(dir, "b2 a1", pd_giver_of(ONE));
	forge_fact(dir, "b2", 1);
}

static void assert_starts(const char *dir, unsigned job, const char *state)
{
	struct insession s;
	insession_open(&s, dir, 0, 0.05);
	insession_assert_state(&s, job, state);
	insession_close(&s);
}

static void assert_no_lies(const char *dir)
{
	bool truth = false;
	uint8_t key[GAME_KEY_MAX];
	struct game *g;
	ck_assert(!game_open("mnk:3,3,3", NULL, &g, NULL));
	size_t size = key_of(g, "b2", key);
	struct facts left = facts_of(dir);
	for (size_t i = 0; i < left.count; i++) {
		const struct stored *f = &left.at[i];
		ck_assert(!pd_is_giver(f->reason.job));
		if (f->size != size || memcmp(f->key, key, size) != 0)
			continue;
		truth |= f->reason.side == PD_HI && f->reason.bound == 0;
		ck_assert(f->reason.side == PD_HI || f->reason.bound <= 0);
	}
	ck_assert(truth);
	free(left.at);
	game_close(g);
}

START_TEST(a_job_that_failed_because_of_a_lie_goes_on)
{
	char dir[64];
	struct insession s;
	make_false_fact(dir);
	insession_open(&s, dir, 1, 0.05);
	ck_assert_uint_eq(insession_submit(&s, FAILS), 2);
	if (_i) /* the liar is known already, and the server is about to take back what it gave */
		write_liar(dir, ONE);
	insession_assert_ends(&s, 2, "failed");
	char *reason = read_member(&s, 2, "reason");
	ck_assert_msg(strstr(reason, "job 1) is stored, but now value <= 0 (rank 8, job 2) was found"), "%s", reason);
	free(reason);
	insession_close(&s);
	if (!_i) { /* the server ends before the liar is known */
		assert_starts(dir, 2, "failed");
		write_liar(dir, ONE);
	}
	assert_starts(dir, 2, "queued");
	insession_open(&s, dir, 1, 0.05);
	insession_assert_ends(&s, 1, "solved");
	insession_assert_ends(&s, 2, "solved");
	insession_close(&s);
	assert_no_lies(dir);
	assert_clean(dir, NULL); /* the contradiction is settled */
	scratch_remove(dir);
}
END_TEST

static int keep_record(void *ctx, uint32_t id, const void *bytes, size_t size)
{
	struct pd_fail fail;
	return id == 2 ? sv_record_read(id, bytes, size, ctx, &fail) : PD_OK;
}

static void add_job(struct st_batch *batch, const struct sv_record *record, uint32_t wanted)
{
	struct pd_buf bytes;
	struct pd_fail fail;
	uint32_t id;
	pd_buf_init(&bytes, ST_JOB_MAX);
	sv_record_write(record, &bytes);
	ck_assert(!st_batch_job_new(batch, &id, &fail));
	ck_assert_uint_eq(id, wanted);
	ck_assert(!st_batch_job_put(batch, id, bytes.data, bytes.size, &fail));
	pd_buf_fini(&bytes);
}

/* Adds copies of the failed job 2, each with one difference. */
static void add_others(const char *dir)
{
	struct st_store *store;
	struct st_batch *batch;
	struct sv_record record = {.id = 0};
	struct pd_fail fail;
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_job_each(store, keep_record, &record, &fail));
	ck_assert_int_eq(record.contradiction, SV_CONTRADICTION);
	ck_assert(!st_batch_begin(store, &batch, &fail));
	record.contradiction = SV_NO_CONTRADICTION; /* 3: it failed for another reason */
	add_job(batch, &record, 3);
	record.contradiction = SV_CONTRADICTION; /* 4, 5: cancelled, paused meanwhile */
	record.state = SV_CANCELLED;
	add_job(batch, &record, 4);
	record.state = SV_PAUSED;
	add_job(batch, &record, 5);
	record.state = SV_FAILED; /* 6: of another game */
	record.spec.rules.version++;
	add_job(batch, &record, 6);
	ck_assert(!st_batch_commit(batch, &fail));
	sv_record_fini(&record);
	st_close(store);
}

START_TEST(other_jobs_stay_as_they_ended)
{
	static const char *const states[] = {"queued", "failed", "cancelled", "paused", "failed"};
	char dir[64];
	struct insession s;
	make_false_fact(dir);
	insession_open(&s, dir, 1, 0.05);
	ck_assert_uint_eq(insession_submit(&s, FAILS), 2);
	insession_assert_ends(&s, 2, "failed");
	insession_close(&s);
	add_others(dir);
	write_liar(dir, TWO); /* gave nothing */
	assert_starts(dir, 2, "failed");
	write_liar(dir, ONE);
	insession_open(&s, dir, 0, 0.05);
	for (unsigned i = 0; i < sizeof states / sizeof *states; i++)
		insession_assert_state(&s, i + 2, states[i]);
	char *reason = read_member(&s, 3, "reason");
	ck_assert_ptr_nonnull(strstr(reason, "is stored, but now"));
	free(reason);
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

static void add_found(struct pd_buf *facts, const struct game *g, const char *position, const struct pd_reason *r)
{
	uint8_t key[GAME_KEY_MAX];
	uint16_t size = (uint16_t)key_of(g, position, key);
	pd_buf_put(facts, &size, sizeof size);
	pd_buf_put(facts, r, sizeof *r);
	pd_buf_put(facts, key, size);
}

/* As a search thread would: a run of the job whose first checkpoint has a fact that contradicts a stored one. `finder`
 * as in a reason: 0 is the job itself. */
static void lose_checkpoint(struct sv_core *core, struct sv_job *job, uint32_t finder, bool leaves)
{
	const struct pd_reason truth = {
		.bound = 0, .side = PD_HI, .rank = 8, .move = PD_NO_MOVE, .effort = 1, .job = finder};
	const struct pd_reason leaf = {
		.bound = 0, .side = PD_HI, .rank = 7, .move = PD_NO_MOVE, .effort = 1, .job = pd_giver_of(TWO)};
	struct sv_task *task = sv_task_new(SV_TASK_CHECKPOINT, job, SV_RUNNING);
	struct sv_task *last = sv_task_new(SV_TASK_RECORD, job, SV_FAILED);
	struct game *g;
	struct pd_fail fail;
	ck_assert(!sv_game_get(core, "mnk:3,3,3", &g, &fail));
	task->checkpoint.core = core;
	task->checkpoint.game = g;
	add_found(&task->checkpoint.facts, g, "b2", &truth);
	if (leaves)
		add_found(&task->checkpoint.facts, g, "b2 a1", &leaf);
	sv_lock(core);
	job->record.started_ms = 1;
	sv_job_enter(job, SV_PHASE_SEARCHING);
	ck_assert(sv_task_record(task, "started"));
	sv_task_post(core, task);
	while (job->run.phase != SV_PHASE_BROKEN)
		sv_lock_wait(core, &core->writer->written);
	last->change.change = sv_change_none(&job->record);
	last->ends_run = true;
	ck_assert(sv_task_record(last, "failed"));
	sv_task_post(core, last);
	while (job->run.phase != SV_PHASE_REST)
		sv_lock_wait(core, &core->writer->written);
	sv_unlock(core);
}

/* A lie may be lost with the checkpoint that shows it. Then nothing is to be taken back, and the job goes on too. */
START_TEST(a_job_that_met_a_lie_before_it_was_stored_goes_on)
{
	char dir[64];
	struct insession s;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	ck_assert_uint_eq(submit_job(&s, "\"game\":\"mnk:3,3,3\",\"position\":\"b2 a2\""), 1);
	insession_close(&s);
	forge_fact(dir, "b2", 1);
	insession_open(&s, dir, 0, 0.05);
	ck_assert_uint_eq(insession_submit(&s, FAILS), 2);
	lose_checkpoint(s.core, sv_index_find(s.core->index, 2), 0, _i);
	insession_assert_state(&s, 2, "failed");
	insession_close(&s);
	write_liar(dir, TWO);
	assert_starts(dir, 2, _i ? "queued" : "failed");
	scratch_remove(dir);
}
END_TEST

/* Worker TWO tells the truth, and contradicts: 0: what rests on a lie of worker ONE; 1: the same, when the lie is known
 * already; 2: the lie itself. */
START_TEST(a_worker_that_tells_the_truth_is_not_blamed)
{
	const uint32_t blamed[] = {0, pd_giver_of(ONE), pd_giver_of(ONE)};
	char dir[64];
	struct insession s;
	struct sv_liars liars;
	struct pd_fail fail;
	if (_i < 2) {
		make_false_fact(dir);
	} else {
		scratch_dir(dir);
		insession_open(&s, dir, 1, 0.05);
		ck_assert_uint_eq(submit_job(&s, "\"game\":\"mnk:3,3,3\",\"position\":\"b2 a2\""), 1);
		insession_close(&s);
		forge_fact(dir, "b2", pd_giver_of(ONE));
	}
	insession_open(&s, dir, 0, 0.05);
	ck_assert_uint_eq(insession_submit(&s, FAILS), 2);
	if (_i == 1)
		sv_lied(s.core, pd_giver_of(ONE), "one", false);
	lose_checkpoint(s.core, sv_index_find(s.core->index, 2), pd_giver_of(TWO), false);
	insession_close(&s);
	ck_assert(!sv_liars_read(dir, &liars, &fail));
	ck_assert_uint_eq(liars.count, 1);
	ck_assert_uint_eq(liars.giver[0], blamed[_i]);
	assert_starts(dir, 2, "queued");
	ck_assert(!sv_liars_banned(dir, &liars, &fail));
	ck_assert(!sv_liars_name(&liars, pd_giver_of(TWO)));
	insession_open(&s, dir, 1, 0.05);
	insession_assert_ends(&s, 2, "solved");
	insession_close(&s);
	assert_no_lies(dir);
	scratch_remove(dir);
}
END_TEST

/* Nor is everything taken back for it again and again: the search itself may be at fault. */
START_TEST(what_all_workers_gave_is_not_taken_back_too_often)
{
	struct sv_cluster_past past = {.retractions = SC_RETRACTIONS_MAX};
	struct sv_cluster_config cluster = {.past = &past};
	char dir[64];
	struct insession s;
	struct sv_liars liars;
	struct pd_fail fail;
	make_false_fact(dir);
	insession_open(&s, dir, 0, 0.05);
	ck_assert_uint_eq(insession_submit(&s, FAILS), 2);
	s.core->config.cluster = &cluster;
	lose_checkpoint(s.core, sv_index_find(s.core->index, 2), pd_giver_of(TWO), false);
	s.core->config.cluster = NULL;
	insession_assert_state(&s, 2, "failed");
	insession_close(&s);
	ck_assert(!sv_liars_read(dir, &liars, &fail));
	ck_assert_uint_eq(liars.count, 0);
	scratch_remove(dir);
}
END_TEST

SUITE(lies_jobs)
{
	tcase_set_timeout(c, 60);
	pd_log_threshold(PD_LOG_ERROR + 1);
	tcase_add_loop_test(c, a_job_that_failed_because_of_a_lie_goes_on, 0, 2);
	tcase_add_test(c, other_jobs_stay_as_they_ended);
	tcase_add_loop_test(c, a_job_that_met_a_lie_before_it_was_stored_goes_on, 0, 2);
	tcase_add_loop_test(c, a_worker_that_tells_the_truth_is_not_blamed, 0, 3);
	tcase_add_test(c, what_all_workers_gave_is_not_taken_back_too_often);
}
