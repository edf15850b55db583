/* Repair: what is sound of a damaged data directory, in a new one.
 *
 * The damaged directory is only read (store/salvage.h). The new one is made beside its name, as NEW.repairing, and gets
 * its name when it is whole. Jobs keep their numbers; the number of one that is lost is never given again. A job begins
 * again, with all facts that there are, when facts are missing that it may lean on, or when its record may be an old
 * one that says more than facts bear out. */
#ifndef SV_REPAIR_H
#define SV_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct sv_repaired {
	uint32_t games, games_lost;
	uint64_t facts, facts_lost; /* positions; what is counted as lost may be a reason less, and not a position */
	uint64_t log_blocks_lost;   /* with some hundred reasons each, which may be known otherwise */
	uint64_t contradictions;    /* positions left out because their facts contradict each other */
	bool counted;     /* it is known how much there was; else the last jobs and facts may be missing unseen */
	const char *runs; /* "newest", "old" or "lost": the list of runs that facts were taken by */
	uint32_t jobs, jobs_lost, jobs_again; /* _again: of those that are there, begin again */
	uint64_t events, events_lost;
	uint32_t tables, tables_lost;
	uint64_t conflicts;
	bool identity; /* the key of the tables */
};

/* Whether all that was there is there. */
bool sv_repaired_whole(const struct sv_repaired *sum);
/* PD_E_USAGE when `fresh` exists and is not an empty directory, PD_E_LOCKED while a process writes to `dir`. After an
 * error there is no new directory. */
int sv_repair(const char *dir, const char *fresh, struct sv_repaired *out, struct pd_fail *fail);

#endif
