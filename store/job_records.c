/* Jobs: their records and their histories. Both are bytes to the store. */
#include "store/internal.h"

#include <stdlib.h>

#include "proto/base/bytes.h"

static void event_key(uint8_t *key, uint32_t job, uint64_t n)
{
	pd_put_be32(key, job);
	st_put_be64(key + 4, n);
}

/* --- in a batch --------------------------------------------------------------------------- */

int st_batch_job_new(struct st_batch *batch, uint32_t *job, struct pd_fail *fail)
{
	int rc = st_batch_usable(batch, fail);
	if (rc)
		return rc;
	if (batch->counters.next_job == UINT32_MAX)
		return pd_fail_set(fail, PD_E_LIMIT, "", "all job numbers are used up");
	if (!batch->store->memory) {
		struct st_card card = {0};
		rc = st_card_put(batch->store, batch->txn, batch->counters.next_job, &card, &batch->scratch);
		if (rc)
			return st_batch_result(batch, rc, fail);
	}
	*job = batch->counters.next_job++;
	batch->counters.jobs++;
	return PD_OK;
}

static int check(const struct st_batch *batch, uint32_t job, size_t size, size_t size_max, struct pd_fail *fail)
{
	int rc = st_batch_job(batch, job, fail);
	if (!rc && size > size_max)
		return pd_fail_set(fail, PD_E_LIMIT, "",
				   "a record of job %u has %zu bytes, and at most %zu are possible", (unsigned)job,
				   size, size_max);
	return rc;
}

/* The card of a job whose number was given, into batch->scratch when it fails. */
static int card_of(struct st_batch *batch, uint32_t job, struct st_card *out)
{
	int rc = st_card_get(batch->store, batch->txn, job, out, &batch->scratch);
	if (rc == PD_E_NOT_FOUND)
		return st_env_corrupt(&batch->store->work, &batch->scratch, "the card of job %u is missing",
				      (unsigned)job);
	return rc;
}

int st_batch_job_put(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_32];
	int rc = check(batch, job, size, ST_JOB_MAX, fail);
	if (rc)
		return rc;
	if (store->memory)
		return st_batch_stage(batch, ST_MEM_JOB, job, size ? record : "", size, fail);
	struct st_card card;
	rc = card_of(batch, job, &card);
	if (!rc && !card.record) {
		card.record = true;
		rc = st_card_put(store, batch->txn, job, &card, &batch->scratch);
	}
	pd_put_be32(key, job);
	if (!rc)
		rc = st_put_sealed(&store->work, batch->txn, store->dbi[ST_JOBS], key, sizeof key, record, size, 0,
				   &batch->scratch);
	return st_batch_result(batch, rc, fail);
}

int st_batch_event(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_32_64];
	struct st_card card;
	int rc = check(batch, job, size, ST_EVENT_MAX, fail);
	if (rc)
		return rc;
	if (store->memory)
		return st_batch_stage(batch, ST_MEM_EVENT, job, size ? record : "", size, fail);
	rc = card_of(batch, job, &card);
	if (!rc) {
		event_key(key, job, card.events++);
		rc = st_put_sealed(&store->work, batch->txn, store->dbi[ST_EVENTS], key, sizeof key, record, size, 0,
				   &batch->scratch);
	}
	if (!rc)
		rc = st_card_put(store, batch->txn, job, &card, &batch->scratch);
	return st_batch_result(batch, rc, fail);
}

/* Deletes the last `limit` events, or as many as there are. */
static int remove_events(struct st_batch *batch, uint32_t job, unsigned limit, struct st_card *card)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_32_64];
	int rc = PD_OK;
	for (; !rc && card->events && limit; limit--) {
		event_key(key, job, --card->events);
		rc = st_del(&store->work, batch->txn, store->dbi[ST_EVENTS], key, sizeof key, &batch->scratch);
	}
	return rc ? rc : st_card_put(store, batch->txn, job, card, &batch->scratch);
}

