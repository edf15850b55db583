/* Pages: LMDB's own structures, looked at before LMDB believes them (private to store/).
 *
 * LMDB has no checksums. A damaged head may send it anywhere; and in a write transaction a damaged page may make it
 * overwrite its own memory, and a damaged list of free pages the data. So the file is read with plain reads, never
 * through the map, and held to what LMDB writes. This is the layout of LMDB 0.9 on machines of 64 bits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct st_env;

/* The pages that hold structure: each is what it has to be, and no page of the file is used twice, or is free and used.
 * The leaves of a database without overflow pages are only counted: their records have checksums. For the one that
 * writes, before it does, with `id` 0; or for a read transaction with its number, which does nothing if a writer has
 * gone on too far. */
int st_pages_check(const struct st_env *env, uint64_t id, struct pd_fail *fail);
