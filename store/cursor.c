#include "store/cursor.h"

#include <stdlib.h>

#include "proto/base/assert.h"

struct cursor_call {
	struct st_cursor *cursor;
	const struct st_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;
	MDB_cursor_op op;
	MDB_val key;
	size_t need;       /* bytes of a value that does not fit */
	uint8_t *key_room; /* where the key goes */
};

enum { TOO_LARGE = -31001 }; /* result of cursor_move_call: try again with `need` bytes of room */

static int cursor_open_call(void *arg)
{
	struct cursor_call *c = arg;
	return c->cursor->cursor ? mdb_cursor_renew(c->txn, c->cursor->cursor)
				 : mdb_cursor_open(c->txn, c->dbi, &c->cursor->cursor);
}

static int cursor_close_call(void *arg)
{
	mdb_cursor_close(arg);
	return 0;
}

static int cursor_move_call(void *arg)
{
	struct cursor_call *c = arg;
	struct st_cursor *cursor = c->cursor;
	MDB_val data;
	int rc = mdb_cursor_get(cursor->cursor, &c->key, &data, c->op);
	if (rc)
		return rc;
	if (c->key.mv_size > ST_DB_KEY_MAX || data.mv_size > ST_VALUE_MAX || !st_placed(c->env, c->key.mv_data) ||
	    !st_placed(c->env, data.mv_data))
		return ST_DAMAGED;
	if (data.mv_size > cursor->capacity) {
		c->need = data.mv_size;
		return TOO_LARGE;
	}
	memcpy(c->key_room, c->key.mv_data, c->key.mv_size);
	if (data.mv_size)
		memcpy(cursor->room, data.mv_data, data.mv_size);
	cursor->data = (MDB_val){data.mv_size, cursor->room};
	return 0;
}

static int cursor_grow(struct st_cursor *c, size_t need, struct pd_fail *fail)
{
	size_t capacity = need < 4096 ? 4096 : need + need / 4;
	uint8_t *grown = realloc(c->room, capacity);
	if (!grown)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to read a record");
	c->room = grown;
	c->capacity = capacity;
	return PD_OK;
}

/* Opens the cursor, or moves an open one to another transaction. */
static int start_cursor(struct st_cursor *c, const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, struct pd_fail *fail)
{
	struct cursor_call call = {.cursor = c, .env = env, .txn = txn, .dbi = dbi};
	c->key = c->data = (MDB_val){0, NULL};
	int rc = st_guarded(env, txn, cursor_open_call, &call);
	return rc ? st_env_fail(env, rc, "read a table", fail) : PD_OK;
}

int st_cursor_open(struct st_cursor *c, const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, struct pd_fail *fail)
{
	PD_ASSERT(txn);
	c->cursor = NULL;
	c->writes = st_writes(env, txn);
	return start_cursor(c, env, txn, dbi, fail);
}

int st_cursor_renew(struct st_cursor *c, const struct st_env *env, MDB_txn *txn, struct pd_fail *fail)
{
	PD_ASSERT(c->cursor && !c->writes);
	return start_cursor(c, env, txn, 0, fail);
}

void st_cursor_close(struct st_cursor *c, const struct st_env *env)
{
	/* After a fault a cursor of the write transaction may be anywhere in LMDB's lists: it is not closed. */
	if (c->cursor && !(c->writes && atomic_load(&env->live->broken)))
		st_guarded(env, NULL, cursor_close_call, c->cursor);
	free(c->room);
	*c = (struct st_cursor){.cursor = NULL};
}

int st_cursor_move(struct st_cursor *c, const struct st_env *env, MDB_cursor_op op, const void *key, size_t key_size,
		   struct pd_fail *fail)
{
	PD_ASSERT(c->cursor && (op != MDB_SET_RANGE || (key && key_size <= ST_DB_KEY_MAX + 1)));
	unsigned other = c->key.mv_data == c->key_bytes[0]; /* keeps the previous key */
	struct cursor_call call = {.cursor = c,
				   .env = env,
				   .op = op,
				   .key = {key_size, (void *)(uintptr_t)key},
				   .key_room = c->key_bytes[other]};
	if (c->writes && atomic_load(&env->live->broken))
		return st_env_broken(env, fail);
	/* Reading changes nothing that a write transaction depends on, so the transaction may continue after a fault
	 * here. */
	int rc = st_guard_call(&env->maps, cursor_move_call, &call);
	while (rc == TOO_LARGE) {
		rc = cursor_grow(c, call.need, fail);
		if (rc)
			return rc;
		call.op = MDB_GET_CURRENT;
		rc = st_guard_call(&env->maps, cursor_move_call, &call);
	}
	if (rc == MDB_NOTFOUND)
		return PD_E_NOT_FOUND;
	if (rc == MDB_BAD_TXN && !c->writes)
		rc = ST_DAMAGED; /* LMDB has read a bad page, and refuses the transaction */
	if (rc)
		return st_env_fail(env, rc, "walk through records", fail);
	bool rises = op != MDB_NEXT || !c->key.mv_data ||
		     st_key_compare(c->key.mv_data, c->key.mv_size, call.key_room, call.key.mv_size) < 0;
	c->key = (MDB_val){call.key.mv_size, call.key_room};
	return rises ? PD_OK : st_env_corrupt(env, fail, "its records are out of order");
}
