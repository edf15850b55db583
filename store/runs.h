/* Runs: look-ups and merged iteration over the facts on disk (private to store/).
 *
 * A look-up goes through the live runs from the newest to the oldest and ends at the first hit. In each run one seek
 * finds the only block that can hold the key; the block proves by its fences that it is that block (runblock.h). So a
 * missing block is PD_E_CORRUPT, never "not found". */
#pragma once

#include "proto/base/fact.h"
#include "store/cursor.h"
#include "store/record.h"
#include "store/run_list.h"
#include "store/runblock.h"

/* Cursors for look-ups, one for each run, kept between read transactions. Begins as {0}. */
struct st_finder {
	struct st_cursor cursor[ST_RUN_SLOTS];
	uint32_t active; /* bit i: cursor i belongs to the current transaction */
	unsigned opened; /* the environment's `opened` that they belong to */
};
/* To be called before the finder is used in another read transaction. */
void st_finder_reset(struct st_finder *finder);
void st_finder_fini(struct st_finder *finder, const struct st_facts *facts);
/* The runs as one transaction sees them. */
struct st_run_snapshot {
	const struct st_facts *facts;
	MDB_txn *txn;
	const struct st_run_list *list;
};
/* 1 and the fact from the newest run that has the key; 0 when the runs prove that they do not have it; -1. */
int st_run_find(struct st_finder *finder, const struct st_run_snapshot *runs, struct st_data key, struct pd_fact *out,
		struct pd_fail *fail);

struct st_run_source {
	struct st_run run;
	struct st_cursor cursor;
	struct st_run_view view; /* of the cursor's block */
	bool alive;              /* not at its end */
};

/* A merge of several runs in key order, the newest record of each key. */
struct st_run_walk {
	const struct st_facts *facts;
	uint32_t count, least;        /* sources; the one with the least key, UINT32_MAX: none */
	struct st_run_source *source; /* owned; newest first */
};
/* Begins after the key `after`, or with the first key when `size` is 0. Runs newest first. After a failure nothing is
 * open. */
struct st_run_range {
	const struct st_run *run;
	uint32_t count;
	const uint8_t *after;
	size_t size;
};
int st_run_walk_open(struct st_run_walk *walk, const struct st_facts *facts, MDB_txn *txn,
		     const struct st_run_range *range, struct pd_fail *fail);
void st_run_walk_close(struct st_run_walk *walk);
/* The current record, valid until the walk goes on; false at the end. */
bool st_run_walk_get(struct st_run_walk *walk, MDB_val *key, MDB_val *value);
/* Goes on to the next key; only after st_run_walk_get returned true. */
int st_run_walk_next(struct st_run_walk *walk, struct pd_fail *fail);
