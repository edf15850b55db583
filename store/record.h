/* Single records: put, get, delete, and the seal (private to store/).
 *
 * A sealed record is ST_SEAL bytes of checksum and the payload. The checksum covers the key, so a record under a wrong
 * key is as wrong as one with a flipped bit. Everything small that is not packed in blocks (block.h) is sealed.
 *
 * Data that is read is copied out of LMDB's map inside the guard (guard.h); callers see the copy only. */
#pragma once

#include "store/layout.h"

enum { ST_SEAL = 4 }; /* bytes of checksum before a sealed payload */

/* A database in a transaction. */
struct st_place {
	const struct st_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;
};
static inline struct st_place st_work_place(const struct st_work *work, MDB_txn *txn, enum st_work_dbi dbi)
{
	return (struct st_place){&work->env, txn, work->dbi[dbi]};
}

/* Borrowed bytes. */
struct st_data {
	const void *bytes;
	size_t size;
};
/* All bytes of an array. */
#define ST_BYTES(array) ((struct st_data){array, sizeof array})

int st_put(struct st_place at, struct st_data key, struct st_data value, unsigned flags, struct pd_fail *fail);
int st_put_sealed(struct st_place at, struct st_data key, struct st_data value, unsigned flags, struct pd_fail *fail);
/* A copy of a record of at most `room` bytes; a longer one is PD_E_CORRUPT. 0, PD_E_NOT_FOUND (*fail untouched), or an
 * error. */
int st_get(struct st_place at, struct st_data key, void *data, size_t room, size_t *size, struct pd_fail *fail);
/* The same for the payload of a sealed record; PD_E_CORRUPT when the seal is broken. `room` includes the seal. */
int st_get_sealed(struct st_place at, struct st_data key, void *data, size_t room, size_t *size, struct pd_fail *fail);
/* Deletes a record, if it exists. */
int st_del(struct st_place at, struct st_data key, struct pd_fail *fail);
/* Checks the seal of a record and makes *record its payload; false when the seal is broken. */
bool st_unseal(const void *key, size_t key_size, MDB_val *record);
/* Both puts without the fault counter; for the stamp of a commit (txn.c). */
int st_put_any(struct st_place at, struct st_data key, struct st_data value, unsigned flags, bool sealed,
	       struct pd_fail *fail);
