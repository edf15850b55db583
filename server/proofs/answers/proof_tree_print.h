/* Proof tree print: a proof tree as JSON, and in the language of Graphviz. */
#pragma once

#include "proto/out.h"
#include "server/proofs/answers/proof_tree.h"

/* Prints the members `claim`, `status`, `nodes` and `more` of the result of proof.tree. `notation` of moves; NULL: the
 * game's own. */
void sv_tree_print(const struct sv_tree *tree, const char *notation, struct pr_out *out);
/* Appends the graph in the language of Graphviz. `boards`: nodes show pictures of their positions, not their texts. */
void sv_tree_dot(const struct sv_tree *tree, const char *notation, bool boards, struct pd_buf *out);
