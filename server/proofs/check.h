/* Check: a whole data directory, record by record and fact by fact.
 *
 * Every record must decode, every reason of every fact must be justified (justify.h), the solved entries of jobs'
 * tables must follow from facts (entries.h), and so must what the records of jobs say (results.h).
 *
 * Beside a server that writes, jobs and their tables are read before the facts: facts only grow, so those that jobs and
 * tables rest on are there by then. */
#ifndef SV_CHECK_H
#define SV_CHECK_H

#include <stdint.h>

#include "proto/base/error.h"

/* `proofctl check DIR`: every record of the directory decodes, every fact is locally justified (F2), and what jobs say
 * follows from the facts: their bounds and results, and the solved entries of their tables. Opens it read-only, beside
 * a running server as well, and needs no core. `problem` is called for each fault, `progress` (may be NULL) now and
 * then. What belongs to games that cannot be opened here is counted, not checked. Returns 0 when it could look (see
 * *out), else an error. */
struct sv_check {
	uint64_t facts, reasons, leaves, leaf_nodes, problems;
	uint64_t jobs, entries; /* jobs, and solved entries of their tables */
	uint64_t skipped,
		skipped_jobs; /* facts and jobs that were not looked at, because their game cannot be opened */
	uint64_t untold;    /* entries of which nothing can be told: they hold on one path only, or are ends of games */
	char unopened[400]; /* the names of those games, a comma between two */
};
int sv_check_directory(const char *dir, const char *graphs, unsigned threads,
		       void (*problem)(void *ctx, const char *text),
		       void (*progress)(void *ctx, const struct sv_check *so_far), void *ctx, struct sv_check *out,
		       struct pd_fail *fail);

#endif
