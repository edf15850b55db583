/* Jobs that are paused and cancelled while the disk has no room: they stop at once, their clients hear so at once, and
 * it becomes true on disk when there is room. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/bytes.h"
#include "proto/base/clock.h"
#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/common/open_games.h"
#include "server/jobs/index/job_index.h"
#include "store/store.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

#define LARGE "\"game\":\"connect4:7x6\",\"memory\":\"4M\""

static int64_t call_method(struct insession *s, const char *method, unsigned job, char message[320])
{
	char params[32];
	bool ok;
	pr_ref result;
	snprintf(params, sizeof params, "\"job\":%u", job);
	struct pr_doc *doc = insession_call(s, method, params, &ok, &result);
	snprintf(message, 320, "%s", ok ? "" : pr_get_str(result, "message", ""));
	int64_t code = ok ? 0 : pr_get_int(result, "code", -1);
	pr_doc_free(doc);
	return code;
}

/* A job that runs, and then has no room for its checkpoint. */
static void begin_with(struct insession *s, const char *dir, double checkpoint)
{
	bool ok;
	pr_ref result;
	insession_open(s, dir, 1, checkpoint);
	pr_doc_free(insession_call(s, "job.submit", LARGE, &ok, &result));
	ck_assert(ok);
	insession_wait_state(s, 1, "running");
	st_fault(s->core->store, ST_FAULT_COMMIT, ST_FAULT_ALWAYS);
	insession_wait_state(s, 1, "paused");
}

static void open_session(struct insession *s, const char *dir)
{
	begin_with(s, dir, 0.05);
}

static void assert_reason(struct insession *s, const char *part)
{
	bool ok;
	pr_ref now;
	struct pr_doc *doc = insession_call(s, "job.get", "\"job\":1", &ok, &now);
	ck_assert_msg(strstr(pr_get_str(now, "reason", ""), part), "%s", pr_get_str(now, "reason", ""));
	ck_assert_str_eq(pr_get_str(now, "state", ""), "paused");
	pr_doc_free(doc);
}

/* What is on disk. */
static void assert_kept(const char *dir, const char *wanted)
{
	struct insession s;
	char state[16];
	insession_open(&s, dir, 0, 2);
	insession_state(&s, 1, state);
	ck_assert_str_eq(state, wanted);
	insession_close(&s);
}

START_TEST(a_wish_is_kept_until_there_is_room)
{
	static const struct {
		const char *method, *state;
	} wishes[] = {{"job.pause", "paused"}, {"job.cancel", "cancelled"}};
	struct insession s;
	char dir[64], message[320], part[64];
	scratch_dir(dir);
	open_session(&s, dir);
	ck_assert_int_eq(call_method(&s, wishes[_i].method, 1, message), PD_E_NO_SPACE);
	snprintf(part, sizeof part, "stops searching now; that it is %s is written when there is room",
		 wishes[_i].state);
	ck_assert_msg(strstr(message, part), "%s", message);
	snprintf(part, sizeof part, "%s on request", wishes[_i].state);
	assert_reason(&s, part);
	ck_assert_int_eq(call_method(&s, "job.resume", 1, message), PD_E_NO_SPACE);
	ck_assert_int_eq(call_method(&s, wishes[_i].method, 1, message), PD_E_NO_SPACE); /* and again */
	st_fault(s.core->store, ST_FAULT_COMMIT, 0);
	if (_i) {
		insession_wait_state(&s, 1, "cancelled");
	} else {
		while (call_method(&s, "job.resume", 1, message)) /* until it is the job's own state */
			;
		insession_wait_state(&s, 1, "running");
		ck_assert_int_eq(call_method(&s, "job.pause", 1, message), 0);
	}
	insession_close(&s);
	assert_kept(dir, wishes[_i].state);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_job_that_is_paused_without_room_can_be_cancelled)
{
	struct insession s;
	char dir[64], message[320];
	scratch_dir(dir);
	open_session(&s, dir);
	ck_assert_int_eq(call_method(&s, "job.pause", 1, message), PD_E_NO_SPACE);
	ck_assert_int_eq(call_method(&s, "job.cancel", 1, message), PD_E_NO_SPACE);
	ck_assert_ptr_nonnull(strstr(message, "cancelled"));
	ck_assert_int_eq(call_method(&s, "job.pause", 1, message), PD_E_NO_SPACE);
	ck_assert_ptr_nonnull(strstr(message, "that it is cancelled")); /* no way back */
	st_fault(s.core->store, ST_FAULT_COMMIT, 0);
	insession_wait_state(&s, 1, "cancelled");
	insession_close(&s);
	assert_kept(dir, "cancelled");
	scratch_remove(dir);
}
END_TEST

