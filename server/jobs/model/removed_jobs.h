/* Removed jobs: what must be known of jobs that were removed.
 *
 * The facts that a job found outlive it, and when a version of this program turns out to be wrong, `proofctl taint
 * --engine` must still find them. So for each version the directory keeps the range of numbers of the removed jobs that
 * it worked on. A number in the range may have been another version's job: then one fact too many is taken back, never
 * one too few. */
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
/* Sets the numbers of a line of another kind, whose first word is not a version; with two zeros it is not written.
 * False without memory, never when the line exists already. */
bool sv_removed_jobs_set(struct sv_removed_jobs *forgotten, const char *word, uint32_t first, uint32_t last);
/* Nothing is left of what a version did. */
void sv_removed_jobs_drop(struct sv_removed_jobs *forgotten, const char *version);
/* Whether a removed job of that number may have been the version's. */
bool sv_removed_jobs_has(const struct sv_removed_jobs *forgotten, uint32_t job, const char *version);
int sv_removed_jobs_write(const struct sv_removed_jobs *forgotten, struct st_batch *batch, struct pd_fail *fail);
