/* Small walk: finds a small proof (small_proof.h), from its root down, on one or several threads.
 *
 * Where M, the side against the bound, is to move, a theorem of the game gives the bound, or a card does, an old one or
 * one that is learned here; otherwise all moves are followed. Where W is to move, it takes a move to a position that is
 * proved already, or by a theorem; else the first move, in the order of how much is left below it, to a position that a
 * card wins; else the one where the lesson ended with the fewest mistakes. The oracle says which moves keep the bound.
 *
 * What cards may cost is limited by an account (small_walk.c). Where it is empty, and in a plain walk, W's moves are
 * those of the certificate itself, as far as it has the position.
 *
 * A repeated walk takes no lessons and asks no oracle: it prefers what it has proved itself, then what the earlier
 * proof has, and tries every card at every node.
 *
 * Threads walk the same tree. A thread leaves out a node that another one is deciding, and helps below one that is
 * decided; when nothing is left to do for it, it waits. With one thread the same question gives the same proof. */
#pragma once

#include "server/proofs/certificates/small_proof.h"

/* Of one thread. */
struct sv_small_walker {
	struct sv_small_proof *proof; /* shared */
	unsigned number;              /* of the thread, from 0 */
	struct pn_asker asker;
	struct pn_strategy strategy;
	game_move *moves, *scratch; /* owned; stacks of lists: of the walk, and of what it decides */
	uint64_t nodes;             /* of the asker, at the last report */
	uint64_t began;             /* what it had spent when its decision began, */
	uint64_t decision_end;      /* and when its questions end, */
	uint64_t card_end;          /* and those about one card */
	bool poor;                  /* the decision may spend next to nothing */
};

int sv_small_walker_init(struct sv_small_walker *w, struct sv_small_proof *proof, unsigned number,
			 struct pd_fail *fail);
void sv_small_walker_fini(struct sv_small_walker *w);
/* Walks until the root is done, the proof is to stop or has failed (`fail` of the proof). */
void sv_small_walk(struct sv_small_walker *w);
