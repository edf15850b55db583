#include "solver/games/record_tree.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"

static const char *const marks[GAME_MARKS] = {"", "!", "?", "!!", "??", "!?", "?!"};

const char *game_mark_text(unsigned mark)
{
	return marks[mark < GAME_MARKS ? mark : 0];
}

unsigned game_mark_of(const char *text, size_t size)
{
	unsigned mark = GAME_MARKS - 1;
	while (mark && (strlen(marks[mark]) != size || memcmp(text, marks[mark], size) != 0))
		mark--;
	return mark;
}

void game_tree_init(struct game_tree *tree)
{
	memset(tree, 0, sizeof *tree);
	tree->nodes = calloc(1, sizeof *tree->nodes);
	tree->no_memory = !tree->nodes;
	tree->count = tree->room = tree->nodes ? 1 : 0;
}

void game_tree_fini(struct game_tree *tree)
{
	for (uint32_t i = 0; i < tree->count; i++)
		free(tree->nodes[i].text);
	free(tree->nodes);
	*tree = (struct game_tree){0};
}

uint32_t game_tree_next(const struct game_tree *tree, uint32_t node)
{
	if (tree->nodes[node].child)
		return tree->nodes[node].child;
	while (node && !tree->nodes[node].sibling)
		node = tree->nodes[node].parent;
	return tree->nodes[node].sibling;
}

static void begin_tree(struct game_tree *tree, const struct game *game, const void *state)
{
	if (!tree->begun)
		memcpy(tree->start, state, game->state_size);
	tree->begun = true;
}

bool game_tree_end(struct game_tree *tree, const struct game *game, const void *state)
{
	if (tree)
		begin_tree(tree, game, state);
	return !tree || !tree->no_memory;
}

/* Appends a child of the current node; 0 without memory. */
static uint32_t add_child(struct game_tree *tree, game_move move)
{
	if (tree->count == tree->room) {
		struct game_line_node *grown = realloc(tree->nodes, 2 * (size_t)tree->room * sizeof *grown);
		if (!grown)
			return 0;
		tree->nodes = grown;
		tree->room *= 2;
	}
	tree->nodes[tree->count] = (struct game_line_node){.move = move, .parent = tree->at};
	return tree->count++;
}

void game_tree_step(struct game_tree *tree, const struct game *game, const void *state, game_move move)
{
	if (!tree || tree->no_memory)
		return;
	begin_tree(tree, game, state);
	uint32_t last = 0, node = tree->nodes[tree->at].child;
	for (; node && tree->nodes[node].move != move; node = tree->nodes[node].sibling)
		last = node;
	if (!node) {
		node = add_child(tree, move);
		tree->no_memory = !node;
		if (last)
			tree->nodes[last].sibling = node;
		else
			tree->nodes[tree->at].child = node;
	}
	tree->at = node;
}

void game_tree_mark(struct game_tree *tree, unsigned mark)
{
	if (tree && mark && mark < GAME_MARKS && tree->at)
		tree->nodes[tree->at].mark = mark;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void game_tree_say(struct game_tree *tree, const char *text, size_t size)
{
	while (size && is_blank(*text))
		text++, size--;
	while (size && is_blank(text[size - 1]))
		size--;
	if (!size || !tree || tree->no_memory)
		return;
	PD_ASSERT(tree->at < tree->count);
	struct game_line_node *node = &tree->nodes[tree->at];
	size_t old = node->text ? strlen(node->text) : 0;
	char *grown = realloc(node->text, old + size + 2);
	tree->no_memory = !grown;
	if (!grown)
		return;
	node->text = grown;
	if (old)
		grown[old++] = '\n';
	for (size_t i = 0; i < size; i++)
		if (text[i] != '\r')
			grown[old++] = (unsigned char)text[i] < ' ' && text[i] != '\n' ? ' ' : text[i];
	grown[old] = 0;
}

void game_tree_go(struct game_tree *tree, const struct game *game, void *state, uint32_t node)
{
	uint32_t path[GAME_TREE_MOVES];
	unsigned plies = 0;
	if (!tree || tree->no_memory)
		return;
	begin_tree(tree, game, state);
	for (uint32_t i = node; i; i = tree->nodes[i].parent) {
		PD_ASSERT(plies < GAME_TREE_MOVES); /* no record has more moves */
		path[plies++] = i;
	}
	memcpy(state, tree->start, game->state_size);
	while (plies)
		game->rules->play(game, state, tree->nodes[path[--plies]].move);
	tree->at = node;
}
