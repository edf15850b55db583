#include "store/job_records.h"

#include <stdlib.h>

#include "store/existence.h"
#include "store/read_txn.h"
#include "store/meta_record.h"
#include "store/tt_records.h"

static void event_key(uint8_t *key, uint32_t job, uint64_t n)
{
	pd_put_be32(key, job);
	st_put_be64(key + 4, n);
}

int st_job_records_put(struct st_batch *batch, uint32_t job, const void *record, size_t size)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_32];
	struct st_existence existence;
	int rc = st_existence_require(&batch->store->work, batch->txn, job, &existence, &batch->scratch);
	if (!rc && !existence.record) {
		existence.record = true;
		rc = st_existence_put(&store->work, batch->txn, job, &existence, &batch->scratch);
	}
	pd_put_be32(key, job);
	return rc ? rc
		  : st_put_sealed(st_work_place(&store->work, batch->txn, ST_JOBS), ST_BYTES(key),
				  (struct st_data){record, size}, 0, &batch->scratch);
}

int st_job_records_event(struct st_batch *batch, uint32_t job, const void *record, size_t size)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_32_64];
	struct st_existence existence;
	int rc = st_existence_require(&batch->store->work, batch->txn, job, &existence, &batch->scratch);
	if (!rc) {
		event_key(key, job, existence.events++);
		rc = st_put_sealed(st_work_place(&store->work, batch->txn, ST_EVENTS), ST_BYTES(key),
				   (struct st_data){record, size}, 0, &batch->scratch);
	}
	return rc ? rc : st_existence_put(&store->work, batch->txn, job, &existence, &batch->scratch);
}

/* Deletes the last `limit` events, or as many as there are. */
static int remove_events(struct st_batch *batch, uint32_t job, unsigned limit, struct st_existence *existence)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_32_64];
	int rc = PD_OK;
	for (; !rc && existence->events && limit; limit--) {
		event_key(key, job, --existence->events);
		rc = st_del(st_work_place(&store->work, batch->txn, ST_EVENTS), ST_BYTES(key), &batch->scratch);
	}
	return rc ? rc : st_existence_put(&store->work, batch->txn, job, existence, &batch->scratch);
}

/* Deletes the job's record and its existence record. The blocks of its table are garbage from now on. */
static int remove_last(struct st_batch *batch, uint32_t job)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_32];
	pd_put_be32(key, job);
	int rc = st_tt_records_flush(batch, &batch->scratch);
	if (!rc)
		rc = st_del(st_work_place(&store->work, batch->txn, ST_JOBS), ST_BYTES(key), &batch->scratch);
	if (!rc)
		rc = st_del(st_work_place(&store->work, batch->txn, ST_EXISTENCE), ST_BYTES(key), &batch->scratch);
	if (!rc && !batch->counters.jobs)
		rc = st_env_corrupt(&store->work.env, &batch->scratch, "there are more jobs than the counters say");
	if (!rc)
		batch->counters.jobs--;
	return rc;
}

int st_job_records_remove(struct st_batch *batch, uint32_t job, unsigned limit, bool *left)
{
	struct st_existence existence;
	*left = false;
	int rc = st_existence_get(&batch->store->work, batch->txn, job, &existence, &batch->scratch);
	if (rc == PD_E_NOT_FOUND)
		return PD_OK; /* it was already removed */
	if (!rc)
		rc = remove_events(batch, job, limit, &existence);
	*left = !rc && existence.events;
	if (rc || *left)
		return rc;
	rc = st_tt_records_forget(batch, job);
	return rc ? rc : remove_last(batch, job);
}

int st_job_records_note(struct st_batch *batch, const void *record, size_t size)
{
	return st_put_sealed(st_work_place(&batch->store->work, batch->txn, ST_META), st_meta_key(ST_META_REMOVED_JOBS),
			     (struct st_data){record, size}, 0, &batch->scratch);
}

/* What a walk needs: a transaction, and room for a record. */
struct walk {
	struct st_store *store;
	struct st_read_txn read;
	uint8_t *room; /* owned */
	struct pd_fail *fail;
};

enum { ROOM = ST_SEAL + ST_JOB_MAX };

