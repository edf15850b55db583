/* Known: what is known of a position by its own fact and, one ply down, by what is known after its moves
 * (solver/one_ply.h). Every reply that speaks of a position takes it from here. */
#ifndef SV_KNOWN_H
#define SV_KNOWN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "solver/game.h"

struct st_reader;

enum {
	SV_LOOP_LOOKUPS = 64,        /* that the loop thread makes for one request */
	SV_READER_LOOKUPS = INT_MAX, /* as many as are needed */
	SV_KNOWN_LATER = INT_MAX     /* not an error: it takes more look-ups; a reader thread makes them (V3) */
};
enum { SV_RANK_NONE = -1 };

/* How one look-up after the other is made. */
struct sv_looking {
	struct st_reader *reader;
	const struct game *game;
	uint32_t game_id; /* in the store; 0: it has no facts of the game */
	unsigned left;    /* look-ups that may still be made */
	bool unique;      /* of moves that are mirror images of each other, one is enough */
};

enum sv_source {
	SV_BY_NONE,
	SV_BY_RULES, /* the game is over; or, one ply down, the ends of the game after its moves tell it */
	SV_BY_FACT
};

struct sv_known {
	enum sv_source source;
	bool over; /* the game is */
	int lo, hi;
	struct pd_fact fact; /* made before it is asked for; empty when the game is over or nothing is known */
};

/* What is known of the position after a move, small enough for each move of a position. */
struct sv_after {
	game_move move;
	enum sv_source source;
	bool over;
	int lo, hi;
	int rank; /* as it is reported, or SV_RANK_NONE */
	uint32_t effort;
};

/* By the rules, or by the position's own fact. Fails with errors of the store, or SV_KNOWN_LATER. */
int sv_known_get(struct sv_looking *looking, const void *state, struct sv_known *out, struct pd_fail *fail);
/* The same without the look-up: true when the game is over; else *out says that nothing is known, with an empty fact;
 * sv_known_found takes one that the caller finds. */
bool sv_known_by_rules(const struct game *game, const void *state, struct sv_known *out);
void sv_known_found(struct sv_known *known);
/* Adds what is known after each move: `known` is what sv_known_get gave, of a game that is not over. `after` is NULL or
 * has room for all moves, *count of them. PD_E_CORRUPT also when facts contradict each other; SV_KNOWN_LATER. */
int sv_known_below(struct sv_looking *looking, const void *state, struct sv_known *known, struct sv_after *after,
		   unsigned *count, struct pd_fail *fail);

struct sv_after sv_known_after(game_move move, const struct sv_known *known);
/* The reason that rank, effort and job are taken from, NULL when there is none. Borrowed. */
static inline const struct pd_reason *sv_known_deciding(const struct sv_known *known)
{
	return known->fact.count ? pd_fact_deciding(&known->fact) : NULL;
}
/* The rank that is reported, or SV_RANK_NONE; `deciding` is that reason. */
static inline int sv_known_rank(const struct sv_known *known, const struct pd_reason *deciding)
{
	if (deciding)
		return deciding->rank == PD_RANK_NONE ? SV_RANK_NONE : deciding->rank;
	return known->over ? 0 : SV_RANK_NONE;
}

#endif
