/* Salvage: reads what is sound in a damaged data directory.
 *
 * The directory is only read, page by page without LMDB (scan.h), and whatever has a matching checksum under its key
 * counts. So it works with damaged trees, with truncated or missing files, and without meta pages.
 *
 * Some records are not trusted although they decode: blocks of runs that the newest list found does not name, and
 * blocks of the log that are in runs according to that list, because `taint` may have retracted their facts; a game
 * number that two records have; a table that is incomplete or not certainly the newest. */
#pragma once

#include "store/store.h"

struct st_salvage;

/* `job_head`: the beginning of every job record, which distinguishes them from records of games. PD_E_LOCKED while a
 * process writes to the directory, PD_E_NOT_FOUND when both files are missing. */
int st_salvage_open(const char *dir, const char *job_head, struct st_salvage **out, struct pd_fail *fail);
/* NULL is fine. */
void st_salvage_close(struct st_salvage *s);
const struct st_salvaged *st_salvage_sum(const struct st_salvage *s);
/* Games are counted from 0; the name is good until the salvage is closed. */
const char *st_salvage_game(const struct st_salvage *s, uint32_t index, uint64_t *rules_version);

enum st_job_trace {
	ST_JOB_NONE, /* it was removed, or had no record yet */
	ST_JOB_LOST,
	ST_JOB_FOUND, /* records that may be the newest */
	ST_JOB_SURE   /* the newest record */
};
/* Calls `each` for every version of the job's record, or for one that is certainly the newest. */
enum st_job_trace st_salvage_job(struct st_salvage *s, uint32_t job,
				 void (*each)(void *ctx, const void *record, size_t size), void *ctx);
/* The job's events in their order; *lost: how many are missing. A non-zero return ends the walk and is returned. */
int st_salvage_events(struct st_salvage *s, uint32_t job, int (*each)(void *ctx, const void *record, size_t size),
		      void *ctx, uint64_t *lost);
/* The newest versions of the records of `meta` that a repaired directory takes over, for st_meta_keep. */
int st_salvage_meta(struct st_salvage *s, int (*each)(void *ctx, unsigned id, const void *record, size_t size),
		    void *ctx);
/* Walks through the job's table if it is complete: 1; 0 when there is none; -1 when it is lost. A non-zero return of
 * `each` ends the walk and is stored in *rc. */
int st_salvage_tt(struct st_salvage *s, uint32_t job, struct pd_id *question,
		  int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx, int *rc);
int st_salvage_conflicts(struct st_salvage *s, int (*each)(void *ctx, const void *record, size_t size), void *ctx);
/* Every reason of every fact, in no particular order, some more than once. */
int st_salvage_facts(struct st_salvage *s,
		     int (*each)(void *ctx, uint32_t game, const uint8_t *key, size_t size,
				 const struct pd_reason *reason),
		     void *ctx, struct pd_fail *fail);
