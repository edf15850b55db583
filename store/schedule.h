/* Schedule: which background work is due, between batches (private to store/).
 *
 * Size-tiered compaction: runs are merged when `compaction_width` of them at the newest end of the list, each no larger
 * than all newer ones together, can become one. The number of compactions that a fact goes through is logarithmic in
 * the number of facts; it is written three or four times in all.
 *
 * When idle, the memtable is flushed and the runs become one. A run is not rewritten for new facts of less than an
 * eighth of its size: those become a second run. */
#pragma once

#include "proto/base/error.h"
#include "store/store_types.h"

extern const struct st_tuning st_tuning_default;
/* The writer's: true when facts arrive faster than they are moved, and take twice the memory that causes a flush. Then
 * st_facts_maintain is urgent. */
bool st_facts_pressing(const struct st_store *store);
/* st_facts_maintain, on disk. */
int st_schedule_step(struct st_store *store, bool idle, struct pd_fail *fail);
