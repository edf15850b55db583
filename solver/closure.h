/* Closure: all positions that can be reached from the root, solved by retrograde analysis in memory.
 *
 * Where positions come back, proof numbers count cycles over and over, and a search may stand still though few
 * positions can be reached, as in most chess endings of two or three men. So a search of a game with cycles also lists
 * the positions that its root leads to, breadth first. When the list is complete, it is *closed*: the claim is decided
 * by a fixed point (the attractor of the side that must reach an end), and its proof becomes facts at once, every one
 * justified one ply down: ranked ones with the least rank there is, unranked ones as one closed set (F3 in ghi.h).
 *
 * The first search thread lists positions; the others search on. Listing starts after CLOSURE_AFTER nodes of the search
 * where the game says that few positions can be reached (`reach` in game_rules.h), and goes on to the end. Elsewhere
 * it may list one position for CLOSURE_SHARE nodes that were searched, so that it costs little.
 *
 * Source: retrograde analysis, T. Stroehlein 1970 and K. Thompson, "Retrograde analysis of certain endgames", ICCA
 * Journal 9(3), 1986, here over the positions reached from one root instead of a class of material. */
#pragma once

#include "solver/fact_buffer.h"
#include "solver/question.h"

enum {
	CLOSURE_AFTER = 10000, /* nodes of the search */
	CLOSURE_SHARE = 1024, /* nodes of the search for one position, where the game does not say how many there are */
	CLOSURE_FIRST = 1024, /* positions of the first try there; each further try may list twice as many */
};

/* Owned by the solver; the first search thread alone uses it. Positions are numbered in the order in which they were
 * found; the root is 0. An edge leads to a position, or to an end of the game: UINT32_MAX - (value - least value). */
struct closure {
	struct question question; /* any claim of the search */
	uint64_t memory;          /* bytes that it may use */
	uint32_t limit;           /* positions that it may ever have */
	uint32_t most;            /* positions that it may have in this turn */
	uint32_t count, expanded; /* positions found; those of them whose edges are known (also when over) */
	uint32_t room;            /* for positions */
	uint8_t *states;          /* owned; state_size bytes each */
	uint8_t *kinds;           /* owned; question_kind */
	struct pd_id *ids;        /* owned */
	uint32_t mask;            /* slots - 1; they are a power of two, more than the room */
	uint32_t *slots;          /* owned; open addressing by id: a position + 1; 0: none */
	uint32_t *first;          /* owned; room + 1 numbers: where a position's edges begin */
	uint32_t *edges;          /* owned; in the order of question_moves */
	size_t edge_count, edge_room;
	bool few;  /* the game says that few positions can be reached */
	bool over; /* there is none: the game has no cycles, or too many positions can be reached */
};

/* `memory`: bytes that it may use; `limit`: positions that it may have, 0: there is no closure. */
void closure_init(struct closure *c, const struct question *q, const void *root, uint64_t memory, uint32_t limit);
/* Frees it; it is then over. */
void closure_fini(struct closure *c);

/* The number of nodes of the search at which the closure has its next turn; UINT64_MAX: never again. */
static inline uint64_t closure_due(const struct closure *c)
{
	return c->over ? UINT64_MAX : c->few ? CLOSURE_AFTER : (uint64_t)c->most * CLOSURE_SHARE;
}
/* Its turn: lists positions, at most *quota, and lowers *quota by their number. True when the closure is complete.
 * Otherwise the turn goes on if *quota is 0; else closure_due says when the next one is. */
bool closure_list(struct closure *c, const void *root, uint64_t *quota);
/* Decides a claim in a complete closure: writes the root's solved pair, and the winning move in its own frame or
 * PD_NO_MOVE, and records the facts of its proof. False, and the closure is over, when memory runs out or an end is
 * too far away to be counted. */
bool closure_solve(struct closure *c, const struct question *q, struct fact_buffer *facts, uint32_t num[2],
		   game_move *move);
