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
	while (mark && !game_record_is(text, size, marks[mark], false))
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

bool game_tree_wanted(const struct record *r)
{
	return r->played->tree && !r->idle;
}

static void begin(struct record *r)
{
	struct game_tree *tree = r->played->tree;
	if (!tree->begun)
		memcpy(tree->start, r->state, r->game->state_size);
	tree->begun = true;
}

int game_tree_end(struct record *r)
{
	if (!r->played->tree)
		return PD_OK;
	begin(r);
	return r->played->tree->no_memory ? pd_fail_set(r->fail, PD_E_NO_MEMORY, "", "no memory for a record") : PD_OK;
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

void game_tree_step(struct record *r, game_move move)
{
	struct game_tree *tree = r->played->tree;
	if (!game_tree_wanted(r) || tree->no_memory)
		return;
	begin(r);
	uint32_t *place = &tree->nodes[tree->at].child;
	while (*place && tree->nodes[*place].move != move)
		place = &tree->nodes[*place].sibling;
	uint32_t node = *place;
	if (!node) {
		size_t last = (size_t)((char *)place - (char *)tree->nodes); /* the nodes may move */
		node = add_child(tree, move);
		tree->no_memory = !node;
		if (node)
			*(uint32_t *)(void *)((char *)tree->nodes + last) = node;
	}
	tree->at = node;
}

void game_tree_mark(struct record *r, unsigned mark)
{
	if (game_tree_wanted(r) && mark && mark < GAME_MARKS && r->played->tree->at)
		r->played->tree->nodes[r->played->tree->at].mark = mark;
}

void game_tree_say(struct record *r, const char *text, size_t size)
{
	struct game_tree *tree = r->played->tree;
	while (size && game_record_blank(*text))
		text++, size--;
	while (size && game_record_blank(text[size - 1]))
		size--;
	if (!size || !game_tree_wanted(r) || tree->no_memory)
		return;
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

void game_tree_go(struct record *r, uint32_t node)
{
	struct game_tree *tree = r->played->tree;
	uint32_t path[GAME_RECORD_MOVES];
	unsigned plies = 0;
	if (!game_tree_wanted(r) || tree->no_memory)
		return;
	begin(r);
	for (uint32_t i = node; i; i = tree->nodes[i].parent) {
		PD_ASSERT(plies < GAME_RECORD_MOVES); /* no tree has more moves */
		path[plies++] = i;
	}
	memcpy(r->state, tree->start, r->game->state_size);
	while (plies)
		r->game->rules->play(r->game, r->state, tree->nodes[path[--plies]].move);
	tree->at = node;
}
