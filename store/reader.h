/* Reader: look-ups of facts in the memtable, then in the runs (S3).
 *
 * The read transaction begins after the look-up in the memtable: a fact that has left the memtable meanwhile is in a
 * run by then. */
#pragma once

#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "store/key.h"

struct st_reader; /* one thread's access to the facts */
struct st_store;

int st_reader_open(struct st_store *store, struct st_reader **out, struct pd_fail *fail);
void st_reader_close(struct st_reader *reader);
/* 1 and the fact, 0 when nothing is known, -1 on an error (*fail filled). *out is an initialized fact, which is
 * replaced. Cheap enough to call for every position. */
int st_fact_get(struct st_reader *reader, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *out,
		struct pd_fail *fail);
/* The same for many positions of a game, in few read transactions. 0, or -1 on an error: then no answer is valid. */
struct st_wanted {
	const uint8_t *key;
	size_t size;
	struct pd_fact *fact; /* initialized; the answer if `found` */
	bool found;
};
int st_fact_get_many(struct st_reader *reader, uint32_t game, struct st_wanted *wanted, size_t count,
		     struct pd_fail *fail);
/* Waits until no batch is partly visible. The facts of a batch become visible one after the other: a reader that has
 * seen one and misses another that it depends on calls this and looks again. */
void st_fact_settle(struct st_reader *reader);
/* Every fact of every game in key order, memtable and runs merged. A non-zero return of `each` ends the walk and is
 * returned. */
int st_fact_each(struct st_reader *reader,
		 int (*each)(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact),
		 void *ctx, struct pd_fail *fail);
/* The same with a reader of its own. */
int st_fact_walk(struct st_store *store,
		 int (*each)(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact),
		 void *ctx, struct pd_fail *fail);

/* --- within store/ ------------------------------------------------------------------------- */

/* Like st_fact_get, with the database key. The read transaction stays active until st_reader_reset. */
int st_reader_find(struct st_reader *reader, const struct st_fact_key *key, struct pd_fact *out, struct pd_fail *fail);
void st_reader_reset(struct st_reader *reader);
