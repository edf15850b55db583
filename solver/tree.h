/* Tree: best-first proof-number search in an arena of 16-byte nodes. Level 2, and on its own the algorithm `pn`.
 *
 * After Allis's PN search, with immediate evaluation, mobility initialisation and re-use of solved sub-trees' memory
 * (van den Herik and Winands 2008, section 2). Children of a node are contiguous; there is no parent link, because the
 * path from the root is a stack, and no state in a node, because the positions along the path are carried on that
 * stack. After an expansion the numbers are updated upwards until they stop changing, and the search goes on from
 * there: above, the path is still the most-proving one.
 *
 * Two ways of keeping what is solved:
 *  - by default a solved node gives back its whole sub-tree and remembers in `child` how many nodes it took;
 *  - with `keep_proofs` it keeps what its proof needs (one winning child, or all children), so that the proof can be
 * written out: at the end, or with `found` as soon as it leans on nothing; then it is given back as well.
 *
 * Where positions can come back, a node about to be expanded that stands on the path already is solved for the side
 * that infinite play serves; what leans on that is true below the ancestor only, where it stays, because a tree's node
 * has one path (numbers.h). The root leans on nothing.
 *
 * With a `horizon` the side whose wins are counted has to win within so many plies; that makes any proof found one of
 * that length. The opposite then means nothing: TREE_DEPTH.
 *
 * Invariants: a node's numbers are those of its children, or first values; `live` counts the nodes in use; a solved
 * node has no children (default) or solved children only (those that matter, keep_proofs). */
#ifndef PN_TREE_H
#define PN_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "solver/cache.h"
#include "solver/fact_buffer.h"
#include "solver/ghi.h"
#include "solver/solver.h"

struct tree_node {
	uint32_t num[2];
	uint32_t child; /* index of the first child; of a solved node without children: nodes that it took to solve */
	uint16_t move;  /* that leads here, in the parent's own frame */
	uint16_t count; /* children; 0: not expanded, or solved */
};

struct tree_step {
	uint32_t node;
	uint32_t k;     /* node type, see numbers.h */
	uint32_t next;  /* while a proof is written out: the child whose turn it is */
	uint32_t since; /* depth from which on positions may be this one: no move since was final */
	bool named;     /* its identity is known */
};

struct tree_options {
	bool keep_proofs;
	bool mobility;      /* first values 1 and number of moves; else 1 and 1 */
	bool heuristics;    /* first values of the game's own, where it has them */
	bool immediate_win; /* look one ply further where the game can */
	bool knowledge; /* believe what the game knows beyond its rules; with keep_proofs it is written out as a leaf */
	struct cache
		*cache; /* borrowed; NULL: none. With keep_proofs it is asked but not filled: it must hold facts only */
	const struct pn_host *host; /* borrowed; facts asked at every expansion. NULL: none */
	struct fact_buffer *facts;  /* borrowed; with keep_proofs: what is solved and leans on nothing is written out
				 here at once, and given back. NULL: nothing is */
	uint64_t seed;              /* 0: the game's order of moves */
};

enum tree_end {
	TREE_MORE,
	TREE_SOLVED,
	TREE_BUDGET,
	TREE_FULL,
	TREE_DEPTH /* what is left open would need a deeper tree */
};

struct tree {
	struct question question;
	struct tree_options options;
	struct tree_node *nodes; /* owned; index 0 is never used */
	uint32_t capacity, bump; /* bump: first node never used since the last start */
	uint32_t *free_blocks;   /* owned; by size: the first node of the first free block, 0: none */
	uint64_t live, budget;
	uint64_t generated; /* nodes, in all */
	uint64_t cache_asks, cache_hits;
	struct tree_step *path;     /* owned; path[0] is the root */
	uint8_t *states;            /* owned; one a path step, and one behind for a child */
	struct pd_id *ids;          /* owned; along the path, where `named`; NULL where no position can come back */
	size_t stride;              /* bytes between states */
	uint32_t depth, depth_max;  /* of the step where the search stands */
	bool mobility_only;         /* a child that is not over is worth its replies, which the game counts at once */
	unsigned horizon;           /* plies; 0: none */
	bool horizon_proof;         /* it limits proofs, else refutations */
	game_move *moves, *replies; /* owned; moves_max each */
	game_move root_move;        /* of a root that its mover wins */
	uint64_t random;            /* state of the generator that shuffles moves */
};

/* `bytes` for the arena, at least TREE_NODES_MIN nodes and one expansion. False when memory cannot be had. */
bool tree_init(struct tree *tree, const struct game *game, uint64_t bytes, const struct tree_options *options);
void tree_fini(struct tree *tree);

enum { TREE_NODES_MIN = 64, TREE_ROOT = 1 };

/* Begins a search of the claim at `state`, to stop when more than `budget` nodes are live. What was there before is
 * forgotten. */
void tree_start(struct tree *tree, const struct question *question, const void *state, uint64_t budget);
/* Limits what was just started: First (proof) or Second has to be right within `plies`. */
void tree_limit(struct tree *tree, unsigned plies, bool proof);
/* Goes on for about `nodes` generated nodes; *nodes is lowered by what was used (not below 0). */
enum tree_end tree_run(struct tree *tree, uint64_t *nodes);

static inline const uint32_t *tree_numbers(const struct tree *tree)
{
	return tree->nodes[TREE_ROOT].num;
}

/* Nodes that it took to solve the root, what the cache knew counted in; at least 1. Only when solved, not with
 * keep_proofs. */
static inline uint32_t tree_effort(const struct tree *tree)
{
	uint32_t effort = tree->nodes[TREE_ROOT].child;
	return effort ? effort : 1;
}

/* Writes out the facts that the root's proof needs (keep_proofs, solved). Each goes to `found`, and to the cache. */
void tree_emit(struct tree *tree, struct fact_buffer *facts);
/* The same for child `index` of the root of a search that has ended; the child is solved, the root need not be. */
void tree_emit_child(struct tree *tree, unsigned index, struct fact_buffer *facts);

/* The steps that tree_run is made of, for whoever evaluates leaves in another way (pn2.h). */

/* The position at `depth` of the path; behind the last there is room for one more. */
static inline void *tree_state(const struct tree *tree, uint32_t depth)
{
	return tree->states + depth * tree->stride;
}

static inline struct tree_node *tree_here(const struct tree *tree)
{
	return &tree->nodes[tree->path[tree->depth].node];
}

/* Walks down from where the search stands to the most-proving leaf; the root is not solved. */
void tree_descend(struct tree *tree);
/* True when the leaf where the search stands is solved because its position stands on the path, or because the path
 * cannot go on; its numbers say so then. */
bool tree_repetition(struct tree *tree);
/* Expands the leaf where the search stands; its numbers are those of its children then. False when the arena is full.
 */
bool tree_expand(struct tree *tree);
/* Gives the leaf where the search stands the children of the root of `below`, a search at the same position, with their
 * moves and numbers but for what leans on that root, which is open again; and the numbers that follow. A child that is
 * solved there has to be a fact, over, or a win at once. False when the arena is full; then nothing is changed. */
bool tree_put_children(struct tree *tree, const struct tree *below);
/* The numbers of the node where the search stands changed: updates upwards until nothing changes, and stands there. */
void tree_ascend(struct tree *tree);

/* Records the fact that the mover of `state` wins at once (num as question_immediate_win gave it), looking for the
 * move.
 */
void tree_emit_immediate_win(const struct question *question, const void *state, const uint32_t num[2],
			     game_move *moves, struct fact_buffer *facts);

#endif
