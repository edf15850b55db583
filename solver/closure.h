/* Closure: positions that can be reached from the root, solved by retrograde analysis in memory.
 *
 * Where positions come back, proof numbers count cycles over and over, and a search may stand still though few
 * positions can be reached, as in most chess endings of two or three men. So a search of a game with cycles also lists
 * positions that its root leads to, until the claim is decided by those listed. The attacker is the side whose outcome
 * takes an end of the game, the holder the other one. The holder is assumed to hold every position until the attacker
 * is seen to win it: where the holder moves, one move is listed, and another when that one is lost. Positions on which
 * nothing depends any more, because the attacker wins by another move, are not listed. When nothing is left to be
 * listed, the listed positions are *closed*: the holder can stay among them. So a small part of the reachable positions
 * often decides. The proof becomes facts at once, every one justified one ply down: ranked ones with the least rank
 * that the listed positions give, unranked ones as one closed set (F3 in ghi.h).
 *
 * The first search thread lists positions; the others search on. Listing starts after CLOSURE_AFTER nodes of the search
 * where the game says that few positions can be reached (`reach` in game_rules.h), and goes on to the end. Where it
 * says that at most CLOSURE_MANY times the limit can be reached (some), it may list CLOSURE_PACE positions for each
 * node of the search; elsewhere one for CLOSURE_SHARE nodes, so that it costs little.
 *
 * Source: retrograde analysis, T. Stroehlein 1970 and K. Thompson, "Retrograde analysis of certain endgames", ICCA
 * Journal 9(3), 1986, here over positions reached from one root instead of a class of material; listed as needed:
 * X. Liu and S. A. Smolka, "Simple linear-time algorithms for minimal fixed points", ICALP 1998. */
#pragma once

#include "solver/fact_buffer.h"
#include "solver/question.h"

enum {
	CLOSURE_AFTER = 10000, /* nodes of the search */
	CLOSURE_SHARE = 1024, /* nodes of the search for one position, where the game does not say how many there are */
	CLOSURE_PACE = 8,     /* positions for one node of the search, where it says that some can be reached */
	CLOSURE_FIRST = 1024, /* positions of the first try in both cases; each further try may list twice as many */
	CLOSURE_MANY = 64,    /* a reach of more positions than this many times the limit says as good as nothing */
};

/* Owned by the solver; the first search thread alone uses it. Positions are numbered in the order in which they were
 * found; the root is 0. An edge leads to a position, or to an end of the game: UINT32_MAX - (value - least value). The
 * edges of a position are a run of `edges` that begins with their number: they are listed where the attacker moves, and
 * where the holder has lost. A link says who waits for a position. All arrays are owned. */
struct closure {
	struct question question; /* any claim of the search */
	uint64_t memory;          /* bytes that it may use */
	uint32_t limit;           /* positions that it may ever have */
	uint32_t most;            /* positions that it may have in this turn */
	uint32_t share;           /* nodes of the search for CLOSURE_PACE positions; 0: few can be reached */
	uint32_t count, room;     /* positions found; room for positions */
	uint64_t looks, made; /* looks at positions, the nodes of the closure; positions made (also when it is over) */
	uint8_t *states;      /* state_size bytes each */
	uint8_t *kinds;       /* question_kind, and for the claim SEEN, LOST */
	struct pd_id *ids;
	uint32_t mask;   /* slots - 1; they are a power of two, more than the room */
	uint32_t *slots; /* open addressing by id: a position + 1; 0: none */
	uint32_t *first; /* where a position's edges begin; UINT32_MAX: they are not listed */
	uint32_t *edges; /* in the order of question_moves */
	size_t edge_count, edge_room;
	int claim;       /* the threshold of the claim that the members below belong to; INT_MIN: none */
	uint32_t *users; /* the first link of those that wait for a position; 0: none */
	uint32_t *next;  /* where the holder moves: the next link of those that wait for the same position */
	uint32_t *stack; /* positions to look at */
	uint32_t height; /* of the stack */
	uint32_t *links; /* two numbers for each edge: who waits, and the next link of the same position */
	bool over;       /* there is none: the game has no cycles, or too many positions can be reached */
};

/* `memory`: bytes of the search, of which it takes a share; `limit`: most positions, 0: there is no closure. */
void closure_init(struct closure *c, const struct question *q, const void *root, uint64_t memory, uint32_t limit);
/* Frees it; it is then over. */
void closure_fini(struct closure *c);

/* The number of nodes of the search at which the closure has its next turn; UINT64_MAX: never again. */
static inline uint64_t closure_due(const struct closure *c)
{
	uint64_t due = (uint64_t)c->most * c->share / CLOSURE_PACE;
	return c->over ? UINT64_MAX : due < CLOSURE_AFTER ? CLOSURE_AFTER : due;
}
/* Its turn: lists positions for a claim, in at most *quota looks, and lowers *quota by their number. True when the
 * claim is decided. Otherwise the turn goes on if *quota is 0; else closure_due says when the next one is. */
bool closure_list(struct closure *c, const struct question *q, const void *root, uint64_t *quota);
/* After closure_list has decided the claim: writes the root's solved pair, and the winning move in its own frame or
 * PD_NO_MOVE, and records the facts of its proof. False, and the closure is over, when memory runs out or an end is
 * too far away to be counted. */
bool closure_solve(struct closure *c, const struct question *q, struct fact_buffer *facts, uint32_t num[2],
		   game_move *move);
