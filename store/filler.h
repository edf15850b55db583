/* Filler: makes a new data directory from the records of another (private to store/).
 *
 * The records arrive table by table in the order of their keys. Once a transaction is large, it is committed and a new
 * one is begun. */
#pragma once

#include "store/record.h"

struct st_store;

struct st_filler {
	struct st_store *store; /* owned */
	MDB_txn *work, *facts;  /* NULL: none under way */
	uint64_t weight;        /* bytes put since the last commit */
	uint64_t records, bytes;
};

/* `dir` does not exist, or is empty. After a failure nothing is open. */
int st_filler_open(struct st_filler *f, const char *dir, struct pd_fail *fail);
/* `table` is a number as in moment.h. PD_E_CORRUPT for a record out of order. */
int st_filler_put(struct st_filler *f, uint32_t table, struct st_data key, struct st_data value, struct pd_fail *fail);
/* Commits what is left, closes the directory, opens it again and checks every record of it. */
int st_filler_finish(struct st_filler *f, const char *dir, struct pd_fail *fail);
/* Gives up. A second call does nothing. */
void st_filler_close(struct st_filler *f);