/* The search learns of the pause before its next checkpoint is due, and waits with its last record for the one that
 * lacks room. Then the client is told that the job is cancelled when there is room. */
START_TEST(a_cancellation_after_a_pause_is_not_forgotten)
{
	struct insession s;
	char dir[64], message[320];
	scratch_dir(dir);
	begin_with(&s, dir, 2);
	ck_assert_int_eq(call_method(&s, "job.pause", 1, message), PD_E_NO_SPACE);
	nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
	ck_assert_int_eq(call_method(&s, "job.cancel", 1, message), PD_E_NO_SPACE);
	ck_assert_ptr_nonnull(strstr(message, "that it is cancelled"));
	st_fault(s.core->store, ST_FAULT_COMMIT, 0);
	insession_wait_state(&s, 1, "cancelled");
	insession_close(&s);
	assert_kept(dir, "cancelled");
	scratch_remove(dir);
}
END_TEST

START_TEST(a_client_that_asked_before_the_disk_was_full_hears_at_once)
{
	struct insession s;
	char dir[64], message[320];
	bool ok;
	pr_ref result;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 3600);
	pr_doc_free(insession_call(&s, "job.submit", LARGE, &ok, &result));
	insession_wait_state(&s, 1, "running");
	st_fault(s.core->store, ST_FAULT_COMMIT, ST_FAULT_ALWAYS);
	ck_assert_int_eq(call_method(&s, _i ? "job.cancel" : "job.pause", 1, message), PD_E_NO_SPACE);
	ck_assert_msg(strstr(message, _i ? "that it is cancelled" : "that it is paused"), "%s", message);
	if (!_i) {
		ck_assert_int_eq(call_method(&s, "job.cancel", 1, message), PD_E_NO_SPACE);
		ck_assert_msg(strstr(message, "ended") || strstr(message, "that it is cancelled"), "%s", message);
	}
	st_fault(s.core->store, ST_FAULT_COMMIT, 0);
	while (call_method(&s, "job.cancel", 1, message) == PD_E_NO_SPACE)
		;
	insession_wait_state(&s, 1, "cancelled");
	insession_close(&s);
	assert_kept(dir, "cancelled");
	scratch_remove(dir);
}
END_TEST

/* How many facts the job has found. */
static uint64_t facts_found(struct insession *s)
{
	pd_mutex_lock(&s->core->lock);
	uint64_t found = s->core->index->all.jobs[0]->run.snapshot.progress.facts;
	pd_mutex_unlock(&s->core->lock);
	return found;
}

