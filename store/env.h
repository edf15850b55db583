/* Env: the border to LMDB (private to store/).
 *
 * One LMDB environment of ours, its transactions and its records. Every code that LMDB returns is translated here, in one table
 * (env.c), and every put and commit passes here, so that tests can make any of them fail (st_fault).
 *
 * Sealed records: four bytes of checksum in front of the payload. Whatever is small and not packed in blocks (block.h) is sealed, so that a
 * flipped bit on the disk is found and not believed. */
#ifndef ST_ENV_H
#define ST_ENV_H

#include <lmdb.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"

/* Counters of st_fault: 0 is off, n makes the n-th call fail. */
struct st_faults {
	atomic_uint put, commit;
};

struct st_env {
	MDB_env *env;
	const char *name;         /* of the file in the directory; a literal */
	struct st_faults *faults; /* borrowed from the store */
};

enum { ST_SEAL = 4 }; /* bytes of checksum before a sealed payload */

/* Opens DIR/NAME with the settings that FORMAT.md gives reasons for. `unlocked`: the caller made sure that nobody writes, and the lock file
 * cannot be had. If opening fails there is nothing to undo. */
int st_env_open(struct st_env *env, const char *dir, const char *name, bool read_only, bool unlocked,
		struct st_faults *faults, struct pd_fail *fail);
void st_env_close(struct st_env *env);
/* The size of the data file in bytes, 0 when it cannot be had. */
uint64_t st_env_bytes(const struct st_env *env);

/* The translation of a code from LMDB into ours. */
enum pd_error st_error_of_lmdb(int code);
/* Fills *fail for a failed LMDB call; `doing` completes "cannot ...". */
int st_env_fail(const struct st_env *env, int code, const char *doing, struct pd_fail *fail);

int st_txn_begin(const struct st_env *env, bool read_only, MDB_txn **out, struct pd_fail *fail);
/* Commits a write transaction; ends it in success and failure alike. */
int st_txn_commit(const struct st_env *env, MDB_txn *txn, struct pd_fail *fail);

/* Takes one from a fault counter; true when this call has to fail. */
bool st_fault_hit(atomic_uint *counter);

int st_put(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, const void *data,
	   size_t size, unsigned flags, struct pd_fail *fail);
int st_put_sealed(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size,
		  const void *data, size_t size, unsigned flags, struct pd_fail *fail);
/* 0, PD_E_NOT_FOUND (*fail untouched), or an error. The bytes are borrowed until the transaction writes or ends. */
int st_get(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, MDB_val *out,
	   struct pd_fail *fail);
/* Likewise, and PD_E_CORRUPT when the seal is broken; *out is the payload. */
int st_get_sealed(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, MDB_val *out,
		  struct pd_fail *fail);
int st_del(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, struct pd_fail *fail);
/* Checks the seal of a record and makes *record its payload; false when it is broken. The key is part of what is sealed. */
bool st_unseal(const void *key, size_t key_size, MDB_val *record);

/* Moves a cursor; 0, PD_E_NOT_FOUND (*fail untouched) at the end, or an error. */
int st_cursor(const struct st_env *env, MDB_cursor *cursor, MDB_val *key, MDB_val *data, MDB_cursor_op op,
	      struct pd_fail *fail);

/* Keys: big-endian numbers, so that their order in the file is their numeric order. */
enum { ST_KEY_32 = 4, ST_KEY_64 = 8, ST_KEY_32_64 = 12, ST_KEY_32_32_32 = 12 };
void st_put_be64(uint8_t *p, uint64_t v);
uint64_t st_get_be64(const uint8_t *p);

#endif
