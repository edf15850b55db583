/* Compaction: several adjacent runs become one, in steps (private to store/).
 *
 * Each step appends a share to the new run in a transaction of its own, behind the last key that it wrote. The last
 * step puts the run in the place of its sources and empties them. Runs that a flush publishes meanwhile are newer and
 * stand before them. An interrupted compaction is abandoned at the next start. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"

struct st_store;

/* `count` runs from position `first` of the list on. */
void st_compaction_start(struct st_store *store, uint32_t first, uint32_t count);
/* One step of bounded time, as st_flush_step. */
int st_compaction_step(struct st_store *store, struct pd_fail *fail);
