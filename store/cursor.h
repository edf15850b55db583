/* A cursor: a place in a database, and a copy of the record there (private to store/). */
#pragma once

#include "store/env.h"
#include "store/key.h"

/* One place in a database, and a copy of the record there. Begins as {0}. */
struct st_cursor {
	MDB_cursor *cursor;
	MDB_val key, data; /* valid until the next move */
	uint8_t *room;     /* owned: memory of `data` */
	size_t capacity;
	uint8_t key_bytes[2][ST_DB_KEY_MAX + 1];
	bool writes; /* opened in a write transaction */
};

int st_cursor_open(struct st_cursor *c, const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, struct pd_fail *fail);
/* Moves the cursor to another read transaction. */
int st_cursor_renew(struct st_cursor *c, const struct st_env *env, MDB_txn *txn, struct pd_fail *fail);
/* To be called before the end of a write transaction. */
void st_cursor_close(struct st_cursor *c, const struct st_env *env);
/* Moves: 0, PD_E_NOT_FOUND (*fail untouched) at the end, or an error. MDB_NEXT must reach a larger key; anything else
 * is an error. `key` is for MDB_SET_RANGE. */
int st_cursor_move(struct st_cursor *c, const struct st_env *env, MDB_cursor_op op, const void *key, size_t key_size,
		   struct pd_fail *fail);
