/* A store to test, and short words for what tests do with it. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "store/store.h"
#include "tests/support/storedir.h"
#include "tests/support/suite.h"

/* A store to test: in memory when `dir` is empty. */
struct fixture {
	char dir[256];
	struct st_store *store;
	struct pd_fail fail;
};

static inline void reopen_store(struct fixture *f)
{
	st_close(f->store);
	f->store = NULL;
	f->fail.text[0] = 0;
	ck_assert_msg(st_open(f->dir[0] ? f->dir : NULL, 0, &f->store, &f->fail) == 0, "%s", f->fail.text);
}

static inline void set_up(struct fixture *f, bool disk)
{
	*f = (struct fixture){.store = NULL};
	if (disk)
		storedir_new(f->dir, sizeof f->dir);
	reopen_store(f);
}

static inline void tear_down(struct fixture *f)
{
	st_close(f->store);
	if (f->dir[0])
		storedir_remove(f->dir);
}

static inline struct st_batch *begin_batch(struct fixture *f)
{
	struct st_batch *batch = NULL;
	ck_assert_msg(st_batch_begin(f->store, &batch, &f->fail) == 0, "%s", f->fail.text);
	return batch;
}

#define OK(call) ck_assert_msg((call) == 0, "%s", f.fail.text)

static inline struct pd_reason make_reason(int side, int bound, int rank)
{
	return (struct pd_reason){
		.side = (uint8_t)side, .bound = (int16_t)bound, .rank = (uint16_t)rank, .move = PD_NO_MOVE, .job = 1};
}

static inline int get_fact(struct fixture *f, const char *key, struct pd_fact *out)
{
	struct st_reader *reader;
	ck_assert_msg(st_reader_open(f->store, &reader, &f->fail) == 0, "%s", f->fail.text);
	int rc = st_fact_get(reader, 1, (const uint8_t *)key, strlen(key), out, &f->fail);
	st_reader_close(reader);
	return rc;
}

static inline int add_fact(struct st_batch *batch, const char *key, struct pd_reason r, struct pd_fail *fail)
{
	return st_batch_fact(batch, 1, (const uint8_t *)key, strlen(key), &r, fail);
}

static inline void count_problem(void *ctx, const char *text)
{
	++*(int *)ctx;
}

static inline void settle_store(struct fixture *f)
{
	int rc;
	while ((rc = st_facts_maintain(f->store, true, &f->fail)) == 1)
		;
	ck_assert_msg(rc == 0, "%s", f->fail.text);
}

static inline void one_game(struct fixture *f)
{
	uint32_t id;
	struct st_batch *batch = begin_batch(f);
	ck_assert_int_eq(st_batch_game(batch, "g", 1, &id, &f->fail), 0);
	ck_assert_int_eq(st_batch_job_new(batch, &id, &f->fail), 0);
	ck_assert_int_eq(st_batch_commit(batch, &f->fail), 0);
}
