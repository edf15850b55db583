/* What becomes known of a position that a tree holds already. A tree has no index of positions, so every node is looked
 * at, along a path as the search has it; that path is free between two expansions. */
#include <string.h>

#include "proto/base/assert.h"
#include "solver/tree.h"

/* Steps to a child of the node at `depth`, on the path at depth + 1. */
static void step_down(struct tree *tree, uint32_t depth, uint32_t child)
{
	const struct question *q = &tree->question;
	void *state = tree_copy_on(tree, depth);
	q->game->rules->play(q->game, state, tree->nodes[child].move);
	tree->path[depth + 1] = (struct tree_step){.node = child, .k = question_kind(q, state)};
	tree->depth = depth + 1;
}

/* The depth above the highest node of the path that is solved; below that nothing is left. */
static uint32_t above_solved(const struct tree *tree, uint32_t deepest)
{
	uint32_t depth = 0;
	while (depth < deepest && !num_solved(tree->nodes[tree->path[depth + 1].node].num))
		depth++;
	return depth;
}

void tree_learn(struct tree *tree, const uint8_t *key, size_t size, const uint32_t num[2])
{
	const struct game *game = tree->question.game;
	const uint32_t *root = tree_numbers(tree);
	uint8_t here[GAME_KEY_MAX];
	uint32_t depth = 0;
	PD_ASSERT(tree->bump > TREE_ROOT && num_solved(num));
	tree->path[0].next = 0;
	while (!num_solved(root)) {
		struct tree_step *step = &tree->path[depth];
		const struct tree_node *node = &tree->nodes[step->node];
		if (step->next == node->count) {
			if (!depth)
				break;
			depth--;
			continue;
		}
		uint32_t child = node->child + step->next++;
		if (num_solved(tree->nodes[child].num))
			continue;
		step_down(tree, depth++, child);
		if (game->rules->key(game, tree_state(tree, depth), here) == size && !memcmp(here, key, size)) {
			uint32_t found = depth;
			tree_settle(tree, num);
			depth = above_solved(tree, found);
		}
	}
	tree->depth = 0;
}
