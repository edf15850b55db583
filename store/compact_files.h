/* Compact files: `proofctl compact`: both files of a data directory are written again without free pages.
 *
 * LMDB's files never shrink: what is deleted leaves pages that are used again. Here all records (moment.h) go to new
 * files in DIR/compact.new, which are checked and durable before they take the place of the old ones, facts.mdb first.
 * The records stay what they are, so old and new files fit together: a crash at any point leaves a whole directory. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"

struct st_compacted {
	uint64_t bytes_before, bytes_after; /* of both files */
};

/* PD_E_LOCKED while any process has the directory open. Needs room for the new files next to the old ones. `step` (may
 * be NULL) is called after each step, for tests. */
int st_compact_files(const char *dir, void (*step)(void *ctx), void *ctx, struct st_compacted *out,
		     struct pd_fail *fail);