static int walk_open(struct walk *w, struct st_store *store, struct pd_fail *fail)
{
	*w = (struct walk){.store = store, .room = malloc(ROOM), .fail = fail};
	if (!w->room)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to read the jobs");
	int rc = st_read_txn_begin(&store->work.env, &w->read, fail);
	if (rc)
		free(w->room);
	return rc;
}

static void walk_close(struct walk *w)
{
	st_read_txn_end(&w->store->work.env, &w->read);
	free(w->room);
}

/* Passes one job's record to the callback; *found counts existence records. */
static int each_job(const struct walk *w, uint32_t job,
		    int (*each)(void *ctx, uint32_t job, const void *record, size_t size), void *ctx, uint32_t *found)
{
	uint8_t key[ST_KEY_32];
	struct st_existence existence;
	size_t size;
	int rc = st_existence_get(&w->store->work, w->read.txn, job, &existence, w->fail);
	if (rc == PD_E_NOT_FOUND)
		return PD_OK;
	++*found;
	if (rc == PD_E_CORRUPT)
		return each(ctx, job, NULL, 0);
	if (rc || !existence.record)
		return rc;
	pd_put_be32(key, job);
	rc = st_get_sealed(st_work_place(&w->store->work, w->read.txn, ST_JOBS), ST_BYTES(key), w->room, ROOM, &size,
			   w->fail);
	if (rc == PD_E_CORRUPT || rc == PD_E_NOT_FOUND)
		return each(ctx, job, NULL, 0);
	return rc ? rc : each(ctx, job, w->room, size);
}

int st_job_records_each(struct st_store *store, int (*each)(void *ctx, uint32_t job, const void *record, size_t size),
			void *ctx, struct pd_fail *fail)
{
	struct walk w;
	struct st_counters counters;
	int rc = walk_open(&w, store, fail);
	if (rc)
		return rc;
	rc = st_counters_get(&store->work, w.read.txn, &counters, fail);
	uint32_t found = 0;
	/* Each job is looked up: a damaged page hides only the records in it. */
	for (uint32_t job = 1; !rc && job < counters.next_job; job++)
		rc = each_job(&w, job, each, ctx, &found);
	if (!rc && found != counters.jobs)
		rc = st_env_corrupt(&store->work.env, fail, "%u jobs exist instead of %u", (unsigned)found,
				    (unsigned)counters.jobs);
	walk_close(&w);
	return rc;
}

static int each_event(const struct walk *w, uint32_t job, size_t max,
		      int (*each)(void *ctx, const void *record, size_t size), void *ctx)
{
	uint8_t key[ST_KEY_32_64];
	struct st_existence existence;
	size_t size;
	int rc = st_existence_read(&w->store->work, w->read.txn, job, &existence, w->fail);
	for (uint64_t n = existence.events > max ? existence.events - max : 0; !rc && n < existence.events; n++) {
		event_key(key, job, n);
		rc = st_get_sealed(st_work_place(&w->store->work, w->read.txn, ST_EVENTS), ST_BYTES(key), w->room, ROOM,
				   &size, w->fail);
		if (rc == PD_E_CORRUPT || rc == PD_E_NOT_FOUND)
			rc = each(ctx, NULL, 0);
		else if (!rc)
			rc = each(ctx, w->room, size);
	}
	return rc;
}

int st_job_records_note_get(struct st_store *store, int (*each)(void *ctx, const void *record, size_t size), void *ctx,
			    struct pd_fail *fail)
{
	struct walk w;
	size_t size;
	int rc = walk_open(&w, store, fail);
	if (rc)
		return rc;
	rc = st_get_sealed(st_work_place(&store->work, w.read.txn, ST_META), st_meta_key(ST_META_REMOVED_JOBS), w.room,
			   ROOM, &size, fail);
	if (!rc)
		rc = each(ctx, w.room, size);
	else if (rc == PD_E_NOT_FOUND)
		rc = PD_OK;
	walk_close(&w);
	return rc;
}

int st_job_records_events(struct st_store *store, uint32_t job, size_t max,
			  int (*each)(void *ctx, const void *record, size_t size), void *ctx, struct pd_fail *fail)
{
	struct walk w;
	int rc = walk_open(&w, store, fail);
	if (rc)
		return rc;
	rc = each_event(&w, job, max, each, ctx);
	walk_close(&w);
	return rc;
}
