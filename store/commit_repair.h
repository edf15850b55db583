/* Commit repair: makes a commit that was reported as failed a commit that has failed (private to store/). */
#pragma once

#include "proto/base/error.h"

struct st_store;

/* Repairs what failed commits have left in doubt, if anything. The writer's; without a transaction or an active read
 * transaction of its own. Nothing to do in memory. */
int st_commit_repair(struct st_store *store, struct pd_fail *fail);