START_TEST(facts_of_a_cancelled_job_are_kept_and_its_table_is_not)
{
	struct insession s;
	char dir[64], message[320];
	struct st_stats stats;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	ck_assert_uint_eq(insession_submit(&s, LARGE), 1);
	while (!facts_found(&s)) /* its first checkpoint may come before that */
		sv_core_pump(s.core);
	st_fault(s.core->store, ST_FAULT_COMMIT, ST_FAULT_ALWAYS);
	insession_wait_state(&s, 1, "paused");
	st_stats(s.core->store, &stats);
	uint64_t before = stats.facts;
	ck_assert_int_eq(call_method(&s, "job.cancel", 1, message), PD_E_NO_SPACE);
	st_fault(s.core->store, ST_FAULT_COMMIT, 0);
	insession_wait_state(&s, 1, "cancelled");
	st_stats(s.core->store, &stats);
	ck_assert_uint_ge(stats.facts, before);
	ck_assert_uint_gt(stats.facts, 0);
	struct pd_id question;
	struct pd_fail fail;
	ck_assert(!st_tt_question(s.core->store, 1, &question, &fail));
	ck_assert(!question.lo && !question.hi); /* the table has gone */
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_server_that_ends_first_forgets_the_wish)
{
	struct insession s;
	char dir[64], message[320];
	scratch_dir(dir);
	open_session(&s, dir);
	ck_assert_int_eq(call_method(&s, "job.cancel", 1, message), PD_E_NO_SPACE);
	insession_close(&s);
	assert_kept(dir, "queued"); /* it ran, and goes on */
	scratch_remove(dir);
}
END_TEST

