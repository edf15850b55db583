/* Jobs whose record, history or table on disk is damaged: they are set aside with the reason, and everything else goes
 * on. And nothing that could not be read back is ever written. */
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"
#include "proto/base/log.h"
#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/jobs/model/job.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/model/job_record.h"
#include "server/jobs/model/job_state.h"
#include "server/jobs/write/task.h"
#include "tests/support/insession.h"
#include "tests/support/restamp.h"
#include "tests/support/suite.h"

#define LARGE "\"game\":\"connect4:7x6\",\"memory\":\"4M\""
#define SMALL "\"game\":\"mnk:3,3,3\",\"memory\":\"4M\""

/* The error's code, 0 when there is none. */
static void reason_of(struct insession *s, unsigned job, char *out, size_t size)
{
	char params[64];
	bool ok;
	pr_ref result;
	snprintf(params, sizeof params, "\"job\":%u", job);
	struct pr_doc *doc = insession_call(s, "job.get", params, &ok, &result);
	ck_assert(ok);
	snprintf(out, size, "%s", pr_get_str(result, "reason", ""));
	pr_doc_free(doc);
}

/* The events of a job's history, one after the other with a comma behind each. */
static void events_of(struct insession *s, unsigned job, char *out, size_t size)
{
	char params[64];
	bool ok;
	pr_ref result;
	snprintf(params, sizeof params, "\"job\":%u", job);
	struct pr_doc *doc = insession_call(s, "job.history", params, &ok, &result);
	ck_assert(ok);
	pr_ref points = pr_get(result, "points");
	out[0] = 0;
	for (size_t i = 0; i < pr_count(points); i++) {
		size_t n = strlen(out);
		snprintf(out + n, size - n, "%s,", pr_get_str(pr_at(points, i), "event", "?"));
	}
	pr_doc_free(doc);
}

/* Puts a record in place of a job's that is sound for the store, and for no one else. */
static void replace(const char *dir, unsigned job, const char *record)
{
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail;
	ck_assert_int_eq(st_open(dir, 0, &store, &fail), 0);
	ck_assert_int_eq(st_batch_begin(store, &batch, &fail), 0);
	ck_assert_int_eq(st_batch_job_put(batch, job, record, strlen(record), &fail), 0);
	ck_assert_int_eq(st_batch_commit(batch, &fail), 0);
	st_close(store);
}

/* Flips a bit of a job's first record in a table of work.mdb. */
static void damage_record(const char *dir, const char *table, unsigned job)
{
	char path[300];
	uint8_t key[12] = {0}, copy[ST_JOB_MAX];
	MDB_dbi dbi;
	MDB_cursor *cursor;
	MDB_val k = {4, key}, value;
	pd_put_be32(key, job);
	snprintf(path, sizeof path, "%s/work.mdb", dir);
	MDB_txn *txn = restamp_begin(path, table, 0, &dbi);
	ck_assert_int_eq(mdb_cursor_open(txn, dbi, &cursor), 0);
	ck_assert_int_eq(mdb_cursor_get(cursor, &k, &value, MDB_SET_RANGE), 0);
	ck_assert_uint_eq(pd_get_be32(k.mv_data), job);
	memcpy(key, k.mv_data, k.mv_size);
	k.mv_data = key;
	memcpy(copy, value.mv_data, value.mv_size);
	copy[value.mv_size / 2] ^= 4;
	value.mv_data = copy;
	mdb_cursor_close(cursor);
	ck_assert_int_eq(mdb_put(txn, dbi, &k, &value, 0), 0);
	restamp_commit(txn);
}

/* Jobs 1 and 3 are solved, 2 and 4 paused with a table. */
static void fill_directory(const char *dir)
{
	struct insession s;
	insession_open(&s, dir, 1, 0.05);
	for (unsigned job = 1; job <= 4; job++) {
		ck_assert_uint_eq(insession_submit(&s, job % 2 ? SMALL : LARGE), job);
		if (job % 2) {
			insession_assert_ends(&s, job, "solved");
			continue;
		}
		char text[2048];
		do
			events_of(&s, job, text, sizeof text);
		while (!strstr(text, "started"));
		ck_assert_int_eq(insession_on_job(&s, "job.pause", job, ""), 0);
	}
	insession_close(&s);
}

