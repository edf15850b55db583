/* Removed jobs: what must be known of jobs that were removed.
 *
 * The facts of a job outlive it, and `proofctl taint --engine` must find them when a version of this program turns out
 * to be wrong. So the directory keeps, for each version, the range of numbers of the removed jobs that it worked on. If
 * a number in the range was another version's job, too many facts are retracted, never too few. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct st_store;
struct st_batch;

struct sv_removed_jobs {
	struct sv_removed_jobs_range {
		char *version;        /* owned */
		uint32_t first, last; /* jobs */
	} * range;                    /* owned */
	size_t count;
};

/* What the directory knows; empty when no job was removed. PD_E_CORRUPT, PD_E_NO_MEMORY. */
int sv_removed_jobs_read(struct sv_removed_jobs *forgotten, struct st_store *store, struct pd_fail *fail);
void sv_removed_jobs_fini(struct sv_removed_jobs *forgotten);
/* `engines`: the versions that worked on the job, separated by spaces (may be NULL). False without memory. */
bool sv_removed_jobs_add(struct sv_removed_jobs *forgotten, uint32_t job, const char *engines);
/* Sets the numbers of another kind of line, whose first word is not a version; a line with two zeros is not written.
 * False without memory, which cannot happen to a line that exists. */
bool sv_removed_jobs_set(struct sv_removed_jobs *forgotten, const char *word, uint32_t first, uint32_t last);
/* Forgets a version when nothing of its work is left. */
void sv_removed_jobs_drop(struct sv_removed_jobs *forgotten, const char *version);
/* Whether the version may have worked on a removed job of that number. */
bool sv_removed_jobs_has(const struct sv_removed_jobs *forgotten, uint32_t job, const char *version);
int sv_removed_jobs_write(const struct sv_removed_jobs *forgotten, struct st_batch *batch, struct pd_fail *fail);
