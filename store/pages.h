/* Pages: checks LMDB's own structures before LMDB trusts them (private to store/).
 *
 * LMDB has no checksums. A damaged head may lead it anywhere. In a write transaction a damaged page may make it
 * overwrite its own memory, and a damaged list of free pages the data. So the file is read with plain reads, never
 * through the map, and compared with what LMDB writes. This is the layout of LMDB 0.9 on 64-bit machines. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct st_env;

/* Checks the pages that hold structure, and that no page of the file has two uses. The leaves of a database without
 * overflow pages are only counted: their records have checksums. `id` 0: for the writer, before it writes; else the
 * number of a read transaction, and nothing is checked if a writer has gone on too far. */
int st_pages_check(const struct st_env *env, uint64_t id, struct pd_fail *fail);
