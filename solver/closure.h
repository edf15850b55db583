/* Closure: positions that can be reached from the root, solved by retrograde analysis in memory.
 *
 * In games with cycles, proof numbers count the same positions again and again, and a search may make no progress even
 * where few positions can be reached, as in most chess endings of two or three men. Such a search therefore also lists
 * positions that its root leads to, until those listed decide the claim. The attacker is the side that needs an end of
 * the game for its outcome; the holder is the other side. The holder is assumed to hold every position until the
 * attacker is known to win it: where the holder is to move, one move is listed, and another one when that move turns
 * out to lose. A position on which nothing depends any more, because the attacker wins by another move, is not
 * expanded. When nothing is left to be listed, the listed positions are *closed*: the holder can stay among them. Often
 * a small part of the reachable positions is enough. The proof becomes facts at once, each justified one ply down:
 * ranked ones with the least rank that the listed positions give, unranked ones as one closed set (F3 in ghi.h).
 *
 * The first search thread lists positions while the others search on. It starts after CLOSURE_AFTER nodes of the
 * search. If the game says that no more positions than the limit can be reached (`reach` in game_rules.h), listing then
 * continues to the end. If at most CLOSURE_MANY times the limit can be reached, it may list CLOSURE_PACE positions for
 * each node of the search; otherwise one position for CLOSURE_SHARE nodes, so that it costs little.
 *
 * Source: retrograde analysis, T. Stroehlein 1970 and K. Thompson, "Retrograde analysis of certain endgames", ICCA
 * Journal 9(3), 1986, here over positions reached from one root instead of a class of material; listed as needed:
 * X. Liu and S. A. Smolka, "Simple linear-time algorithms for minimal fixed points", ICALP 1998. */
#pragma once

#include "solver/fact_buffer.h"
#include "solver/question.h"

enum {
	CLOSURE_AFTER = 10000, /* nodes of the search */
	CLOSURE_SHARE =
		1024, /* nodes of the search for one position, where the game does not say how many can be reached */
	CLOSURE_PACE =
		8, /* positions for one node of the search, where at most CLOSURE_MANY times the limit can be reached */
	CLOSURE_FIRST = 1024, /* positions of the first try in both cases; each further try may list twice as many */
	CLOSURE_MANY = 64,    /* a `reach` beyond this many times the limit counts as unknown */
};

/* Owned by the solver; only the first search thread uses it. Positions are numbered in the order in which they are
 * found; the root is 0. An edge is the number of the position that it leads to, or of an end of the game: UINT32_MAX -
 * (value - least value). The edges of a position follow each other in `edges`, after their count. They are listed where
 * the attacker moves, and where the holder has lost. A link names a position that waits for another one. All arrays are
 * owned. */
struct closure {
	struct question question; /* any claim of the search */
	uint64_t memory;          /* bytes that it may use */
	uint32_t limit;           /* positions that it may ever have */
	uint32_t most;            /* positions that it may have in this turn */
	uint32_t share;           /* nodes of the search for CLOSURE_PACE positions; 0: few can be reached */
	uint32_t count, room;     /* positions found; room for positions */
	uint64_t looks, made;     /* positions expanded, its nodes; positions made; both are kept when it is over */
	uint8_t *states;          /* state_size bytes each */
	uint8_t *kinds;           /* question_kind; and SEEN and LOST, which belong to the claim */
	struct pd_id *ids;
	uint32_t mask;   /* slots - 1; they are a power of two, more than the room */
	uint32_t *slots; /* open addressing by id: a position + 1; 0: none */
	uint32_t *first; /* where a position's edges begin; UINT32_MAX: they are not listed */
	uint32_t *edges; /* in the order of question_moves */
	size_t edge_count, edge_room;
	int claim;       /* the threshold of the claim that the members below belong to; INT_MIN: none */
	uint32_t *users; /* the first link of the list of those that wait for a position; 0: none */
	uint32_t *next;  /* where the holder moves: the next link of the list that its own link is in */
	uint32_t *stack; /* positions to look at */
	uint32_t height; /* of the stack */
	uint32_t *links; /* two numbers for each edge: the position that waits, and the next link of the list */
	bool over;       /* there is none: the game has no cycles, or too many positions can be reached */
};

/* `memory`: of the search, in bytes, of which it takes a share; `limit`: most positions; 0: no closure. */
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
 * claim is decided. Otherwise, if *quota is 0, the turn is to be continued; if not, closure_due tells when the next
 * one is. */
bool closure_list(struct closure *c, const struct question *q, const void *root, uint64_t *quota);
/* After closure_list has decided the claim: writes the root's solved pair, and the winning move in its own frame or
 * PD_NO_MOVE, and records the facts of its proof. False, and the closure is over, when memory runs out or an end is
 * too far away to be counted. */
bool closure_solve(struct closure *c, const struct question *q, struct fact_buffer *facts, uint32_t num[2],
		   game_move *move);
