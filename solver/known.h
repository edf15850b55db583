/* Known: what is known about a position from its own fact and, one ply down, from what is known after its moves
 * (one_ply.h). The server and libproofd-probe make every answer about a position here; the caller looks facts up. */
#pragma once

#include <limits.h>

#include "proto/base/fact.h"
#include "solver/games/game.h"

enum {
	PN_RANK_NONE = -1,
	PN_KNOWN_LATER = INT_MAX /* not an error: it takes more look-ups than were left */
};

/* How one look-up after the other is made; the first member of the caller's struct. */
struct pn_lookup {
	const struct game *game;
	/* The fact of a packed position: 1, 0 for none, or -1 with *fail. NULL: nothing is stored of the game. */
	int (*find)(struct pn_lookup *lookup, const uint8_t *key, size_t size, struct pd_fact *out,
		    struct pd_fail *fail);
	unsigned left; /* look-ups that may still be made */
	bool unique;   /* of moves that are mirror images of each other, one is enough */
};

enum pn_source {
	PN_BY_NONE,
	PN_BY_RULES, /* the game is over; or, one ply down, the ends of the game after its moves tell it */
	PN_BY_FACT
};

struct pn_known {
	enum pn_source source;
	bool over; /* the game is */
	int lo, hi;
	struct pd_fact fact; /* made before it is asked for; empty when the game is over or nothing is known */
};

/* What is known of the position after a move, small enough for each move of a position. */
struct pn_after {
	game_move move;
	enum pn_source source;
	bool over;
	int lo, hi;
	int rank; /* as it is reported, or PN_RANK_NONE */
	uint32_t effort;
};

/* By the rules, or by the position's own fact. Fails with errors of the store, or PN_KNOWN_LATER. */
int pn_known_get(struct pn_lookup *lookup, const void *state, struct pn_known *out, struct pd_fail *fail);
/* The same without the look-up: true when the game is over; else *out says that nothing is known, with an empty fact;
 * pn_known_found takes one that the caller finds. */
bool pn_known_by_rules(const struct game *game, const void *state, struct pn_known *out);
void pn_known_found(struct pn_known *known);
/* Adds what is known after each move: `known` is what pn_known_get gave, of a game that is not over. `after` is NULL or
 * has room for all moves, *count of them. PD_E_CORRUPT also when facts contradict each other; PN_KNOWN_LATER. */
int pn_known_below(struct pn_lookup *lookup, const void *state, struct pn_known *known, struct pn_after *after,
		   unsigned *count, struct pd_fail *fail);

/* The move that gives the player to move the bound that is proved: *found false when none is recorded. PD_E_CORRUPT: it
 * is not legal. */
int pn_known_move(const struct game *game, const void *state, const struct pn_known *known, game_move *move,
		  bool *found, struct pd_fail *fail);
struct pn_after pn_known_after(game_move move, const struct pn_known *known);
/* The reason that rank, effort and job are taken from, NULL when there is none. Borrowed. */
static inline const struct pd_reason *pn_known_deciding(const struct pn_known *known)
{
	return known->fact.count ? pd_fact_deciding(&known->fact) : NULL;
}
/* The rank that is reported, or PN_RANK_NONE; `deciding` is that reason. */
static inline int pn_known_rank(const struct pn_known *known, const struct pd_reason *deciding)
{
	if (deciding)
		return deciding->rank == PD_RANK_NONE ? PN_RANK_NONE : deciding->rank;
	return known->over ? 0 : PN_RANK_NONE;
}
