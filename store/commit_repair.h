/* Commit repair: undoes a commit that was reported as failed (private to store/). */
#pragma once

#include "proto/base/error.h"

struct st_store;

/* Repairs the files that failed commits have left in doubt, if any. The writer's; it has no open transaction. */
int st_commit_repair(struct st_store *store, struct pd_fail *fail);
