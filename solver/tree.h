/* Tree: best-first proof-number search in an arena of 16-byte nodes. Level 2, and on its own the algorithm `pn`.
 *
 * After Allis's PN search, with immediate evaluation, mobility initialization and re-use of solved sub-trees' memory
 * (van den Herik and Winands 2008, section 2). Children of a node are contiguous. Nodes have neither parent links nor
 * states: the path from the root is a stack, with the positions along it. After an expansion the numbers are updated
 * upwards until they stop changing, and the search continues from there: above, the path is still the most-proving one.
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
#pragma once

#include "solver/cache.h"
#include "solver/fact_buffer.h"
#include "solver/frontier.h"
#include "solver/ghi.h"
#include "solver/hints.h"
#include "solver/leaf.h"
#include "solver/tree_rule.h"
#include "solver/tunables.h"

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

/* The solved positions that took most of a search's nodes, of those solved on every path. */
struct tree_solved {
	unsigned count;
	struct pn_leaf_solved item[PN_LEAF_SOLVED_MAX];
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
	struct fact_buffer *dominating; /* borrowed; gets the facts that follow by dominance from facts of the cache.
					 * NULL: none are looked for */
	struct tree_solved *solved;     /* borrowed; lists cached positions that took many nodes. NULL: lists none */
	const struct tree_rule *rule;   /* NULL: proof-number search. With a rule nothing is cached */
	double deep_r;                  /* R of DeepPN */
	struct pn_frontier frontier;    /* initial numbers beyond the two above */
	uint64_t seed;                  /* 0: the game's order of moves */
};

enum tree_end {
	TREE_MORE,
	TREE_SOLVED,
	TREE_BUDGET,
	TREE_FULL,
	TREE_DEPTH /* what is left open would need a deeper tree */
};

/* A limit to the length of a win. */
struct tree_horizon {
	unsigned plies; /* 0: none */
	bool proof;     /* it limits proofs, else refutations */
};

/* Questions to the cache. */
struct tree_asked {
	uint64_t asks, hits;
};

struct tree {
	struct question question;
	struct tree_options options;
	struct tree_node *nodes; /* owned; index 0 is never used */
	uint8_t *values;         /* owned; those of the rule, one a node; NULL without a rule */
	uint32_t capacity, bump; /* bump: first node never used since the last start */
	uint32_t *free_blocks;   /* owned; by size: the first node of the first free block, 0: none */
	uint64_t live, budget;
	struct pn_leaf_rival rival; /* `from` counts as `generated` does */
	uint64_t generated;         /* nodes, in all */
	uint64_t descents;          /* with a rule: how many were begun */
	struct tree_asked asked;
	struct tree_step *path;    /* owned; path[0] is the root */
	uint8_t *states;           /* owned; one a path step, and one behind for a child */
	struct pd_id *ids;         /* owned; along the path, where `named`; NULL where no position can come back */
	size_t stride;             /* bytes between states */
	uint32_t depth, depth_max; /* of the step where the search stands */
	bool mobility_only; /* initial numbers are mobility alone, which the game counts for all children at once */
	struct tree_horizon horizon;
	game_move *moves, *replies; /* owned; moves_max each */
	game_move root_move;        /* the winning move of a root that its mover wins; else PD_NO_MOVE */
	uint64_t random;            /* state of the generator that shuffles moves */
};

enum { TREE_NODES_MIN = 64, TREE_ROOT = 1 };

static inline const uint32_t *tree_numbers(const struct tree *tree)
{
	return tree->nodes[TREE_ROOT].num;
}

static inline uint32_t tree_clamp_effort(uint64_t nodes)
{
	return nodes < UINT32_MAX ? (uint32_t)nodes : UINT32_MAX;
}

/* Nodes that it took to solve the root, including what the cache knew; at least 1. Only when solved, not with
 * keep_proofs. */
static inline uint32_t tree_effort(const struct tree *tree)
{
	uint32_t effort = tree->nodes[TREE_ROOT].child;
	return effort ? effort : 1;
}

/* The value that the rule keeps of a node. */
static inline void *tree_value(const struct tree *tree, uint32_t node)
{
	PD_DEBUG_ASSERT(tree->values && node < tree->bump);
	return tree->values + node * tree->options.rule->size;
}

/* Whether the rule calls a node solved only when its smallest proof is complete; such a search knows no horizon. */
static inline bool tree_seeks_smallest(const struct tree *tree)
{
	return tree->options.rule && tree->options.rule->backup;
}

/* The numbers of a leaf. Inlined in its callers: a call costs three in a hundred instructions of a node. */
__attribute__((always_inline)) static inline void tree_set_initial_numbers(struct tree *tree, const void *state,
									   uint32_t num[2])
{
	const struct tree_options *o = &tree->options;
	if (__builtin_expect(pn_frontier_is_plain(&o->frontier), 1))
		question_initial_numbers(&tree->question, state, o->heuristics, o->mobility, tree->replies, num);
	else
		pn_frontier_set_numbers(&tree->question, &o->frontier, o->heuristics, o->mobility, state, num);
}

/* The first child that proof-number search descends to from an open node of kind k. */
static inline uint32_t tree_most_proving_child(const struct tree *tree, const struct tree_node *node, unsigned k)
{
	uint32_t wanted = node->num[k], child = node->child;
	while (tree->nodes[child].num[k] != wanted)
		child++;
	return child;
}

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

/* Whether a known result of that rank for the node where the search stands exceeds the horizon. */
static inline bool tree_beyond_horizon(const struct tree *tree, bool proved, unsigned rank)
{
	return tree->horizon.plies && proved == tree->horizon.proof && tree->depth + rank > tree->horizon.plies;
}

/* The node where the search stands. */
static inline struct tree_node *tree_here(const struct tree *tree)
{
	return &tree->nodes[tree->path[tree->depth].node];
}
