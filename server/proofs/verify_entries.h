/* Entries: the solved entries of unfinished jobs' tables, held against the facts.
 *
 * A table knows positions by their identity alone. But whatever level 1 has solved is a fact as well, in the same
 * checkpoint or an earlier one (solver.h), and of a fact the position is known: so the identity of each fact is looked
 * for among the entries, for every claim that the job may have asked. An entry that is found there has to follow from
 * the fact: the outcome, and within the rank. One that is found nowhere is founded by nothing, but for two kinds, of
 * which nothing can be told: what is held on one path of a game with cycles (pds.h), and ends of games, which the
 * algorithm `paper` stores. */
#ifndef SV_VERIFY_ENTRIES_H
#define SV_VERIFY_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/fact.h"
#include "solver/solver.h"
#include "store/store.h"

struct sv_job;
struct sv_entry_table; /* of one job */

struct sv_entries {
	struct sv_entry_table *tables; /* owned */
	unsigned count;
};

/* Reads the table of a job of the game; a job without one has nothing to be held against. PD_E_NO_MEMORY, or what kept
 * the store from reading. */
int sv_entries_load(struct sv_entries *entries, struct st_store *store, const struct sv_job *job,
		    const struct game *game, struct pd_fail *fail);
/* The number under which the store has the facts of a game, before any is met; 0: it has none. It is asked for when all
 * tables are read, because a game gets its number with its first facts. */
void sv_entries_number(struct sv_entries *entries, const struct game *game, uint32_t game_id);
void sv_entries_fini(struct sv_entries *entries);

/* An entry of which the fact of its position does not say what it says. */
typedef void sv_entry_fault(void *ctx, uint32_t job, const struct pd_reason *says);

/* Looks for entries of the position of a fact; any thread. The fact's reasons are sound. */
void sv_entries_meet(const struct sv_entries *entries, uint32_t game_id, const uint8_t *key, size_t size,
		     const struct pd_fact *fact, sv_entry_fault *fault, void *ctx);

/* After all facts were met: solved entries of a job's table in all, those that nothing is known of, and those of which
 * nothing can be told. */
struct sv_entry_sum {
	uint32_t job;
	uint64_t solved, unfounded, untold;
};
struct sv_entry_sum sv_entries_sum(const struct sv_entries *entries, unsigned table);

#endif
