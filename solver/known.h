/* Known: what is known about a position from its own fact and, one ply down, from what is known after its moves
 * (one_ply.h). The server and libproofd-probe build every answer about a position here; the caller looks up the
 * facts. */
#pragma once

#include <limits.h>

#include "proto/base/fact.h"
#include "solver/games/game.h"

enum {
	PN_RANK_NONE = -1,
	PN_KNOWN_LATER = INT_MAX /* not an error: more look-ups are needed than were left */
};

/* How facts are looked up, one at a time; the first member of the caller's struct. */
struct pn_lookup {
	const struct game *game;
	/* Finds the fact of a packed position: returns 1, 0 if there is none, or -1 with *fail set. NULL: nothing is
	 * stored for the game. */
	int (*find)(struct pn_lookup *lookup, const uint8_t *key, size_t size, struct pd_fact *out,
		    struct pd_fail *fail);
	unsigned left; /* look-ups that may still be made */
	bool unique;   /* look up only one of several moves that are mirror images of each other */
};

enum pn_source {
	PN_BY_NONE,
	PN_BY_RULES, /* the game is over; or, one ply down, it is over after moves that decide the result */
	PN_BY_FACT
};

struct pn_known {
	enum pn_source source;
	bool over; /* the game is */
	int lo, hi;
	struct pd_fact fact; /* initialized by the caller; empty when the game is over or nothing is known */
};

/* What is known of the position after a move, small enough to be kept for each move of a position. */
struct pn_after {
	game_move move;
	enum pn_source source;
	bool over;
	int lo, hi;
	int rank; /* as reported, or PN_RANK_NONE */
	uint32_t effort;
};

/* Gets what is known by the rules or by the position's own fact. Fails with errors of the store, or PN_KNOWN_LATER. */
int pn_known_get(struct pn_lookup *lookup, const void *state, struct pn_known *out, struct pd_fail *fail);
/* The same without the look-up: true when the game is over; otherwise *out says that nothing is known, with an empty
 * fact. When the caller finds a fact, it fills in known->fact and calls pn_known_found. */
bool pn_known_by_rules(const struct game *game, const void *state, struct pn_known *out);
void pn_known_found(struct pn_known *known);
/* Adds what the game's tables say (table_theorem.h), after the fact. Fails with PD_E_CORRUPT. */
int pn_known_by_tables(const struct game *game, const void *state, struct pn_known *known, struct pd_fail *fail);
/* Adds what is known after each move to `known`, the result of pn_known_get for a game that is not over. `after` is
 * NULL or has room for all moves; *count is set to their number. Fails also with PD_E_CORRUPT when facts contradict
 * each other, and with PN_KNOWN_LATER. */
int pn_known_below(struct pn_lookup *lookup, const void *state, struct pn_known *known, struct pn_after *after,
		   unsigned *count, struct pd_fail *fail);

/* The move with which the player to move reaches the proved bound; *found is false when none is recorded. PD_E_CORRUPT
 * when it is not legal. */
int pn_known_move(const struct game *game, const void *state, const struct pn_known *known, game_move *move,
		  bool *found, struct pd_fail *fail);
struct pn_after pn_known_after(game_move move, const struct pn_known *known);
/* The reason that rank, effort and job come from; borrowed. NULL when there is none. */
static inline const struct pd_reason *pn_known_deciding(const struct pn_known *known)
{
	return known->fact.count ? pd_fact_deciding(&known->fact) : NULL;
}
/* The rank to report, or PN_RANK_NONE; `deciding` is the result of pn_known_deciding. */
static inline int pn_known_rank(const struct pn_known *known, const struct pd_reason *deciding)
{
	if (deciding)
		return deciding->rank == PD_RANK_NONE ? PN_RANK_NONE : deciding->rank;
	return known->over ? 0 : PN_RANK_NONE;
}
