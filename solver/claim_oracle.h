/* Claim oracle: whether one side can still reach its aim, asked of very many positions of one game.
 *
 * An alpha-beta search with two values over the rules and theorems of the game, with a table that all questions share:
 * two entries a bucket, of which the one that cost less is replaced. Moves are tried in the order of the threats that
 * they make, or of what they leave the other side (initial_numbers). An answer is not a proof: an entry names its
 * position by 56 bits of its key, or of a hash of a longer one. Whatever is built on answers must be checked without
 * them.
 *
 * Several threads may ask at once, each with its own struct pn_asker: entries are read and written as one word. */
#pragma once

#include <stdatomic.h>

#include "solver/games/game.h"

/* Shared by its askers. */
struct pn_oracle {
	const struct game *game; /* borrowed; acyclic */
	int threshold;           /* the aim of W, as in strategies.h */
	bool first;
	atomic_uint_least64_t *table; /* owned */
	uint64_t buckets;
	atomic_bool stop; /* all questions end unanswered */
};

/* Of one thread. */
struct pn_asker {
	struct pn_oracle *oracle;      /* borrowed */
	game_move *moves;              /* owned; of one position */
	struct oracle_child *children; /* owned; a stack of lists */
	uint64_t nodes, asked;         /* in all */
	uint64_t end;                  /* nodes at which the question is given up */
};

enum { ORACLE_NO = 0, ORACLE_YES = 1, ORACLE_OPEN = 2 };

/* The oracle of W's aim, with a table of at most that many bytes. PD_E_NO_MEMORY; in any case pn_oracle_fini may
 * follow. */
int pn_oracle_init(struct pn_oracle *o, const struct game *game, int threshold, bool first, uint64_t bytes,
		   struct pd_fail *fail);
void pn_oracle_fini(struct pn_oracle *o);
int pn_asker_init(struct pn_asker *a, struct pn_oracle *o, struct pd_fail *fail);
void pn_asker_fini(struct pn_asker *a);

/* Whether W reaches its aim from a position: ORACLE_OPEN after that many nodes, or when the oracle is stopped. */
int pn_oracle_ask(struct pn_asker *a, const void *state, uint64_t nodes);
/* Tells the oracle that W reaches its aim from the position of a key. Later questions may replace the entry. */
void pn_oracle_tell(struct pn_oracle *o, const uint8_t *key, size_t size);
