/* Lambda search: wins by threats, order by order (Thomsen, "Lambda-search in game trees", CG 2000). df-pn drives it
 * (after Yoshizoe, Kishimoto and Mueller, IJCAI 2007).
 *
 * The attacker wants the best value of its side. With order 0 it wins within its turn. A move of order n threatens to
 * win by a lower order if the defender passed; the defender's replies are all legal moves. The attacker wins with
 * order n if it has such a move after which every reply loses to an order of at most n. In games of lines order 1 is a
 * win by continuous fours (VCF) and order 2 one by continuous threes (VCT).
 *
 *   ATTACK n    the attacker moves: wins when any child does: ATTACK n - 1 here, or TURN n after a move
 *   TURN n      the defender's turn begins: the pass alone, ATTACK n - 1; when that wins, all replies instead
 *   DEFENCE n   the defender moves: wins when all replies do. The rest of a turn of several moves, or the root
 *
 * The pass is only a question put to the position (flip_side of game_rules.h). The key of a position after a pass may
 * be that of a real position with the other side to move; so the nodes have identities of their own, made of key,
 * order, attacker, side to move, kind, and whether a pass led there, in a table of their own. No fact is asked, and no
 * node after a pass becomes one. A win found without a pass is one in the game: every reply was refuted by moves. It is
 * written out as a fact when it is solved, after the facts that justify it one ply down. That a threat fails says
 * nothing.
 *
 * Numbers are those of the attacker's win: num[0] is the proof number for either side. Only for acyclic games with
 * flip_side. The table is bounded and may lose entries: frames hold what progress needs (P3), and what is lost is
 * searched again. The same calls make the same search (P4). */
#pragma once

#include "solver/fact_buffer.h"

enum {
	LAMBDA_ORDER_MAX = 16,
	LAMBDA_BYTES_MIN = 1 << 12 /* of the table */
};

enum lambda_end {
	LAMBDA_MORE,     /* the nodes are used up */
	LAMBDA_WON,      /* the attacker wins */
	LAMBDA_NOTHING,  /* not with this order */
	LAMBDA_NO_MEMORY /* for frames */
};

struct lambda_child;
struct lambda_frame;
struct lambda_slot;

/* One search. Owned by the engine `lambda` or by a test; one thread at a time runs it. */
struct lambda {
	struct question question;
	struct fact_buffer *facts; /* borrowed; NULL: wins are not written out */
	struct lambda_slot *slots; /* owned; in buckets */
	uint64_t buckets;
	struct lambda_frame *frames; /* owned */
	uint8_t *states;             /* owned; one a frame, and one for a child */
	size_t stride;               /* bytes between states */
	uint32_t depth, depth_max;
	struct lambda_child *children; /* owned; those of all frames, one frame after the other */
	uint32_t children_count, children_capacity;
	game_move *moves;          /* owned; 2 moves_max: of a node, and to look for a winning move */
	bool first;                /* First attacks */
	uint64_t expansions, made; /* nodes expanded; children looked at, the unit of all limits */
	uint32_t num[2];           /* of the root when it was left */
	game_move move;            /* the root's winning move, or PD_NO_MOVE */
};

/* Whether threats can be searched in the game, and whether the claim is about the best value of that side. */
bool lambda_possible(const struct game *game);
bool lambda_attacks(const struct question *question, bool first);
/* `bytes`: for the table. False when memory runs out. */
bool lambda_init(struct lambda *lambda, const struct game *game, uint64_t bytes, struct fact_buffer *facts);
void lambda_fini(struct lambda *lambda);
/* Begins a search at a position that is not over: does First, or Second, reach its best value by threats of at most
 * that order, 0 to LAMBDA_ORDER_MAX? What the table knows is used again. False when memory runs out. */
bool lambda_start(struct lambda *lambda, const struct question *question, const void *state, bool first,
		  unsigned order);
/* The move of the root that is searched, or its first one; between two runs. */
game_move lambda_leading(const struct lambda *lambda);
/* Searches on; *nodes is lowered by what was used (the last step may use more). */
enum lambda_end lambda_run(struct lambda *lambda, uint64_t *nodes);
