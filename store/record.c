#include "store/record.h"

#include <errno.h>

#include "proto/base/assert.h"
#include "store/key.h"

/* The checksum of a payload under its key. */
static uint32_t seal_of(const void *key, size_t key_size, const void *payload, size_t size)
{
	return (uint32_t)XXH3_64bits_withSeed(payload, size, pd_hash64(key, key_size));
}

bool st_unseal(const void *key, size_t key_size, MDB_val *record)
{
	const uint8_t *p = record->mv_data;
	if (record->mv_size < ST_SEAL)
		return false;
	size_t size = record->mv_size - ST_SEAL;
	if (pd_get_le32(p) != seal_of(key, key_size, p + ST_SEAL, size))
		return false;
	*record = (MDB_val){size, (void *)(uintptr_t)(p + ST_SEAL)};
	return true;
}

static MDB_val value_of(struct st_data data)
{
	return (MDB_val){data.size, (void *)(uintptr_t)data.bytes};
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
		pd_put_le32(p, seal_of(c->key.mv_data, c->key.mv_size, c->data, c->size));
		p += ST_SEAL;
	}
	if (c->size)
		memcpy(p, c->data, c->size);
	return 0;
}

int st_put_any(struct st_place at, struct st_data key, struct st_data value, unsigned flags, bool sealed,
	       struct pd_fail *fail)
{
	struct put_call c = {at.txn, at.dbi, flags, sealed, value_of(key), value.bytes, value.size};
	PD_ASSERT(st_writes(at.env, at.txn));
	PD_ASSERT(key.size && key.size <= ST_DB_KEY_MAX && value.size <= ST_VALUE_MAX);
	if (atomic_load(&at.env->live->broken))
		return st_env_broken(at.env, fail);
	int rc = st_guarded(at.env, at.txn, put_call, &c);
	at.env->live->wrote = true;
	return rc ? st_env_fail(at.env, rc, "write a record", fail) : PD_OK;
}

int st_put(struct st_place at, struct st_data key, struct st_data value, unsigned flags, struct pd_fail *fail)
{
	if (st_fault_hit(&at.env->faults->put))
		return st_env_fail(at.env, ENOSPC, "write a record", fail);
	return st_put_any(at, key, value, flags, false, fail);
}

int st_put_sealed(struct st_place at, struct st_data key, struct st_data value, unsigned flags, struct pd_fail *fail)
{
	if (st_fault_hit(&at.env->faults->put))
		return st_env_fail(at.env, ENOSPC, "write a record", fail);
	return st_put_any(at, key, value, flags, true, fail);
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

int st_get(struct st_place at, struct st_data key, void *data, size_t room, size_t *size, struct pd_fail *fail)
{
	struct get_call c = {at.env, at.txn, at.dbi, value_of(key), data, room, 0};
	PD_ASSERT(at.txn && key.size && key.size <= ST_DB_KEY_MAX);
	*size = 0;
	if (st_writes(at.env, at.txn) && atomic_load(&at.env->live->broken))
		return st_env_broken(at.env, fail);
	/* Reading changes nothing that a write transaction depends on, so the transaction may continue after a fault
	 * here. */
	int rc = st_guard_call(&at.env->maps, get_call, &c);
	*size = c.size;
	if (rc == MDB_NOTFOUND)
		return PD_E_NOT_FOUND;
	return rc ? st_env_fail(at.env, rc, "read a record", fail) : PD_OK;
}

int st_get_sealed(struct st_place at, struct st_data key, void *data, size_t room, size_t *size, struct pd_fail *fail)
{
	int rc = st_get(at, key, data, room, size, fail);
	MDB_val record = {*size, data};
	if (rc)
		return rc;
	if (!st_unseal(key.bytes, key.size, &record))
		return st_env_corrupt(at.env, fail, "the checksum of a record does not match");
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

int st_del(struct st_place at, struct st_data key, struct pd_fail *fail)
{
	struct del_call c = {at.txn, at.dbi, value_of(key)};
	PD_ASSERT(st_writes(at.env, at.txn) && key.size && key.size <= ST_DB_KEY_MAX);
	if (st_fault_hit(&at.env->faults->put))
		return st_env_fail(at.env, ENOSPC, "delete a record", fail);
	if (atomic_load(&at.env->live->broken))
		return st_env_broken(at.env, fail);
	int rc = st_guarded(at.env, at.txn, del_call, &c);
	at.env->live->wrote = true;
	return rc && rc != MDB_NOTFOUND ? st_env_fail(at.env, rc, "delete a record", fail) : PD_OK;
}
