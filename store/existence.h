/* Existence records: what must exist of a job (private to store/).
 *
 * A look-up that finds nothing proves nothing: the record may never have been written, or a damaged page hides it. So
 * every job number that was given has an existence record, which counts the job's events and says whether it has a job
 * record and a transposition table; meta/"counters" counts the existence records. It is created with the number and
 * deleted with the job. */
#pragma once

#include "store/layout.h"

enum { ST_EXISTENCE_BYTES = 9 };

struct st_existence {
	uint64_t events; /* in the job's history */
	bool record;     /* there is a record in `jobs` */
	bool tt;         /* there is a record in `tables` */
};

/* PD_E_NOT_FOUND (*fail untouched) when the job number was not given, or the job was removed. */
int st_existence_get(const struct st_work *work, MDB_txn *txn, uint32_t job, struct st_existence *out,
		     struct pd_fail *fail);
/* The same; PD_E_CORRUPT when there is none. */
int st_existence_require(const struct st_work *work, MDB_txn *txn, uint32_t job, struct st_existence *out,
			 struct pd_fail *fail);
int st_existence_put(const struct st_work *work, MDB_txn *txn, uint32_t job, const struct st_existence *existence,
		     struct pd_fail *fail);
/* Unpacks an unsealed record; false when it does not decode. */
bool st_existence_unpack(const uint8_t *p, size_t size, struct st_existence *out);
/* For reading what belongs to a job. A missing record is PD_E_CORRUPT unless all others prove that the job does not
 * exist; then it reads as {0}. */
int st_existence_read(const struct st_work *work, MDB_txn *txn, uint32_t job, struct st_existence *out,
		      struct pd_fail *fail);
