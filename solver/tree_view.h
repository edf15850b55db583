/* Tree view: what a tree shows of itself between two runs. */
#pragma once

#include "solver/engine.h"
#include "solver/tree.h"

/* What the tree knows about a position (engine.h). The nodes spent on it are those below it now, and those that solved
 * and freed sub-trees took. */
bool tree_view(const struct tree *tree, const struct pn_path *path, struct pn_view *out);
