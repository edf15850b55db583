/* Transposition tables on disk: journal and rolling snapshot (private to store/).
 *
 * Entries are packed into blocks that a batch fills across calls; tables/JOB changes in the same transaction
 * (tt_state.h). Calls of a batch leave their errors in batch->scratch. */
#pragma once

#include "store/store_state.h"

/* From ST_PUT_QUESTION to ST_PUT_TT_DROP. */
int st_tt_records_put(struct st_batch *batch, enum st_put kind, uint32_t job, const void *data, size_t size);
/* Drops the table if the job has one. */
int st_tt_records_forget(struct st_batch *batch, uint32_t job);
/* Writes what the batch still holds of journal and snapshot, and tables/JOB. */
int st_tt_records_flush(struct st_batch *batch, struct pd_fail *fail);

/* The calls of store.h. */
int st_tt_records_each(struct st_store *store, uint32_t job,
		       int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx,
		       struct pd_fail *fail);
int st_tt_records_question(struct st_store *store, uint32_t job, struct pd_id *out, struct pd_fail *fail);
uint64_t st_tt_records_bytes(struct st_store *store, uint32_t job);
