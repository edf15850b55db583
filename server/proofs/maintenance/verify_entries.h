/* Verify entries: the check of the solved entries of unfinished jobs' transposition tables against the facts.
 *
 * An entry names its position only by a 128-bit identity. But whatever level 1 solves is also a fact, in the same
 * checkpoint or an earlier one (solver.h), and a fact has its exact key. So for each fact, the identities of its
 * position under all thresholds that the job may have asked for are looked up among the entries. An entry that is found
 * must follow from the fact, which must have its bound with at most its rank. A solved entry that no fact leads to is
 * unfounded, with exceptions that cannot be checked: path-dependent entries of cyclic games (solver/GHI.md); terminal
 * positions, which the algorithm `paper` stores; entries of jobs that ask for the value in a game with too many values
 * to try all thresholds; and, with the option `dovetail`, what each search stores under a name of its own.
 *
 * In a game with tables by retrograde analysis (solver/table_theorem.h) an entry may rest on a table alone. Where facts
 * leave entries over, the positions of the job's entries are looked for (entry_walk.h), and an entry that is found must
 * follow from the tables. It is unfounded if they do not have its position. Entries that are not found, or rest on a
 * damaged block of a table, are counted as unreached. */
#pragma once

#include "solver/solver.h"
#include "store/store.h"

struct sv_record;
struct sv_entry_table; /* of one job */

struct sv_entries {
	struct sv_entry_table *tables; /* owned */
	unsigned count;
};

/* Reads the transposition table of a job; a job without one is passed over. PD_E_NO_MEMORY, or the error of a failed
 * read. */
int sv_entries_load(struct sv_entries *entries, struct st_store *store, const struct sv_record *job,
		    const struct game *game, struct pd_fail *fail);
/* Sets the number under which the store has the game's facts (0: none), before sv_entries_meet. A game gets its number
 * with its first fact, so the number is looked up after all tables are read. */
void sv_entries_number(struct sv_entries *entries, const struct game *game, uint32_t game_id);
void sv_entries_fini(struct sv_entries *entries);

/* Receives an entry that does not follow from the fact of its position. */
typedef void sv_entry_fault(void *ctx, uint32_t job, const struct pd_reason *says);

/* A fact to be compared with the entries. Its reasons are well formed. */
struct sv_entry_fact {
	uint32_t game_id;
	const uint8_t *key; /* borrowed */
	size_t size;
	const struct pd_fact *fact; /* borrowed */
};
/* Compares a fact with all entries of its position. Any thread. */
void sv_entries_meet(const struct sv_entries *entries, const struct sv_entry_fact *fact, sv_entry_fault *fault,
		     void *ctx);

/* Receives an entry that the tables contradict. */
typedef void sv_entry_wrong(void *ctx, uint32_t job, const struct game *game, const void *state,
			    const struct pd_reason *says);
/* After all facts were compared: compares the entries that are left over with the game's tables, if it has any.
 * PD_E_NO_MEMORY, when the rest stays unreached, or the error of a failed read. */
int sv_entries_follow(const struct sv_entries *entries, unsigned table, struct st_store *store, sv_entry_wrong *wrong,
		      void *ctx, struct pd_fail *fail);

/* The outcome for one job's table, after all facts were compared. */
struct sv_entry_sum {
	uint32_t job;
	uint64_t solved;    /* solved entries */
	uint64_t unfounded; /* of these, those that no fact leads to */
	uint64_t unreached; /* of these, those that no fact and no table leads to */
	uint64_t untold;    /* of these, those that cannot be checked */
};
struct sv_entry_sum sv_entries_sum(const struct sv_entries *entries, unsigned table);
