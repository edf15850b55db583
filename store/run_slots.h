/* Run slots: which databases of the facts environment are free, and the moment a new list of runs takes effect (private
 * to store/). All calls are the writer's. */
#pragma once

#include "store/run_list.h"

struct st_store;

/* A database that is neither in the list nor being built. */
uint32_t st_run_slot_free(const struct st_store *store);
/* Empties the runs that an interrupted flush or compaction left; part of opening. */
int st_run_recover(struct st_store *store, MDB_txn *txn, struct pd_fail *fail);
/* Brings the figures of st_stats about facts up to date. */
void st_stats_renew(struct st_store *store);
/* After the commit that wrote `list`. */
void st_run_published(struct st_store *store, const struct st_run_list *list);
