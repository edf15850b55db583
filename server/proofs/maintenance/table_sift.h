/* Table sift: a job's table without its solved entries.
 *
 * An unsolved entry steers the search and proves nothing; a solved one may rest on a fact that is retracted. What is
 * left is written as a new snapshot, in several transactions: until the last one the table is as it was. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"

struct st_store;

/* No batch is open. A table that is damaged, or for which there is no memory, is dropped. */
int sv_table_sift(struct st_store *store, uint32_t job, struct pd_fail *fail);