/* Others write all the time, and there is room again. */
START_TEST(a_writer_that_always_has_something_to_do_tries_again)
{
	struct insession s;
	char dir[64], state[16] = "";
	scratch_dir(dir);
	open_session(&s, dir);
	st_fault(s.core->store, ST_FAULT_COMMIT, 0);
	unsigned other = insession_submit(&s, LARGE ",\"priority\":-1"); /* waits for the first one's thread */
	uint64_t end = pd_now_ns() + UINT64_C(20000000000);
	while (strcmp(state, "running") != 0) {
		ck_assert_msg(pd_now_ns() < end, "job 1 is %s", state);
		ck_assert_int_eq(insession_on_job(&s, "job.set", other, ",\"priority\":-2"), 0);
		insession_state(&s, 1, state);
	}
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

/* A directory with a job that is cancelled, and its facts in a run. */
static void make_run(const char *dir)
{
	struct insession s;
	struct st_store *store;
	struct st_stats stats;
	struct pd_fail fail;
	insession_open(&s, dir, 1, 0.05);
	insession_submit(&s, LARGE);
	do
		st_stats(s.core->store, &stats);
	while (!stats.facts);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", 1, ""), 0);
	insession_close(&s);
	ck_assert(!st_open(dir, 0, &store, &fail));
	while (st_facts_maintain(store, true, &fail) > 0)
		;
	st_stats(store, &stats);
	ck_assert_uint_eq(stats.runs, 1);
	st_close(store);
}

/* A block of a run, and where it stands in facts.mdb. */
struct block {
	off_t at;
	uint8_t checksum[8];
};

/* As its pages say: LMDB's leaves, FORMAT.md's blocks. */
static unsigned find_blocks(int fd, struct block *blocks, unsigned room)
{
	enum { PAGE = 4096, HEAD = 16, NODE = 8, FLAGS = 10, LOWER = 12, LEAF = 2, BLOCK = 12 };
	uint8_t page[PAGE];
	unsigned count = 0;
	for (off_t from = 2 * PAGE; pread(fd, page, PAGE, from) == PAGE; from += PAGE) {
		unsigned lower = pd_get_le16(page + LOWER);
		for (unsigned i = HEAD; pd_get_le16(page + FLAGS) == LEAF && i < lower && lower < PAGE; i += 2) {
			unsigned node = pd_get_le16(page + i);
			unsigned data = node > PAGE - NODE ? PAGE : node + NODE + pd_get_le16(page + node + 6);
			if (data + BLOCK < PAGE && pd_get_le16(page + data + 8) == 'R' &&
			    pd_get_le16(page + data + 10) && count < room) {
				blocks[count].at = from + (off_t)data;
				memcpy(blocks[count++].checksum, page + data, 8);
			}
		}
	}
	return count;
}

/* A worker is in it. */
static bool is_served(struct insession *s, unsigned job)
{
	pd_mutex_lock(&s->core->lock);
	bool served = sv_index_find(s->core->index, job)->run.threads > 0;
	pd_mutex_unlock(&s->core->lock);
	return served;
}

/* Its last checkpoint waits with the writer. */
static bool has_checkpoint_kept(struct insession *s, unsigned job)
{
	pd_mutex_lock(&s->core->lock);
	bool kept = sv_index_find(s->core->index, job)->run.checkpoint_posted;
	pd_mutex_unlock(&s->core->lock);
	return kept;
}

static bool is_in_use(struct insession *s, const char *game)
{
	bool used = false;
	pd_mutex_lock(&s->core->games->lock);
	for (const struct sv_open_game *g = s->core->games->first; g; g = g->next)
		used = used || (!strcmp(g->game->name, game) && g->users);
	pd_mutex_unlock(&s->core->games->lock);
	return used;
}

/* While a checkpoint waits for room the search goes on to the next one, and meets a damaged fact: how the run ends is
 * written behind that checkpoint, and the game of its facts stays open for it. */
START_TEST(the_end_of_a_run_is_not_undone_by_a_checkpoint_that_was_kept)
{
	enum { BLOCKS = 100000 };
	struct insession s;
	char dir[64], path[96];
	struct block *blocks = malloc(BLOCKS * sizeof *blocks);
	scratch_dir(dir);
	make_run(dir);
	snprintf(path, sizeof path, "%s/facts.mdb", dir);
	int fd = open(path, O_RDWR);
	unsigned count = find_blocks(fd, blocks, BLOCKS);
	ck_assert_uint_gt(count, 0);
	insession_open(&s, dir, 1, 2);
	unsigned job = insession_submit(&s, LARGE);
	insession_wait_state(&s, job, "running");
	nanosleep(&(struct timespec){.tv_sec = 3}, NULL); /* an older run has more time between two checkpoints */
	st_fault(s.core->store, ST_FAULT_COMMIT, ST_FAULT_ALWAYS);
	insession_wait_state(&s, job, "paused");
	if (!_i) /* the end of the run has room when it comes */
		st_fault(s.core->store, ST_FAULT_COMMIT, 0);
	for (unsigned i = 0; i < count; i++)
		ck_assert_int_eq(pwrite(fd, "damaged!", 8, blocks[i].at), 8);
	uint64_t late = pd_now_ns() + UINT64_C(10000000000);
	while (is_served(&s, job)) {
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		if (pd_now_ns() > late) /* the next checkpoint came before the damage, and waits */
			st_fault(s.core->store, ST_FAULT_COMMIT, 0);
	}
	/* On a slow machine the checkpoint, which is tried again every second, may have met the damage first. */
	bool used = is_in_use(&s, "connect4:7x6");
	ck_assert(!_i || pd_now_ns() > late || used || !has_checkpoint_kept(&s, job));
	st_fault(s.core->store, ST_FAULT_COMMIT, 0);
	for (unsigned i = 0; i < count; i++) /* the checkpoint itself is to meet none of it */
		ck_assert_int_eq(pwrite(fd, blocks[i].checksum, 8, blocks[i].at), 8);
	insession_wait_state(&s, job, "failed");
	nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 500000000}, NULL); /* longer than what is kept waits */
	insession_assert_state(&s, job, "failed");
	insession_close(&s);
	insession_open(&s, dir, 0, 2);
	insession_assert_state(&s, job, "failed");
	insession_close(&s);
	close(fd);
	free(blocks);
	scratch_remove(dir);
}
END_TEST

SUITE(full_disk)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, a_wish_is_kept_until_there_is_room, 0, 2);
	tcase_add_test(c, a_job_that_is_paused_without_room_can_be_cancelled);
	tcase_add_test(c, a_cancellation_after_a_pause_is_not_forgotten);
	tcase_add_loop_test(c, a_client_that_asked_before_the_disk_was_full_hears_at_once, 0, 2);
	tcase_add_test(c, facts_of_a_cancelled_job_are_kept_and_its_table_is_not);
	tcase_add_test(c, a_server_that_ends_first_forgets_the_wish);
	tcase_add_test(c, a_writer_that_always_has_something_to_do_tries_again);
	tcase_add_loop_test(c, the_end_of_a_run_is_not_undone_by_a_checkpoint_that_was_kept, 0, 2);
}
