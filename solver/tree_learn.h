/* What becomes known of a position that a tree has. */
#pragma once

#include "solver/tree.h"

/* The position with that exact key is solved with these numbers by a fact, wherever it is open in the tree and not at
 * the root: what is below it is freed, and its ancestors are updated. The search stands at the root afterwards. Every
 * node is looked at. */
void tree_learn(struct tree *tree, const uint8_t *key, size_t size, const uint32_t num[2]);
