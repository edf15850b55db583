#include "solver/tree_learn.h"

#include <string.h>

#include "solver/tree_search.h"

/* A tree has no index of positions, so every node is looked at, along a path as the search has it; the path is free
 * between two expansions. */

/* The open node where the search stands, not the root, is solved with these numbers by a fact. */
static void tree_settle_node(struct tree *tree, const uint32_t num[2])
{
	struct tree_node *node = tree_here(tree);
	PD_ASSERT(tree->depth && num_sound(num) && num_solved(num) && !num_solved(node->num));
	if (node->count)
		tree_free_below(tree, node->child, node->count);
	node->child = 0;
	node->count = 0;
	num_copy(node->num, num);
	tree_ascend(tree);
}

/* The depth above the highest node of the path that is solved; below that nothing is left. */
static uint32_t tree_depth_above_solved(const struct tree *tree, uint32_t deepest)
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
		tree_step_down(tree, depth++, child);
		if (game->rules->key(game, tree_state(tree, depth), here) == size && !memcmp(here, key, size)) {
			uint32_t found = depth;
			tree_settle_node(tree, num);
			depth = tree_depth_above_solved(tree, found);
		}
	}
	tree->depth = 0;
}
