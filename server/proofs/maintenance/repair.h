/* Repair: `proofctl repair`: salvages what is sound of a damaged data directory into a new one.
 *
 * The damaged directory is only read (store/salvage.h). The new one is made as NEW.repairing and renamed to NEW when it
 * is complete (fresh_directory.h). Jobs keep their numbers; the number of a lost job is not reused. A job begins again,
 * with all salvaged facts, when facts are missing that it may depend on, or when its record may be an old one that goes
 * beyond the facts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/experiments/experiment_lines.h"
#include "server/proofs/tables/table_copy.h"

struct sv_repaired {
	uint32_t games, games_lost;
	uint64_t facts, facts_lost; /* positions; one that only lost a reason may be counted as lost */
	uint64_t log_blocks_lost;   /* of the write-ahead log, some hundred reasons each, which may also be elsewhere */
	uint64_t contradictions;    /* positions left out because their facts contradict each other */
	bool counted;     /* the original counts are known; else the last jobs and facts may be missing unnoticed */
	const char *runs; /* "newest", "old" or "lost": the list of runs that the facts come from */
	uint32_t jobs, jobs_lost, jobs_again; /* jobs_again: salvaged jobs that begin again */
	uint64_t events, events_lost;
	uint32_t tables, tables_lost;
	uint64_t conflicts;
	struct sv_tables_copied retro; /* tables by retrograde analysis */
	struct sv_experiments_copied experiments;
	uint32_t certificates, certificates_lost; /* that were kept; those that are not judged are copied as they are */
	bool identity;                            /* the key of the transposition tables' identities was found */
};

/* True when nothing was lost. */
bool sv_repaired_whole(const struct sv_repaired *sum);
/* Repairs `dir` into `fresh`. PD_E_USAGE when `fresh` exists and is not an empty directory, PD_E_LOCKED while a process
 * writes to `dir`. Leaves no new directory after an error. */
int sv_repair(const char *dir, const char *fresh, struct sv_repaired *out, struct pd_fail *fail);
