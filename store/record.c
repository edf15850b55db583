/* Record: writing, reading and deleting single records, in guarded calls. */
#include "store/record.h"

#include <errno.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "store/key.h"

uint32_t st_seal_of(const void *key, size_t key_size, const void *payload, size_t size)
{
	return (uint32_t)XXH3_64bits_withSeed(payload, size, pd_hash64(key, key_size));
}

bool st_unseal(const void *key, size_t key_size, MDB_val *record)
{
	const uint8_t *p = record->mv_data;
	if (record->mv_size < ST_SEAL)
		return false;
	size_t size = record->mv_size - ST_SEAL;
	if (pd_get_le32(p) != st_seal_of(key, key_size, p + ST_SEAL, size))
		return false;
	*record = (MDB_val){size, (void *)(uintptr_t)(p + ST_SEAL)};
	return true;
}

struct put_call {
	MDB_txn *txn;
	MDB_dbi dbi;
	unsigned flags;
	bool sealed;
	MDB_val key;
	const void *data;
	size_t size;
};

static int put_call(void *arg)
{
	struct put_call *c = arg;
	MDB_val room = {c->size + (c->sealed ? ST_SEAL : 0), NULL};
	int rc = mdb_put(c->txn, c->dbi, &c->key, &room, c->flags | MDB_RESERVE);
	if (rc)
		return rc;
	uint8_t *p = room.mv_data;
	if (c->sealed) {
		pd_put_le32(p, st_seal_of(c->key.mv_data, c->key.mv_size, c->data, c->size));
		p += ST_SEAL;
	}
	if (c->size)
		memcpy(p, c->data, c->size);
	return 0;
}

int st_put_any(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, const void *data,
	       size_t size, unsigned flags, bool sealed, struct pd_fail *fail)
{
	struct put_call c = {txn, dbi, flags, sealed, {key_size, (void *)(uintptr_t)key}, data, size};
	PD_ASSERT(st_writes(env, txn));
	PD_ASSERT(key_size && key_size <= ST_DB_KEY_MAX && size <= ST_VALUE_MAX);
	if (atomic_load(&env->live->broken))
		return st_env_broken(env, fail);
	int rc = st_guarded(env, txn, put_call, &c);
	env->live->wrote = true;
	return rc ? st_env_fail(env, rc, "write a record", fail) : PD_OK;
}

int st_put(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, const void *data,
	   size_t size, unsigned flags, struct pd_fail *fail)
{
	if (st_fault_hit(&env->faults->put))
		return st_env_fail(env, ENOSPC, "write a record", fail);
	return st_put_any(env, txn, dbi, key, key_size, data, size, flags, false, fail);
}

int st_put_sealed(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size,
		  const void *data, size_t size, unsigned flags, struct pd_fail *fail)
{
	if (st_fault_hit(&env->faults->put))
		return st_env_fail(env, ENOSPC, "write a record", fail);
	return st_put_any(env, txn, dbi, key, key_size, data, size, flags, true, fail);
}

struct get_call {
	const struct st_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;
	MDB_val key;
	uint8_t *data; /* a copy goes here */
	size_t room, size;
};

static int get_call(void *arg)
{
	struct get_call *c = arg;
	MDB_val value;
	int rc = mdb_get(c->txn, c->dbi, &c->key, &value);
	if (rc)
		return rc;
	if (value.mv_size > c->room || !st_placed(c->env, value.mv_data))
		return ST_DAMAGED;
	c->size = value.mv_size;
	if (value.mv_size)
		memcpy(c->data, value.mv_data, value.mv_size);
	return 0;
}

int st_get(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, void *data,
	   size_t room, size_t *size, struct pd_fail *fail)
{
	struct get_call c = {env, txn, dbi, {key_size, (void *)(uintptr_t)key}, data, room, 0};
	PD_ASSERT(txn && key_size && key_size <= ST_DB_KEY_MAX);
	*size = 0;
	if (st_writes(env, txn) && atomic_load(&env->live->broken))
		return st_env_broken(env, fail);
	/* Reading changes nothing that a write transaction leans on, so it may go on after a fault here. */
	int rc = st_guard_call(&env->maps, get_call, &c);
	*size = c.size;
	if (rc == MDB_NOTFOUND)
		return PD_E_NOT_FOUND;
	return rc ? st_env_fail(env, rc, "read a record", fail) : PD_OK;
}

int st_get_sealed(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, void *data,
		  size_t room, size_t *size, struct pd_fail *fail)
{
	int rc = st_get(env, txn, dbi, key, key_size, data, room, size, fail);
	MDB_val record = {*size, data};
	if (rc)
		return rc;
	if (!st_unseal(key, key_size, &record))
		return st_env_corrupt(env, fail, "the checksum of a record does not match");
	memmove(data, record.mv_data, record.mv_size);
	*size = record.mv_size;
	return PD_OK;
}

struct del_call {
	MDB_txn *txn;
	MDB_dbi dbi;
	MDB_val key;
};

static int del_call(void *arg)
{
	struct del_call *c = arg;
	return mdb_del(c->txn, c->dbi, &c->key, NULL);
}

int st_del(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, struct pd_fail *fail)
{
	struct del_call c = {txn, dbi, {key_size, (void *)(uintptr_t)key}};
	PD_ASSERT(st_writes(env, txn) && key_size && key_size <= ST_DB_KEY_MAX);
	if (st_fault_hit(&env->faults->put))
		return st_env_fail(env, ENOSPC, "delete a record", fail);
	if (atomic_load(&env->live->broken))
		return st_env_broken(env, fail);
	int rc = st_guarded(env, txn, del_call, &c);
	env->live->wrote = true;
	return rc && rc != MDB_NOTFOUND ? st_env_fail(env, rc, "delete a record", fail) : PD_OK;
}
