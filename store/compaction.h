/* Compaction: several adjacent runs become one, in steps (private to store/).
 *
 * Each step appends a share to the new run in its own transaction. The last step replaces the sources by the run and
 * empties them. Runs that a flush publishes meanwhile are newer and come before them. The next start abandons an
 * interrupted compaction. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"

struct st_store;

/* Begins to compact `count` runs from position `first` of the list on. */
void st_compaction_start(struct st_store *store, uint32_t first, uint32_t count);
/* One step of bounded time, like st_flush_step. */
int st_compaction_step(struct st_store *store, struct pd_fail *fail);