/* The last of a job: its record and its card. What is left of its table goes as that of any job that is over. */
static int remove_last(struct st_batch *batch, uint32_t job)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_32];
	pd_put_be32(key, job);
	int rc = st_tt_flush(batch, &batch->scratch);
	if (!rc)
		rc = st_del(&store->work, batch->txn, store->dbi[ST_JOBS], key, sizeof key, &batch->scratch);
	if (!rc)
		rc = st_del(&store->work, batch->txn, store->dbi[ST_CARDS], key, sizeof key, &batch->scratch);
	if (!rc)
		batch->counters.jobs--;
	return rc;
}

int st_batch_job_remove(struct st_batch *batch, uint32_t job, unsigned limit, bool *left, struct pd_fail *fail)
{
	struct st_card card;
	*left = false;
	int rc = st_batch_job(batch, job, fail);
	if (rc)
		return rc;
	if (batch->store->memory)
		return st_batch_stage(batch, ST_MEM_REMOVE, job, NULL, 0, fail);
	rc = st_card_get(batch->store, batch->txn, job, &card, &batch->scratch);
	if (rc == PD_E_NOT_FOUND)
		return PD_OK; /* it is gone already */
	if (!rc)
		rc = remove_events(batch, job, limit, &card);
	*left = !rc && card.events;
	rc = st_batch_result(batch, rc, fail);
	if (rc || *left)
		return rc;
	rc = st_tt_forget(batch, job, fail);
	return rc ? rc : st_batch_result(batch, remove_last(batch, job), fail);
}

int st_batch_note(struct st_batch *batch, const void *record, size_t size, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	int rc = st_batch_usable(batch, fail);
	if (rc || store->memory)
		return rc;
	if (size > ST_JOB_MAX)
		return pd_fail_set(fail, PD_E_LIMIT, "", "a note has %zu bytes, and at most %d are possible", size,
				   ST_JOB_MAX);
	rc = st_put_sealed(&store->work, batch->txn, store->dbi[ST_META], "forgotten", 9, record, size, 0,
			   &batch->scratch);
	return st_batch_result(batch, rc, fail);
}

/* --- reading back ------------------------------------------------------------------------- */

struct memory_walk {
	uint32_t job;
	int (*each)(void *ctx, uint32_t job, const void *record, size_t size);
	void *ctx;
};

static int memory_job(void *ctx, const void *data, size_t size)
{
	struct memory_walk *walk = ctx;
	return walk->each(walk->ctx, walk->job, data, size);
}

/* What a walk needs: a transaction, and room for a record. */
struct walk {
	struct st_store *store;
	struct st_window window;
	MDB_txn *txn;  /* the window's */
	uint8_t *room; /* owned */
	struct pd_fail *fail;
};

enum { ROOM = ST_SEAL + ST_JOB_MAX };

static int walk_open(struct walk *w, struct st_store *store, struct pd_fail *fail)
{
	*w = (struct walk){.store = store, .room = malloc(ROOM), .fail = fail};
	if (!w->room)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to read the jobs");
	st_window_open(&store->work, &w->window);
	int rc = st_window_wake(&store->work, &w->window, fail);
	w->txn = w->window.txn;
	if (rc) {
		st_window_close(&store->work, &w->window);
		free(w->room);
	}
	return rc;
}

static void walk_close(struct walk *w)
{
	st_window_rest(&w->window);
	st_window_close(&w->store->work, &w->window);
	free(w->room);
}

