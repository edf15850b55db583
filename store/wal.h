/* The write-ahead log of facts: database `factlog` (private to store/).
 *
 * It makes new facts durable before they are in a run (S2). A record is one reason: game, exact key, reason. Records
 * are packed into blocks that are numbered from 1 without gaps. At start the blocks after run_list.merged are replayed
 * into the memtable. Adding a fact is idempotent, so replaying a block whose facts are in a run does no harm. */
#pragma once

#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "store/block.h"
#include "store/key.h"

struct st_batch;
struct st_store;

struct st_wal_record {
	uint8_t key[ST_DB_KEY_MAX]; /* be32 game, exact key */
	size_t key_size;
	struct pd_reason reason;
};
/* Reads the record at view->p; `record` holds the previous one (key_size 0: none). False when it does not decode. */
bool st_wal_next(struct st_block_view *view, struct st_wal_record *record);
/* Appends a reason; `key` is a database key. */
int st_wal_append(struct st_batch *batch, const uint8_t *key, size_t size, const struct pd_reason *reason,
		  struct pd_fail *fail);
/* Writes the current block. */
int st_wal_flush(struct st_batch *batch, struct pd_fail *fail);
/* Replays the blocks after `after` into the memtable; *last is the last one replayed, also after a failure. */
int st_wal_replay(struct st_store *store, uint64_t after, uint64_t *last, struct pd_fail *fail);
