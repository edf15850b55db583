/* The batch: one checkpoint, one transaction (store.h: S1, S4). */
#pragma once

#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "proto/base/hash.h"
#include "store/store_types.h"

int st_batch_begin(struct st_store *store, struct st_batch **out, struct pd_fail *fail);
/* The job's record: opaque bytes, at most ST_JOB_MAX. Job numbers start at 1; st_batch_job_new gives them in order, and
 * never the same one twice. */
int st_batch_job_new(struct st_batch *batch, uint32_t *job, struct pd_fail *fail);
int st_batch_job_put(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail);
/* Removes at most `limit` events of the job, the last ones first; when none remain, also its record and its table.
 * *left: events remain for another batch, and until then the job exists with a shorter history. Its number is not
 * reused. */
int st_batch_job_remove(struct st_batch *batch, uint32_t job, unsigned limit, bool *left, struct pd_fail *fail);
/* Writes what has to be remembered of removed jobs: one opaque record of at most ST_JOB_MAX bytes. A store in memory
 * does not keep it. */
int st_batch_note(struct st_batch *batch, const void *record, size_t size, struct pd_fail *fail);
/* Appends to the job's history; `record` opaque, at most ST_EVENT_MAX bytes. */
int st_batch_event(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail);
/* Names the question that the entries of the job's table belong to, until the table is dropped. To be called before the
 * first entries are put, and any number of times with the same question. PD_E_CORRUPT when the table belongs to another
 * question. {0, 0}: none. */
int st_batch_tt_question(struct st_batch *batch, uint32_t job, struct pd_id question, struct pd_fail *fail);
/* Appends table entries to the job's journal. On loading, an entry replaces earlier ones with the same first 16
 * bytes. */
int st_batch_tt(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
		struct pd_fail *fail);
/* The rolling snapshot of a job's table. _start begins one; _put appends entries to it, PD_E_STATE when none is open;
 * _end makes it the live snapshot and drops the one before it and the journal older than its start. An unfinished
 * snapshot is abandoned at the next start. */
int st_batch_snapshot_start(struct st_batch *batch, uint32_t job, struct pd_fail *fail);
int st_batch_snapshot_put(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
			  struct pd_fail *fail);
int st_batch_snapshot_end(struct st_batch *batch, uint32_t job, struct pd_fail *fail);
/* Drops the journal and snapshot of a job that has ended. */
int st_batch_tt_drop(struct st_batch *batch, uint32_t job, struct pd_fail *fail);
/* Adds a reason to the fact about (game, key). PD_E_LIMIT when the key is too long; the batch stays usable.
 * PD_E_CONFLICT when the reason contradicts a stored fact or one of this batch (F4): fail->text names both, the
 * database `conflicts` keeps them unless a worker of another machine gave one, and the batch must be aborted. */
int st_batch_fact(struct st_batch *batch, uint32_t game, const uint8_t *key, size_t size,
		  const struct pd_reason *reason, struct pd_fail *fail);
/* After PD_E_CONFLICT: the stored reason and the new one. */
void st_batch_contradicted(const struct st_batch *batch, struct pd_reason sides[2]);
/* Ends the batch, even if it fails. Once a call of the batch has failed with PD_E_NO_SPACE, PD_E_IO, PD_E_NO_MEMORY,
 * PD_E_CORRUPT or PD_E_CONFLICT, every further call and the commit fail in the same way; after other refusals the batch
 * is as it was before the call. */
int st_batch_commit(struct st_batch *batch, struct pd_fail *fail);
void st_batch_abort(struct st_batch *batch);
/* Commits when `rc` is 0, else aborts. Returns `rc`, or the error of the commit. */
int st_batch_end(struct st_batch *batch, int rc, struct pd_fail *fail);

/* --- within store/: what a call begins and ends with --------------------------------------- */

/* 0, or the error that the batch already has. */
int st_batch_usable(const struct st_batch *batch, struct pd_fail *fail);
/* Ends a call that used batch->scratch in place of the caller's *fail: an error sticks. */
int st_batch_result(struct st_batch *batch, int rc, struct pd_fail *fail);
