/* Commit repair: makes a commit that was reported as failed a commit that has failed (private to store/). */
#ifndef ST_COMMIT_REPAIR_H
#define ST_COMMIT_REPAIR_H

#include "proto/base/error.h"

struct st_store;

/* Repairs what failed commits have left in doubt, if anything. The writer's; without a transaction or an active read
 * transaction of its own. Nothing to do in memory. */
int st_commit_repair(struct st_store *store, struct pd_fail *fail);

#endif
