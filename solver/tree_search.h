/* Tree search: the search in a tree (tree.h), as a whole and step by step. */
#pragma once

#include "solver/tree.h"

/* `bytes` for the arena, at least TREE_NODES_MIN nodes and one expansion. False when memory runs out. */
bool tree_init(struct tree *tree, const struct game *game, uint64_t bytes, const struct tree_options *options);
void tree_fini(struct tree *tree);
/* Sets the options of the next search; neither these nor the old ones have a rule. */
void tree_set_options(struct tree *tree, const struct tree_options *options);

/* Begins a search of the claim at `state`, which stops when more than `budget` nodes are live. The previous tree is
 * forgotten. */
void tree_start(struct tree *tree, const struct question *question, const void *state, uint64_t budget);
/* Limits the search that was just started: First (proof) or Second has to reach its goal within `plies`. */
void tree_limit(struct tree *tree, unsigned plies, bool proof);
/* Tells the search that was just started what its root's siblings are worth. */
void tree_set_rival(struct tree *tree, const struct pn_leaf_rival *rival);
/* Searches on for about *nodes generated nodes and lowers *nodes by what was used (not below 0). */
enum tree_end tree_run(struct tree *tree, uint64_t *nodes);

/* The move to the root's most promising child; PD_NO_MOVE when there is none. */
game_move tree_leading(const struct tree *tree);

/* --- the steps that tree_run consists of, for searches that evaluate leaves differently (pn2.h) --- */

/* Descends from where the search stands to the most-proving leaf; the root is not solved. */
void tree_descend(struct tree *tree);
/* True when the leaf where the search stands is solved because its position stands on the path, or because the path
 * cannot go on; its numbers then say so. */
bool tree_repetition(struct tree *tree);
/* True when the host has a fact that answers for the leaf where the search stands; its numbers then say so. */
bool tree_known(struct tree *tree);
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

/* --- parts of these steps, for searches that keep more numbers a node (mopn.h) --- */

/* The first of `count` contiguous nodes, 0 when there is no room. */
uint32_t tree_take_block(struct tree *tree, unsigned count);
/* Frees `count` contiguous nodes and all below them; returns the nodes that they and the solved nodes in them took. */
uint64_t tree_free_below(struct tree *tree, uint32_t block, unsigned count);
/* Steps from the node on the path at `depth` to its child, on the path at depth + 1, where the search then stands. */
void tree_step_down(struct tree *tree, uint32_t depth, uint32_t child);
/* Where hints name open children of the node where the search stands, the others begin with HINT_NUMBER. Returns the
 * children's numbers. */
struct num_sum tree_follow_hints(struct tree *tree, const struct tree_node *node, unsigned k);
