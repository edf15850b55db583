/* Writing transposition tables on disk: journal and rolling snapshot (private to store/).
 *
 * The calls of store.h, behind its checks. Entries are packed into blocks that a batch fills across calls; tables/JOB
 * changes in the same transaction (tt_state.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/hash.h"

struct st_batch;
struct st_tt_entry;

int st_tt_snapshot_question(struct st_batch *batch, uint32_t job, struct pd_id question, struct pd_fail *fail);
int st_tt_snapshot_journal(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
			   struct pd_fail *fail);
int st_tt_snapshot_start(struct st_batch *batch, uint32_t job, struct pd_fail *fail);
int st_tt_snapshot_put(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
		       struct pd_fail *fail);
int st_tt_snapshot_end(struct st_batch *batch, uint32_t job, struct pd_fail *fail);
int st_tt_snapshot_drop(struct st_batch *batch, uint32_t job, struct pd_fail *fail);
/* As _drop, but writes nothing where there is no table. */
int st_tt_snapshot_forget(struct st_batch *batch, uint32_t job, struct pd_fail *fail);
/* Writes what the batch still holds of journal and snapshot, and tables/JOB. */
int st_tt_snapshot_flush(struct st_batch *batch, struct pd_fail *fail);
