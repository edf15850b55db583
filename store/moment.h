/* Moment: all records of a data directory as they were at one moment, for copies of it (private to store/).
 *
 * A read transaction on each file, the facts' first. They may be a few commits apart, but no fact is missing or stale:
 * a fact that the list of runs does not contain yet is in the write-ahead log of the later transaction. If the log has
 * already dropped it, both transactions are begun again. The writer does not wait; it just cannot reuse the pages that
 * they see.
 *
 * The checksum of every record is verified. */
#pragma once

#include "store/counters.h"
#include "store/key.h"
#include "store/record.h"
#include "store/run_list.h"

struct st_store;

/* Numbers of tables in archives: 0.. are those of work.mdb in the order of ST_WORK_DBIS. */
enum {
	ST_TABLE_FACTS_META = 32, /* `meta` of facts.mdb */
	ST_TABLE_FACTS_GAMES = 33,
	ST_TABLE_RUN = 64 /* run.N: ST_TABLE_RUN + N */
};

/* The database of a table. */
MDB_dbi st_table_dbi(const struct st_store *store, uint32_t table);

struct st_moment {
	struct st_store *store;
	struct st_read_txn facts, work;
	struct st_run_list runs;
	struct st_counters counters;
};

/* After a failure nothing is open. */
int st_moment_open(struct st_store *store, struct st_moment *out, struct pd_fail *fail);
void st_moment_close(struct st_moment *m);
/* True when the writer waits for the moment to end, because a failed commit has to be repaired. */
bool st_moment_is_in_the_way(const struct st_moment *m);
/* The number of records in a table; for `meta` an upper limit. */
int st_moment_count(const struct st_moment *m, uint32_t table, uint64_t *records, struct pd_fail *fail);

/* Calls `each` for the records of a table after the key `after` (size 0: all) in their order. A non-zero return ends
 * the walk and is returned; PD_E_CORRUPT for a record with a wrong checksum. */
struct st_moment_walk {
	uint32_t table;
	struct st_data after;
	int (*each)(void *ctx, uint32_t table, struct st_data key, struct st_data value);
	void *ctx;
};
int st_moment_each(const struct st_moment *m, const struct st_moment_walk *walk, struct pd_fail *fail);

/* Verifies that no block of a run is missing. Begins as {run}. */
struct st_run_proof {
	struct st_run run;
	uint64_t entries, blocks;
	uint8_t last[ST_DB_KEY_MAX]; /* the last block's upper fence */
	size_t last_size;
};
/* Adds a block; false unless it follows the one before. */
bool st_run_proof_add(struct st_run_proof *proof, struct st_data key, struct st_data value);
bool st_run_proof_complete(const struct st_run_proof *proof);

/* True when the table exists and the record's checksum is right under its key. `run`: the run's number, for a table
 * ST_TABLE_RUN + N. */
bool st_table_record_sound(uint32_t table, uint64_t run, struct st_data key, struct st_data value);
