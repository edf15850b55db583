/* Compact files: rewrites both files of a data directory without free pages (`proofctl compact`).
 *
 * LMDB's files never shrink: deleted records leave pages that are reused. All records (moment.h) are copied to new
 * files in DIR/compact.new, which are checked and synced before they replace the old ones, facts.mdb first. The records
 * do not change, so old and new files belong together: a crash at any point leaves a complete directory. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"

struct st_compacted {
	uint64_t bytes_before, bytes_after; /* of both files */
};

/* PD_E_LOCKED while any process has the directory open. Needs disk space for the new files next to the old ones.
 * `step`, for tests, may be NULL; it is called after each step. */
int st_compact_files(const char *dir, void (*step)(void *ctx), void *ctx, struct st_compacted *out,
		     struct pd_fail *fail);
