/* Tree proof: what solved nodes of a tree become: cache entries, and the facts of a proof (keep_proofs). */
#pragma once

#include "solver/tree.h"

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

/* Whether the answer for the node where the search stands follows by dominance from a solved position of the cache;
 * `id` is that of its position. The node is then solved. What follows from a fact becomes a fact, unless a search finds
 * it again quickly. Only in a game with dominance. */
bool tree_follows(struct tree *tree, struct tree_node *node, struct pd_id id);
/* Puts a solved node into the cache; `move` in the state's own frame. */
void tree_cache_result(struct tree *tree, const struct tree_node *node, const void *state, unsigned move,
		       uint64_t effort, bool fact);
