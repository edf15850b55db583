/* The backend on disk: LMDB. Most calls have files of their own; here are the transaction of a batch and the
 * statistics. */
#include <sys/statvfs.h>

#include "proto/base/assert.h"
#include "store/backend.h"
#include "store/batch_state.h"
#include "store/conflict.h"
#include "store/game_numbers.h"
#include "store/gc.h"
#include "store/job_records.h"
#include "store/meta_record.h"
#include "store/rewrite.h"
#include "store/schedule.h"
#include "store/store_state.h"
#include "store/tt_read.h"
#include "store/tt_snapshot.h"
#include "store/txn.h"
#include "store/verify_directory.h"
#include "store/wal.h"

enum { GC_BATCH = 1024 }; /* blocks that a batch deletes on the way: about a millisecond */

static int begin_batch(struct st_batch *batch, struct pd_fail *fail)
{
	return st_txn_begin(&batch->store->work.env, false, &batch->txn, fail);
}

static void abort_batch(struct st_batch *batch)
{
	st_txn_abort(&batch->store->work.env, batch->txn);
	batch->txn = NULL;
}

/* Garbage collection on the way. Damaged garbage does not concern the batch: it may be tried again. */
static int collect_garbage(struct st_batch *batch, bool *garbage, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	struct pd_fail why;
	int rc = st_gc_step(store, batch->txn, &batch->counters, GC_BATCH, garbage, &why);
	if (rc == PD_E_CORRUPT) {
		store->upkeep.garbage_stuck = true;
		return pd_fail_set(fail, PD_E_IO, store->work.env.name,
				   "old records cannot be deleted, and stay from now on: %s", why.text);
	}
	if (rc && fail)
		*fail = why;
	return rc;
}

/* Writes what the calls have left to the commit. */
static int finish_batch(struct st_batch *batch, bool *garbage, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	int rc = st_tt_snapshot_flush(batch, fail);
	if (!rc)
		rc = st_wal_flush(batch, fail);
	if (!rc && *garbage)
		rc = collect_garbage(batch, garbage, fail);
	if (!rc && !st_counters_equal(&batch->counters, &store->counters))
		rc = st_counters_put(&store->work, batch->txn, &batch->counters, fail);
	return rc;
}

static int commit_batch(struct st_batch *batch, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	bool garbage = store->upkeep.garbage && !store->upkeep.garbage_stuck;
	PD_ASSERT(batch->txn);
	int rc = finish_batch(batch, &garbage, fail);
	if (!rc)
		rc = st_env_in_place(&store->facts.env, fail); /* every commit looks at the other file, too */
	if (rc)
		return rc;
	rc = st_txn_commit(&store->work.env, batch->txn, fail);
	batch->txn = NULL; /* it has ended either way */
	if (!rc)
		store->upkeep.garbage = garbage || batch->garbage;
	return rc;
}

static int put_game(struct st_batch *batch, const struct st_game *game, struct pd_fail *fail)
{
	struct st_work *work = &batch->store->work;
	return st_batch_result(batch, st_game_put(&work->env, batch->txn, work->dbi[ST_GAMES], game, &batch->scratch),
			       fail);
}

static int keep_meta(struct st_store *store, unsigned id, const void *record, size_t size, struct pd_fail *fail)
{
	struct st_work *work = &store->work;
	MDB_txn *txn;
	PD_ASSERT(id < ST_META_COUNT && (st_meta_flags(id) & ST_META_KEPT));
	int rc = st_txn_begin(&work->env, false, &txn, fail);
	if (rc)
		return rc;
	rc = st_put_sealed(st_work_place(work, txn, ST_META), st_meta_key(id), (struct st_data){record, size}, 0, fail);
	if (!rc)
		return st_txn_commit(&work->env, txn, fail);
	st_txn_abort(&work->env, txn);
	return rc;
}

/* A file cannot outgrow its map either. */
static void take_less(uint64_t *bytes_free, uint64_t map_bytes, uint64_t file_bytes)
{
	uint64_t left = map_bytes > file_bytes ? map_bytes - file_bytes : 0;
	*bytes_free = left < *bytes_free ? left : *bytes_free;
}

static void read_stats(struct st_store *store, struct st_stats *out)
{
	struct statvfs disk;
	out->work_bytes = st_env_bytes(&store->work.env);
	out->facts_bytes = st_env_bytes(&store->facts.env);
	if (!statvfs(store->dir, &disk))
		out->map_bytes_free = (uint64_t)disk.f_bavail * disk.f_frsize;
	take_less(&out->map_bytes_free, store->work.env.map_bytes, out->work_bytes);
	take_less(&out->map_bytes_free, store->facts.env.map_bytes, out->facts_bytes);
}

const struct st_backend st_backend_disk = {
	.runs = true,
	.begin = begin_batch,
	.commit = commit_batch,
	.abort = abort_batch,
	.game = put_game,
	.fact = st_wal_append,
	.job_new = st_job_records_new,
	.job_put = st_job_records_put,
	.job_remove = st_job_records_remove,
	.event = st_job_records_event,
	.note = st_job_records_note,
	.tt_question = st_tt_snapshot_question,
	.tt_journal = st_tt_snapshot_journal,
	.tt_snapshot_start = st_tt_snapshot_start,
	.tt_snapshot_put = st_tt_snapshot_put,
	.tt_snapshot_end = st_tt_snapshot_end,
	.tt_drop = st_tt_snapshot_drop,
	.job_each = st_job_records_each,
	.event_each = st_job_records_events,
	.note_get = st_job_records_note_get,
	.tt_each = st_tt_read_each,
	.tt_question_get = st_tt_read_question,
	.tt_bytes = st_tt_read_bytes,
	.check = st_verify_directory,
	.stats = read_stats,
	.conflict = st_conflict_put,
	.meta_keep = keep_meta,
	.maintain = st_schedule_step,
	.rewrite = st_rewrite_runs,
};
