/* Removed jobs: what must be known of jobs that were removed.
 *
 * The facts that a job found outlive it, and when a version of this program turns out to be wrong, `proofctl taint
 * --engine` must still find them. So for each version the directory keeps the numbers between which the forgotten jobs
 * lie that it worked on. A number in between that has no record may be a job of another version's: then a fact too many
 * is taken back, never one too few. */
#ifndef SV_REMOVED_JOBS_H
#define SV_REMOVED_JOBS_H

#include <stdbool.h>
#include <stddef.h>
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

/* What the directory knows; empty when no job was taken out. PD_E_CORRUPT, PD_E_NO_MEMORY. */
int sv_removed_jobs_read(struct sv_removed_jobs *forgotten, struct st_store *store, struct pd_fail *fail);
void sv_removed_jobs_fini(struct sv_removed_jobs *forgotten);
/* `engines`: versions with a space between two (may be NULL), that worked on the job. False without memory. */
bool sv_removed_jobs_add(struct sv_removed_jobs *forgotten, uint32_t job, const char *engines);
/* A line of another kind, whose first word is no version: it has these numbers; with two zeros it is not written. False
 * without memory, never when the line is there already. */
bool sv_removed_jobs_set(struct sv_removed_jobs *forgotten, const char *word, uint32_t first, uint32_t last);
/* None of what a version did is left. */
void sv_removed_jobs_drop(struct sv_removed_jobs *forgotten, const char *version);
/* True when a job of that number, which is not there any more, may have been the version's. */
bool sv_removed_jobs_has(const struct sv_removed_jobs *forgotten, uint32_t job, const char *version);
int sv_removed_jobs_write(const struct sv_removed_jobs *forgotten, struct st_batch *batch, struct pd_fail *fail);

#endif
