/* Diff, the core: a graph asked of the server's core, in a directory of its own. */
#pragma once

#include "tests/lab/diff_graph.h"

/* Several jobs (claims, nodes, algorithms, budgets that are raised) in one directory that is closed and opened again
 * meanwhile; then each result and the fact of every node are compared, the directory is checked, and a certificate of
 * each solved job is made and given to the checker. Returns how many of these were wrong, and prints each. */
unsigned diff_core(const struct diff_graph *graph, const struct diff_truth *truth, uint64_t seed);
