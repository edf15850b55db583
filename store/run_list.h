/* meta/"runs" of the facts environment: the live runs (private to store/).
 *
 * A run is an immutable sorted string table, as in an LSM tree: facts in key order, in blocks (runblock.h), in a
 * database of its own. A record in a newer run replaces the records of older runs for its key. The list is replaced in
 * the same transaction that completes a run or empties one, so a reader sees a list and runs that belong together. */
#pragma once

#include "store/layout.h"

struct st_run {
	uint32_t slot;            /* database run.SLOT */
	uint64_t id;              /* random and unique: blocks of an earlier run in the slot do not pass for its own */
	uint64_t entries, blocks; /* facts, blocks */
};

struct st_run_list {
	uint64_t merged; /* blocks of the write-ahead log up to this one are contained in runs */
	uint32_t count;
	struct st_run run[ST_RUNS_MAX]; /* newest first */
};

int st_run_list_get(const struct st_facts *facts, MDB_txn *txn, struct st_run_list *out, struct pd_fail *fail);
int st_run_list_put(const struct st_facts *facts, MDB_txn *txn, const struct st_run_list *list, struct pd_fail *fail);
/* Unpacks an unsealed record; false when it does not decode. */
bool st_run_list_unpack(const uint8_t *p, size_t size, struct st_run_list *out);
/* Whether a live run uses the slot. */
bool st_run_list_has(const struct st_run_list *list, uint32_t slot);
