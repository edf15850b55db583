/* Tree rule: another order of search in a tree (tree.h) than that of proof and disproof numbers.
 *
 * A rule keeps a value of its own beside each node, computed from the node's children, and descends to the child that
 * its values call best. Which nodes are solved, and what is recorded of them, still follows from the proof and disproof
 * numbers alone, so a rule cannot change an answer. A rule with a `backup` also says what the numbers of open nodes
 * are, and may leave a node open that its children have solved. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tree;

struct tree_rule {
	size_t size; /* of a node's value, bytes */

	/* Sets the value of a node that was just made or solved; depth: below the root of the search. */
	void (*leaf)(struct tree *tree, uint32_t node, uint32_t depth);
	/* Computes the value of an open node of kind k (numbers.h) from its children. Returns whether it changed. */
	bool (*inner)(struct tree *tree, uint32_t node, unsigned k);
	/* The open child of an open node to descend to. */
	uint32_t (*select)(const struct tree *tree, uint32_t node, unsigned k);
	/* Sets the numbers of an expanded node of kind k where the search stands from its children; they are solved
	 * only if the children solve the node. Returns the index of the child that decides a solved node, else 0.
	 * NULL: the numbers of PN search. A rule that has it is not given hints. */
	unsigned (*backup)(struct tree *tree, uint32_t node, unsigned k, uint32_t num[2]);
};
