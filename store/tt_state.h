/* tables/JOB: where a job's transposition table is stored (private to store/).
 *
 *     journal   ... | blocks since the snapshot was begun ........................ | next
 *                   ^ journal_start            ^ building_start: a new snapshot was begun here
 *
 * The table is the snapshot, then the journal's blocks [journal_start, journal_next) in order. A rolling snapshot
 * writes the whole table, a share with each batch, while changes go to the journal. When it is complete it replaces the
 * older snapshot, and journal_start becomes building_start. Other blocks are garbage (gc.h). */
#pragma once

#include "store/key.h"
#include "store/layout.h"

enum { ST_TT_STATE = 61 }; /* bytes of the record */

struct st_tt_state {
	uint64_t journal_start, journal_next; /* live blocks: [start, next) */
	uint32_t snapshot, snapshot_blocks;   /* the live snapshot and its number of blocks; 0: none */
	uint32_t building, building_blocks;   /* the snapshot being written; 0: none */
	uint64_t building_start;              /* journal_next when it was begun */
	uint32_t last_snapshot;               /* the last one begun; snapshot numbers are not reused */
	bool dropped;                         /* the table is discarded; the record is deleted after its last block */
	struct pd_id question;                /* what the entries belong to; {0, 0}: not named yet */
};

void st_tt_state_pack(uint8_t *p, const struct st_tt_state *state);
/* False when the record does not decode or contradicts itself. */
bool st_tt_state_unpack(const uint8_t *p, size_t size, struct st_tt_state *out);
/* Discards the table: no block is live any longer. */
void st_tt_state_drop(struct st_tt_state *t);
/* {0} when the job has no table; PD_E_CORRUPT when its existence record says otherwise. */
int st_tt_state_get(const struct st_work *work, MDB_txn *txn, uint32_t job, struct st_tt_state *out,
		    struct pd_fail *fail);
int st_tt_state_put(const struct st_work *work, MDB_txn *txn, uint32_t job, const struct st_tt_state *state,
		    struct pd_fail *fail);

/* Keys of blocks: `key` has ST_KEY_32_64 and ST_KEY_32_32_32 bytes. */
void st_tt_journal_key(uint8_t *key, uint32_t job, uint64_t block);
void st_tt_snapshot_key(uint8_t *key, uint32_t job, uint32_t snapshot, uint32_t block);
