/* Proof tree: the top of the proof of an answer, to be shown (the method proof.tree).
 *
 * A breadth-first walk from the root over the facts of the store, without any search. Each node is a position together
 * with the reasons that the proof takes there (proof_step.h): positions with the same text and the same reasons are one
 * node, so the tree is a graph, in which only reasons without a rank can make a cycle. At a node whose mover wants the
 * bound the proof has one move, at other nodes all. The walk does not go below a reason with an effort, because the
 * proof below it was not kept. Moves that a limit cuts off are counted at their node. */
#pragma once

#include "proto/base/buf.h"
#include "server/proofs/answers/proof_step.h"
#include "server/proofs/answers/theorem_print.h"

struct st_reader;

enum sv_tree_kind {
	SV_TREE_END,     /* the game is over */
	SV_TREE_MOVE,    /* the mover wants the bound: one move */
	SV_TREE_REPLIES, /* the other side wants a bound: all moves */
	SV_TREE_LEAF,    /* a search proved the bound, and can find it again */
	SV_TREE_ASIDE    /* not a part of the proof, but shown because its value is known */
};

struct sv_tree_order {
	struct st_reader *reader;
	uint32_t game_id; /* in the store; 0: it has no facts of the game */
	const struct game *game;
	const void *state;        /* the root */
	const char *claim;        /* NULL: the strongest that is proved */
	unsigned depth;           /* plies below the root at most */
	unsigned nodes;           /* at most; at least 1 */
	size_t node_bytes;        /* bytes of a node in the reply besides its entry in `nodes` */
	bool all;                 /* also moves outside the proof whose value is known */
	bool (*go_on)(void *ctx); /* called now and then; false ends the walk with PD_E_SHUTDOWN */
	void *ctx;
};

struct sv_tree_node {
	uint32_t text; /* offset of the position's text in `texts` */
	unsigned depth;
	enum sv_tree_kind kind;
	bool over, has_lo, has_hi;     /* has_...: the proof needs this bound here; it is lower.bound, upper.bound */
	int lo, hi;                    /* all that is known of the value */
	struct pd_reason lower, upper; /* the reasons taken; of an aside: the strongest of the fact, if there are any */
	uint32_t first_edge, edges;
	unsigned more; /* moves of the proof that are left out here */
};

struct sv_tree_edge {
	uint32_t to; /* index of a node */
	game_move move;
	bool proof; /* it is a part of the proof */
};

struct sv_tree {
	const struct game *game; /* borrowed */
	struct sv_claim_needs claim;
	struct pd_buf nodes, edges, states, texts; /* arrays of the structs above, and of the game's states */
	uint32_t count;                            /* nodes; the first is the root */
	uint64_t more;                             /* of all nodes */
};

/* Makes the tree; always followed by sv_tree_fini. PD_E_NO_FACT with field "position" when nothing is proved,
 * PD_E_STATE when what is proved does not answer the claim, PD_E_CORRUPT when a fact is missing or malformed,
 * PD_E_NO_MEMORY. */
int sv_tree_make(const struct sv_tree_order *order, struct sv_tree *out, struct pd_fail *fail);
void sv_tree_fini(struct sv_tree *tree);

/* The theorems that give at least a bound of the proof whose search was not kept, at the position of a node. Returns
 * how many. */
unsigned sv_tree_theorems(const struct game *game, const void *state, const struct sv_tree_node *node,
			  struct game_told out[2]);

static inline const struct sv_tree_node *sv_tree_node(const struct sv_tree *tree, uint32_t index)
{
	return (const struct sv_tree_node *)(const void *)tree->nodes.data + index;
}
