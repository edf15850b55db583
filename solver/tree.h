/* Tree: best-first proof-number search in an arena of 16-byte nodes. Level 2, and on its own the algorithm `pn`.
 *
 * After Allis's PN search, with immediate evaluation, mobility initialisation and re-use of solved sub-trees' memory
 * (van den Herik and Winands 2008, section 2). Children of a node are contiguous; there is no parent link, because the
 * path from the root is a stack, and no state in a node, because the positions along the path are carried on that
 * stack. After an expansion the numbers are updated upwards until they stop changing, and the search goes on from
 * there: above, the path is still the most-proving one.
 *
 * Two ways of keeping what is solved:
 *  - by default the sub-tree of a solved node is deleted, its memory re-used, and `child` keeps how many nodes it took;
 *  - with `keep_proofs` a solved node keeps what its proof needs (one winning child, or all children), so that the
 *    proof can be written out: at the end, or with `facts` as soon as it depends on no ancestor; then it is deleted.
 *
 * Where positions can come back, a node about to be expanded whose position stands on the path already is solved for
 * the side that infinite play serves. What depends on that is true below the ancestor only, where it stays, because a
 * node of a tree has one path (numbers.h). The root depends on no ancestor.
 *
 * With a `horizon` the side whose wins are counted has to win within that many plies, so that any proof found is one of
 * that length. The opposite result then means nothing: TREE_DEPTH.
 *
 * Invariants: a node's numbers are those of its children, or initial numbers (P1, P2); `live` counts the nodes in use;
 * a solved node has no children (default) or only those that its proof needs (keep_proofs); no node is deeper than
 * depth_max, and no rank is greater. */
#ifndef PN_TREE_H
#define PN_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "solver/cache.h"
#include "solver/fact_buffer.h"
#include "solver/ghi.h"
#include "solver/hints.h"
#include "solver/search.h"
#include "solver/tree_solved.h"

struct pn_sight;
struct pn_way;

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
	uint32_t since; /* depth from which on a position may be this one again: no move since was irreversible */
	bool named;     /* its identity is known */
};

struct tree_options {
	bool keep_proofs;
	bool mobility;       /* mobility initialization: pn/dn 1 and the number of moves instead of 1/1 */
	bool heuristics;     /* the game's own initial numbers, where it has them */
	bool immediate_win;  /* look one ply further where the game can */
	bool knowledge;      /* static solve; with keep_proofs such a node is written out as a leaf */
	struct cache *cache; /* borrowed; NULL: none. With keep_proofs it is asked but not filled: it must hold facts
			      * only */
	const struct pn_host *host; /* borrowed; facts asked at every expansion. NULL: none */
	const struct hints *hints;  /* borrowed; moves to try first. NULL: none */
	struct fact_buffer *facts;  /* borrowed; with keep_proofs: what is solved and depends on no ancestor is written
				     * out here at once, and its memory re-used. NULL: not before the end */
	struct tree_solved *solved; /* borrowed; what goes into the cache and took many nodes is listed. NULL: nothing
				     */
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
	struct tree_step *path;    /* owned; path[0] is the root */
	uint8_t *states;           /* owned; one a path step, and one behind for a child */
	struct pd_id *ids;         /* owned; along the path, where `named`; NULL where no position can come back */
	size_t stride;             /* bytes between states */
	uint32_t depth, depth_max; /* of the step where the search stands */
	bool mobility_only; /* initial numbers are mobility alone, which the game counts for all children at once */
	unsigned horizon;   /* plies; 0: none */
	bool horizon_proof; /* it limits proofs, else refutations */
	game_move *moves, *replies; /* owned; moves_max each */
	game_move root_move;        /* the winning move of a root that its mover wins; else PD_NO_MOVE */
	uint64_t random;            /* state of the generator that shuffles moves */
};

/* `bytes` for the arena, at least TREE_NODES_MIN nodes and one expansion. False when memory cannot be had. */
bool tree_init(struct tree *tree, const struct game *game, uint64_t bytes, const struct tree_options *options);
void tree_fini(struct tree *tree);

enum { TREE_NODES_MIN = 64, TREE_ROOT = 1 };

/* Begins a search of the claim at `state`, which stops when more than `budget` nodes are live. The previous tree is
 * forgotten. */
void tree_start(struct tree *tree, const struct question *question, const void *state, uint64_t budget);
/* Limits the search that was just started: First (proof) or Second has to reach its goal within `plies`. */
void tree_limit(struct tree *tree, unsigned plies, bool proof);
/* Searches on for about *nodes generated nodes and lowers *nodes by what was used (not below 0). */
enum tree_end tree_run(struct tree *tree, uint64_t *nodes);