START_TEST(a_damaged_record_is_set_aside)
{
	static const char *const instead[] = {
		NULL,
		"",
		"{\"v\":1,\"state\":\"qu",
		"{\"v\":9}",
		"{\"v\":1,\"state\":\"queued\"}",
		"{\"v\":1,\"state\":\"running\",\"game\":\"mnk:3,3,3\",\"position\":\"\",\"claim\":\"?\"}"};
	char dir[64], text[2048], reason[256];
	struct insession s;
	scratch_dir(dir);
	fill_directory(dir);
	for (unsigned i = 0; i < sizeof instead / sizeof *instead; i++) {
		if (instead[i])
			replace(dir, 2, instead[i]);
		else
			damage_record(dir, "jobs", 2);
		for (unsigned again = 0; again < 2; again++) {
			insession_open(&s, dir, 1, 0.05);
			insession_assert_state(&s, 2, "failed");
			reason_of(&s, 2, reason, sizeof reason);
			ck_assert_msg(strstr(reason, "its record is damaged") && strstr(reason, "proofctl repair"),
				      "%s", reason);
			insession_assert_state(&s, 1, "solved");
			insession_assert_state(&s, 4, "paused");
			ck_assert_int_eq(insession_on_job(&s, "job.resume", 2, ""), PD_E_CORRUPT);
			ck_assert_int_eq(insession_on_job(&s, "job.set", 2, ""), PD_E_CORRUPT);
			ck_assert_int_eq(insession_on_job(&s, "job.pause", 2, ""), PD_E_STATE);
			events_of(&s, 2, text, sizeof text);
			ck_assert_msg(strstr(text, "damaged,") && !strstr(strstr(text, "damaged,") + 8, "damaged,"),
				      "%s", text);
			ck_assert_int_eq(insession_on_job(&s, "job.resume", 4, ""), 0);
			ck_assert_int_eq(insession_on_job(&s, "job.pause", 4, ""), 0);
			insession_assert_ends(&s, insession_submit(&s, SMALL), "solved");
			insession_close(&s);
		}
	}
	insession_open(&s, dir, 1, 0.05);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", 2, ""), 0);
	insession_assert_state(&s, 2, "cancelled");
	insession_close(&s);
	insession_open(&s, dir, 1, 0.05);
	insession_assert_state(&s, 2, "cancelled");
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_damaged_point_of_the_history_is_marked)
{
	char dir[64], text[2048];
	struct insession s;
	scratch_dir(dir);
	fill_directory(dir);
	damage_record(dir, "events", 2);
	insession_open(&s, dir, 1, 0.05);
	events_of(&s, 2, text, sizeof text);
	ck_assert_msg(!strncmp(text, "damaged,", 8) && strstr(text, "started,"), "%s", text);
	ck_assert_int_eq(insession_on_job(&s, "job.resume", 2, ""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", 2, ""), 0);
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_damaged_table_pauses_its_job)
{
	static const char *const tables[] = {"tables", "journal"};
	char dir[64], text[4096], reason[256];
	struct insession s;
	scratch_dir(dir);
	fill_directory(dir);
	for (unsigned i = 0; i < 2; i++) {
		damage_record(dir, tables[i], 2);
		insession_open(&s, dir, 1, 0.05);
		ck_assert_int_eq(insession_on_job(&s, "job.resume", 2, ""), 0);
		insession_assert_ends(&s, 2, "paused");
		for (unsigned again = 0; again < 2; again++) {
			reason_of(&s, 2, reason, sizeof reason);
			ck_assert_msg(strstr(reason, "its table is damaged") != NULL, "%s", reason);
			insession_close(&s); /* a restart does not forget it */
			insession_open(&s, dir, 1, 0.05);
			insession_assert_state(&s, 2, "paused");
		}
		ck_assert_int_eq(insession_on_job(&s, "job.resume", 2, ""), 0);
		do
			events_of(&s, 2, text, sizeof text);
		while (!strstr(text, "queued without its table,resumed,"));
		ck_assert_int_eq(insession_on_job(&s, "job.pause", 2, ""), 0);
		insession_assert_state(&s, 2, "paused");
		reason_of(&s, 2, reason, sizeof reason);
		ck_assert_str_eq(reason, "paused on request");
		insession_close(&s);
		struct st_store *store; /* what it has found since is there again at the next start */
		struct pd_fail fail;
		ck_assert_int_eq(st_open(dir, ST_READ_ONLY, &store, &fail), 0);
		ck_assert_int_eq(st_check(store, NULL, NULL, &fail), 0);
		st_close(store);
	}
	scratch_remove(dir);
}
END_TEST

START_TEST(what_could_not_be_read_back_is_not_written)
{
	char dir[64];
	struct insession s;
	scratch_dir(dir);
	fill_directory(dir);
	insession_open(&s, dir, 0, 0.05);
	for (unsigned i = 0; i < 2; i++) {
		struct sv_job *job = sv_index_find(s.core->index, 4);
		struct sv_task *task = sv_task_new(SV_TASK_RECORD, job, SV_PAUSED);
		pd_mutex_lock(&s.core->lock);
		task->change.change = sv_change_none(&job->record);
		ck_assert(sv_task_record(task, NULL));
		if (i == 0)
			task->record.size -= 5; /* half a record */
		else
			task->record.data[task->record.size / 2] = 1; /* not JSON any more */
		sv_task_post(s.core, task);
		while (job->run.phase == SV_PHASE_CHANGING)
			pd_mutex_wait(&s.core->lock, &s.core->writer->written);
		pd_mutex_unlock(&s.core->lock);
	}
	insession_close(&s);
	insession_open(&s, dir, 0, 0.05);
	insession_assert_state(&s, 4, "paused");
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

SUITE(lost_jobs)
{
	pd_log_threshold(PD_LOG_ERROR);
	tcase_set_timeout(c, 300);
	tcase_add_test(c, a_damaged_record_is_set_aside);
	tcase_add_test(c, a_damaged_point_of_the_history_is_marked);
	tcase_add_test(c, a_damaged_table_pauses_its_job);
	tcase_add_test(c, what_could_not_be_read_back_is_not_written);
}
