/* What becomes known of a position that a tree has. */
#pragma once

#include "solver/tree.h"

/* Enters a fact: the position with that exact key gets these solved numbers wherever it is open in the tree and not at
 * the root. What is below it is freed, and its ancestors are updated. The search stands at the root afterwards. Every
 * node is looked at. */
void tree_learn(struct tree *tree, const uint8_t *key, size_t size, const uint32_t num[2]);