/* One job's record to the callback; *found counts cards. */
static int each_job(const struct walk *w, uint32_t job,
		    int (*each)(void *ctx, uint32_t job, const void *record, size_t size), void *ctx, uint32_t *found)
{
	uint8_t key[ST_KEY_32];
	struct st_card card;
	size_t size;
	int rc = st_card_get(w->store, w->txn, job, &card, w->fail);
	if (rc == PD_E_NOT_FOUND)
		return PD_OK;
	++*found;
	if (rc == PD_E_CORRUPT)
		return each(ctx, job, NULL, 0);
	if (rc || !card.record)
		return rc;
	pd_put_be32(key, job);
	rc = st_get_sealed(&w->store->work, w->txn, w->store->dbi[ST_JOBS], key, sizeof key, w->room, ROOM, &size,
			   w->fail);
	if (rc == PD_E_CORRUPT || rc == PD_E_NOT_FOUND)
		return each(ctx, job, NULL, 0);
	return rc ? rc : each(ctx, job, w->room, size);
}

int st_job_each(struct st_store *store, int (*each)(void *ctx, uint32_t job, const void *record, size_t size),
		void *ctx, struct pd_fail *fail)
{
	struct walk w;
	struct st_counters counters;
	int rc = PD_OK;
	if (store->memory) {
		uint32_t jobs = st_memory_jobs(store->memory);
		for (uint32_t job = 1; !rc && job < jobs; job++) {
			struct memory_walk walk = {job, each, ctx};
			rc = st_memory_each(store->memory, ST_MEM_JOB, job, 1, memory_job, &walk, fail);
		}
		return rc;
	}
	rc = walk_open(&w, store, fail);
	if (rc)
		return rc;
	rc = st_counters_get(store, w.txn, &counters, fail);
	uint32_t found = 0;
	/* Each is looked up by itself: a damaged page hides those that stand in it, and no others. */
	for (uint32_t job = 1; !rc && job < counters.next_job; job++)
		rc = each_job(&w, job, each, ctx, &found);
	if (!rc && found != counters.jobs)
		rc = st_env_corrupt(&store->work, fail, "%u jobs are there instead of %u", (unsigned)found,
				    (unsigned)counters.jobs);
	walk_close(&w);
	return rc;
}

static int each_event(const struct walk *w, uint32_t job, size_t max,
		      int (*each)(void *ctx, const void *record, size_t size), void *ctx)
{
	uint8_t key[ST_KEY_32_64];
	struct st_card card;
	size_t size;
	int rc = st_card_read(w->store, w->txn, job, &card, w->fail);
	for (uint64_t n = card.events > max ? card.events - max : 0; !rc && n < card.events; n++) {
		event_key(key, job, n);
		rc = st_get_sealed(&w->store->work, w->txn, w->store->dbi[ST_EVENTS], key, sizeof key, w->room, ROOM,
				   &size, w->fail);
		if (rc == PD_E_CORRUPT || rc == PD_E_NOT_FOUND)
			rc = each(ctx, NULL, 0);
		else if (!rc)
			rc = each(ctx, w->room, size);
	}
	return rc;
}

uint32_t st_jobs_given(const struct st_store *store)
{
	return store->counters.next_job - 1;
}

int st_note_get(struct st_store *store, int (*each)(void *ctx, const void *record, size_t size), void *ctx,
		struct pd_fail *fail)
{
	struct walk w;
	size_t size;
	if (store->memory)
		return PD_OK;
	int rc = walk_open(&w, store, fail);
	if (rc)
		return rc;
	rc = st_get_sealed(&store->work, w.txn, store->dbi[ST_META], "forgotten", 9, w.room, ROOM, &size, fail);
	if (!rc)
		rc = each(ctx, w.room, size);
	else if (rc == PD_E_NOT_FOUND)
		rc = PD_OK;
	walk_close(&w);
	return rc;
}

int st_event_each(struct st_store *store, uint32_t job, size_t max,
		  int (*each)(void *ctx, const void *record, size_t size), void *ctx, struct pd_fail *fail)
{
	struct walk w;
	if (store->memory)
		return st_memory_each(store->memory, ST_MEM_EVENT, job, max, each, ctx, fail);
	int rc = walk_open(&w, store, fail);
	if (rc)
		return rc;
	rc = each_event(&w, job, max, each, ctx);
	walk_close(&w);
	return rc;
}
