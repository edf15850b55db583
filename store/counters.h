/* meta/"counters" of work.mdb (private to store/). */
#pragma once

#include "store/layout.h"

struct st_counters {
	uint32_t next_job, next_game; /* the next numbers to be given, from 1 */
	uint64_t next_log;            /* the next block of the write-ahead log, from 1 */
	uint64_t dropped_log;         /* blocks up to this one may have been deleted: their facts are in runs */
	uint32_t jobs;                /* existence records */
};

int st_counters_get(const struct st_work *work, MDB_txn *txn, struct st_counters *out, struct pd_fail *fail);
int st_counters_put(const struct st_work *work, MDB_txn *txn, const struct st_counters *counters, struct pd_fail *fail);
/* Unpacks an unsealed record; false when it does not decode. */
bool st_counters_unpack(const uint8_t *p, size_t size, struct st_counters *out);
bool st_counters_equal(const struct st_counters *a, const struct st_counters *b);
