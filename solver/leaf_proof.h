/* Leaf proof: a proof of a solved leaf that another process checks by the rules of the game, without a search.
 *
 * A proof is a byte PN_PROOF_FORM and the winner's moves, each as a varint: its index in the list of legal moves.
 * Writer and checker walk through the same positions in the same order, so nothing else has to be said. The walk
 * begins with a demand, "the leaf has the bound within its rank", and keeps a stack of demands that are not met yet.
 * It takes the last one. Where the side that gets the bound is to move, the proof names its move, and the position
 * after it is demanded within one ply less; where the other side is, the position after every legal move is. A demand
 * other than the leaf's own is met or broken at once
 *
 *   - where the game is over, by an immediate win, and by what the game knows (with knowledge) without tables;
 *   - where the position was demanded before, within as few plies: it is met.
 *
 * The proof holds when every demand is met and no byte is left. A ranked bound then holds by induction on the plies:
 * each demand rests on demands with fewer plies, so no repetition can help. An unranked bound is demanded without plies
 * and holds by coinduction: the demanded positions are a set that the side need not leave except for an end that it
 * wants, and infinite play serves it (GHI.md). Nothing in it depends on how the leaf was reached.
 *
 * Positions demanded before are recognized by identities under a key of the walk's owner (F5), so that nobody can
 * construct two positions that are taken for one. */
#pragma once

#include "proto/base/fact.h"
#include "solver/cache.h"
#include "solver/games/game.h"

enum {
	PN_PROOF_FORM = 1,
	PN_PROOF_BYTES = 8192,     /* of a proof, at most */
	PN_PROOF_POSITIONS = 32768 /* looked at by a walk, at most; repeated ones count again */
};

enum pn_proof_end {
	PN_PROOF_HOLDS,
	PN_PROOF_FAILS,    /* a demand is not met, or the bytes are no moves */
	PN_PROOF_TOO_LONG, /* it exceeds a bound above, or that of the writer */
	PN_PROOF_NO_MEMORY
};

/* The memory of walks in one game. For one thread at a time. */
struct pn_proof_walk;

/* `knowledge`: trust the game's theorems and static solves. `identity`: the key of the positions' identities. The game
 * must outlive the walk. NULL: no memory. */
struct pn_proof_walk *pn_proof_walk_new(const struct game *game, bool knowledge, uint64_t identity);
void pn_proof_walk_free(struct pn_proof_walk *walk);
struct pn_proof_found {
	uint64_t looked; /* positions looked at */
	uint16_t move;   /* the winner's first move, if he is to move and the proof names one, in the frame of the key;
			    else PD_NO_MOVE */
};

/* Checks a proof of the bound at `state`: side, bound and rank of `reason` count. */
enum pn_proof_end pn_proof_check(struct pn_proof_walk *walk, const void *state, const struct pd_reason *reason,
				 const uint8_t *bytes, size_t size, struct pn_proof_found *found);

/* Writes proofs of what a search has solved, with the moves of its cache. Where the cache has lost a position, or never
 * had it because it was quickly solved, a search of a few nodes finds it again. */
struct pn_proof_writer;

/* `cache`: of positions named under the key `identity`; borrowed. NULL: no memory. */
struct pn_proof_writer *pn_proof_writer_new(const struct game *game, bool knowledge, uint64_t identity,
					    const struct cache *cache);
void pn_proof_writer_free(struct pn_proof_writer *writer);
/* Writes a proof of at most PN_PROOF_BYTES to `bytes`. Walk and searches together look at no more than `positions`
 * positions. PN_PROOF_FAILS: the moves were not found. */
enum pn_proof_end pn_proof_write(struct pn_proof_writer *writer, const void *state, const struct pd_reason *reason,
				 uint64_t positions, uint8_t *bytes, size_t *size);
