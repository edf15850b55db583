/* Create: the files of a new data directory (private to store/).
 *
 * Both files are created under other names, facts.mdb.new and work.mdb.new, and renamed when they are complete and
 * synced, work.mdb last. So a directory with a work.mdb has both files, a creation that was interrupted is started
 * again by the next open, and an empty or missing file is always damage. */
#pragma once

#include "proto/base/error.h"

struct st_store;

/* Creates both files; part of opening, under the lock. */
int st_create(struct st_store *store, struct pd_fail *fail);
int st_create_facts(struct st_store *store, struct pd_fail *fail);