static inline const uint32_t *tree_numbers(const struct tree *tree)
{
	return tree->nodes[TREE_ROOT].num;
}

/* The move to the root's most promising child; PD_NO_MOVE when there is none. */
game_move tree_leading(const struct tree *tree);

/* What the tree holds of a position (engine.h). Spent on it are the nodes that are below it now, and what those that
 * are solved and gone took. (tree_look.c) */
bool tree_see(const struct tree *tree, const struct pn_way *way, struct pn_sight *out);

/* Nodes that it took to solve the root, including what the cache knew; at least 1. Only when solved, not with
 * keep_proofs. */
static inline uint32_t tree_effort(const struct tree *tree)
{
	uint32_t effort = tree->nodes[TREE_ROOT].child;
	return effort ? effort : 1;
}

/* --- facts (tree_proof.c) ------------------------------------------------------------------ */

/* Records the solved root: as one fact with its effort (PN_FRONTIER), or with all facts that its proof needs. */
void tree_record(struct tree *tree, enum pn_detail detail, struct fact_buffer *facts);
/* Writes out the facts that the root's proof needs (keep_proofs, solved), to `facts` and to the cache. */
void tree_emit(struct tree *tree, struct fact_buffer *facts);
/* The same for child `index` of the root of a search that has ended; the child is solved, the root need not be. */
void tree_emit_child(struct tree *tree, unsigned index, struct fact_buffer *facts);
/* The same for the solved node on the path at depth `start`. */
void tree_emit_from(struct tree *tree, uint32_t start, struct fact_buffer *facts);
/* Records the fact that the mover of `state` has an immediate win (num from question_immediate_win), looking for the
 * move. `moves`: room for all moves. */
void tree_emit_immediate_win(const struct question *question, const void *state, const uint32_t num[2],
			     game_move *moves, struct fact_buffer *facts);
/* Puts a solved node into the cache; `move` in the state's own frame. */
void tree_cache_result(struct tree *tree, const struct tree_node *node, const void *state, unsigned move,
		       uint64_t effort, bool fact);

/* --- the steps that tree_run consists of, for searches that evaluate leaves differently (pn2.h) --- */

/* The position at `depth` of the path; behind the last there is room for one more. */
static inline void *tree_state(const struct tree *tree, uint32_t depth)
{
	return tree->states + depth * tree->stride;
}

/* Copies the position at `depth` one step on. In pieces of 16 bytes, so that what plays a move there need not wait for
 * wider ones that overlap. */
static inline uint8_t *tree_copy_on(const struct tree *tree, uint32_t depth)
{
	const uint8_t *from = tree_state(tree, depth);
	uint8_t *to = tree_state(tree, depth + 1);
	for (size_t i = 0; i < tree->stride; i += 16)
		memcpy(to + i, from + i, 16);
	return to;
}

static inline struct tree_node *tree_here(const struct tree *tree)
{
	return &tree->nodes[tree->path[tree->depth].node];
}

/* Descends from where the search stands to the most-proving leaf; the root is not solved. */
void tree_descend(struct tree *tree);
/* True when the leaf where the search stands is solved because its position stands on the path, or because the path
 * cannot go on; its numbers then say so. */
bool tree_repetition(struct tree *tree);
/* True when the host has a fact that answers for the leaf where the search stands; its numbers then say so. */
bool tree_known(struct tree *tree);
/* The open node where the search stands, not the root, is solved with these numbers by a fact: what is below it is
 * freed, and its ancestors are updated. */
void tree_settle(struct tree *tree, const uint32_t num[2]);
/* The same wherever a position stands in the tree, open and not at the root; by its exact key. The search stands at the
 * root afterwards. It looks at every node. */
void tree_learn(struct tree *tree, const uint8_t *key, size_t size, const uint32_t num[2]);
/* Expands the leaf where the search stands; its numbers are then those of its children. False when the arena is full.
 */
bool tree_expand(struct tree *tree);
/* Gives the leaf where the search stands the children of the root of `below`, a search at the same position, with their
 * moves and numbers, and the numbers that follow. Children that depend on that root are open again. A child that is
 * solved there has to be a fact, terminal, or an immediate win. False when the arena is full; then nothing is changed.
 */
bool tree_put_children(struct tree *tree, const struct tree *below);
/* The numbers of the node where the search stands changed: updates upwards until nothing changes, and stands there. */
void tree_ascend(struct tree *tree);

#endif
