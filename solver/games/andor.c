/* An explicit AND/OR graph, for teaching, for tests and for whatever others generate.
 *
 * Rules. The game is given node by node (proto/base/graph.h): who moves, which nodes can be reached, or what the game
 * is worth to First if it ends there. Sides need not alternate, a child may stand in several lists or twice in one, and
 * nodes that the root does not reach are positions like any other.
 *
 * Notation. A position is a node's name; or a path of names from the root, separated by '/', each a child of the one
 * before, where the root itself may be left out; or nothing, which is the root. A move is the name of the child; if it
 * stands twice in the list, the first is meant.
 *
 * Key. The bytes of the node's name. There are no symmetries; `unique_moves` drops children that stand twice.
 *
 * What opening does. The graph is checked, because a wrong index would be an overrun later; names are sorted for
 * looking up; and a depth-first search finds out whether there are cycles, and the longest path if not. The digest of
 * the graph is the version of the rules: another graph under the same name is another game. */
#include "solver/game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/text.h"

enum {
	NAME_MAX_BYTES = 64,
	PICTURE_CHILDREN = 20 /* shown by picture, so that it stays within GAME_TEXT_MAX */
};

struct name {
	const char *text; /* borrowed from the graph */
	uint32_t node;
};

struct andor {
	struct game game;
	struct pd_graph *graph; /* owned */
	struct name *names;     /* owned; sorted by text, one a node */
};

typedef uint32_t node_index; /* the state */

static const struct andor *of(const struct game *game)
{
	return (const struct andor *)game;
}

static node_index index_of(const void *state)
{
	node_index i;
	memcpy(&i, state, sizeof i);
	return i;
}

static const struct pd_graph_node *node_of(const struct game *game, const void *state)
{
	return &of(game)->graph->nodes[index_of(state)];
}

static node_index child_of(const struct game *game, const struct pd_graph_node *node, unsigned i)
{
	return of(game)->graph->children[node->child + i];
}

/* --- inner loop --------------------------------------------------------------------------- */

static void andor_start(const struct game *game, void *state)
{
	memcpy(state, &of(game)->graph->root, sizeof(node_index));
}

static bool andor_first_to_move(const struct game *game, const void *state)
{
	return node_of(game, state)->first_moves;
}

static bool andor_terminal(const struct game *game, const void *state, int *value)
{
	const struct pd_graph_node *node = node_of(game, state);
	if (node->terminal)
		*value = node->value;
	return node->terminal;
}

static unsigned andor_moves(const struct game *game, const void *state, game_move *out)
{
	unsigned count = node_of(game, state)->count;
	for (unsigned i = 0; i < count; i++)
		out[i] = (game_move)i;
	return count;
}

static unsigned andor_distinct(const struct game *game, const void *state, game_move *out)
{
	const struct pd_graph_node *node = node_of(game, state);
	unsigned n = 0;
	for (unsigned i = 0; i < node->count; i++) {
		unsigned j = 0;
		while (j < n && child_of(game, node, out[j]) != child_of(game, node, i))
			j++;
		if (j == n)
			out[n++] = (game_move)i;
	}
	return n;
}

static void andor_play(const struct game *game, void *state, game_move move)
{
	node_index child = child_of(game, node_of(game, state), move);
	PD_DEBUG_ASSERT(child < of(game)->graph->node_count);
	memcpy(state, &child, sizeof child);
}

/* --- names -------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

/* True when there is a node of that name. */
static bool find(const struct andor *a, const char *text, size_t size, node_index *out)
{
	char copy[NAME_MAX_BYTES + 1];
	if (size == 0 || size > NAME_MAX_BYTES || memchr(text, 0, size))
		return false;
	memcpy(copy, text, size);
	copy[size] = 0;
	struct name key = {.text = copy};
	const struct name *found = bsearch(&key, a->names, a->graph->node_count, sizeof *a->names, compare_names);
	if (found)
		*out = found->node;
	return found != NULL;
}

/* The place of a node in a list of children; the list's length when it is not there. */
static unsigned place_of(const struct game *game, const struct pd_graph_node *node, node_index child)
{
	unsigned i = 0;
	while (i < node->count && child_of(game, node, i) != child)
		i++;
	return i;
}

static size_t andor_key(const struct game *game, const void *state, uint8_t *out)
{
	const char *name = node_of(game, state)->name;
	size_t size = strlen(name);
	memcpy(out, name, size);
	return size;
}

static int andor_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	node_index i;
	if (!find(of(game), (const char *)key, size, &i))
		return PD_E_CORRUPT;
	memcpy(state, &i, sizeof i);
	return PD_OK;
}

static int parse_path(const struct game *game, const char *text, node_index *out, struct pd_fail *fail)
{
	const struct andor *a = of(game);
	const struct pd_graph_node *nodes = a->graph->nodes;
	node_index at = a->graph->root;
	for (const char *p = text;;) {
		size_t size = strcspn(p, "/");
		node_index next;
		if (!find(a, p, size, &next))
			return pd_fail_set(fail, PD_E_POSITION, "position",
					   "at index %zu (counted from 0): there is no node '%s'", (size_t)(p - text),
					   text_excerpt(p, size).text);
		bool root = p == text && next == a->graph->root;
		if (!root && place_of(game, &nodes[at], next) == nodes[at].count)
			return pd_fail_set(fail, PD_E_POSITION, "position",
					   "at index %zu (counted from 0): '%s' is no child of '%s'",
					   (size_t)(p - text), nodes[next].name, nodes[at].name);
		at = next;
		p += size;
		if (!*p++)
			break;
	}
	*out = at;
	return PD_OK;
}

static int andor_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct andor *a = of(game);
	node_index i = a->graph->root;
	if (strchr(text, '/')) {
		int rc = parse_path(game, text, &i, fail);
		if (rc)
			return rc;
	} else if (*text && !find(a, text, strlen(text), &i)) {
		return pd_fail_set(fail, PD_E_POSITION, "position", "there is no node '%s' in this graph",
				   text_excerpt(text, NAME_MAX_BYTES).text);
	}
	memcpy(state, &i, sizeof i);
	return PD_OK;
}

static size_t andor_print(const struct game *game, const void *state, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	text_printf(&line, "%s", node_of(game, state)->name);
	return line.length;
}

static size_t andor_picture(const struct game *game, const void *state, char *out, size_t size)
{
	const struct pd_graph_node *node = node_of(game, state);
	struct text_line line = text_line(out, size);
	if (node->terminal) {
		text_printf(&line, "%s: the game is over, First gets %d\n", node->name, node->value);
		return line.length;
	}
	text_printf(&line, "%s: %s to move\n ", node->name, node->first_moves ? "First" : "Second");
	for (unsigned i = 0; i < node->count && i < PICTURE_CHILDREN; i++)
		text_printf(&line, " %s", of(game)->graph->nodes[child_of(game, node, i)].name);
	if (node->count > PICTURE_CHILDREN)
		text_printf(&line, " and %u more", node->count - PICTURE_CHILDREN);
	text_printf(&line, "\n");
	return line.length;
}

static int andor_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
			    struct pd_fail *fail)
{
	const struct pd_graph_node *node = node_of(game, state);
	node_index child;
	unsigned place = find(of(game), text, strlen(text), &child) ? place_of(game, node, child) : node->count;
	if (place == node->count)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s' is no child of '%s'",
				   text_excerpt(text, NAME_MAX_BYTES).text, node->name);
	*out = (game_move)place;
	return PD_OK;
}

static size_t andor_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	node_index child = child_of(game, node_of(game, state), move);
	return andor_print(game, &child, out, size);
}

/* --- opening ------------------------------------------------------------------------------ */

/* What is wrong with a node; NULL when nothing is. */
static const char *node_fault(const struct pd_graph *g, const struct pd_graph_node *node)
{
	if (!node->name || !node->name[0] || strlen(node->name) > NAME_MAX_BYTES || strpbrk(node->name, "/ \t\n"))
		return "a name has 1 to 64 bytes, no blanks and no slashes";
	if (node->terminal != (node->count == 0))
		return "a node has children or a value, not both or neither";
	if (node->terminal && (node->value < g->value_min || node->value > g->value_max))
		return "its value is off the scale";
	if (node->count > GAME_MOVES_MAX)
		return "it has more than 4000 children";
	if (node->child > g->child_count || node->count > g->child_count - node->child)
		return "its list of children is not in the graph";
	for (uint32_t i = 0; i < node->count; i++)
		if (g->children[node->child + i] >= g->node_count)
			return "one of its children is not in the graph";
	return NULL;
}

static int check(const struct pd_graph *g, struct pd_fail *fail)
{
	if (g->root >= g->node_count || g->value_min >= g->value_max)
		return pd_fail_set(fail, PD_E_GAME, "game", "the graph has no root or no scale of values");
	if (g->infinite_value < g->value_min || g->infinite_value > g->value_max)
		return pd_fail_set(fail, PD_E_GAME, "game", "the graph's value of infinite play is off its scale");
	for (uint32_t i = 0; i < g->node_count; i++) {
		const char *wrong = node_fault(g, &g->nodes[i]);
		if (wrong)
			return pd_fail_set(fail, PD_E_GAME, "game", "node '%s' of the graph: %s",
					   text_excerpt(g->nodes[i].name ? g->nodes[i].name : "", NAME_MAX_BYTES).text,
					   wrong);
	}
	return PD_OK;
}

static int sort_names(struct andor *a, struct pd_fail *fail)
{
	const struct pd_graph *g = a->graph;
	a->names = calloc(g->node_count, sizeof *a->names);
	if (!a->names)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the names of a graph");
	for (uint32_t i = 0; i < g->node_count; i++)
		a->names[i] = (struct name){g->nodes[i].name, i};
	qsort(a->names, g->node_count, sizeof *a->names, compare_names);
	for (uint32_t i = 1; i < g->node_count; i++)
		if (!strcmp(a->names[i - 1].text, a->names[i].text))
			return pd_fail_set(fail, PD_E_GAME, "game", "two nodes of the graph are named '%s'",
					   text_excerpt(a->names[i].text, NAME_MAX_BYTES).text);
	return PD_OK;
}

/* What the depth-first search knows of a node. */
struct mark {
	uint32_t next;    /* children looked at; meaningful while the node is open */
	uint32_t parent;  /* on the stack */
	uint32_t longest; /* plies of the longest path from here, once it is closed */
	enum { NEW, OPEN, CLOSED } stage;
};

/* Depth-first search from one node. False when it meets a cycle. The stack runs through the marks. */
static bool visit(const struct pd_graph *g, uint32_t from, struct mark *marks)
{
	uint32_t at = from;
	marks[at] = (struct mark){.parent = from, .stage = OPEN};
	for (;;) {
		struct mark *m = &marks[at];
		if (m->next < g->nodes[at].count) {
			uint32_t child = g->children[g->nodes[at].child + m->next];
			struct mark *c = &marks[child];
			if (c->stage == OPEN)
				return false;
			if (c->stage == NEW) {
				*c = (struct mark){.parent = at, .stage = OPEN};
				at = child;
				continue;
			}
			m->longest = c->longest + 1 > m->longest ? c->longest + 1 : m->longest;
			m->next++;
			continue;
		}
		m->stage = CLOSED;
		if (at == from)
			return true;
		at = m->parent; /* which looks at this child once more, and finds it closed */
	}
}

/* Finds out whether there are cycles, and the longest path when there are none. */
static int measure(struct andor *a, struct pd_fail *fail)
{
	const struct pd_graph *g = a->graph;
	struct mark *marks = calloc(g->node_count, sizeof *marks);
	uint32_t longest = 0;
	bool acyclic = true;
	if (!marks)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to look for cycles in a graph");
	for (uint32_t i = 0; i < g->node_count && acyclic; i++) {
		if (marks[i].stage == NEW)
			acyclic = visit(g, i, marks);
		longest = marks[i].longest > longest ? marks[i].longest : longest;
	}
	free(marks);
	a->game.acyclic = acyclic;
	a->game.plies_max = acyclic ? longest : 0;
	return PD_OK;
}

static void fill(struct andor *a, const struct game_rules *rules, const char *name)
{
	const struct pd_graph *g = a->graph;
	a->game = (struct game){
		.rules = rules,
		.rules_version = g->digest,
		.state_size = sizeof(node_index),
		.key_size_max = 1,
		.moves_max = 1,
		.value_min = g->value_min,
		.value_max = g->value_max,
		.value_step = 1,
		.infinite_value = g->infinite_value,
	};
	for (uint32_t i = 0; i < g->node_count; i++) {
		uint32_t size = (uint32_t)strlen(g->nodes[i].name), count = g->nodes[i].count;
		a->game.key_size_max = size > a->game.key_size_max ? size : a->game.key_size_max;
		a->game.moves_max = count > a->game.moves_max ? count : a->game.moves_max;
	}
	snprintf(a->game.name, sizeof a->game.name, "andor:%s", name);
}

static void andor_close(struct game *game)
{
	struct andor *a = (struct andor *)game;
	free(a->names);
	pd_graph_free(a->graph);
	free(a);
}

static int andor_open(const struct game_rules *rules, const char *params, const struct game_host *host,
		      struct game **out, struct pd_fail *fail)
{
	if (!*params)
		return pd_fail_set(fail, PD_E_GAME, "game", "andor takes the name of a graph, as in andor:NAME");
	if (strlen(params) + sizeof "andor:" > GAME_NAME_MAX)
		return pd_fail_set(fail, PD_E_GAME, "game", "the name of the graph is too long");
	if (!host || !host->graph)
		return pd_fail_set(fail, PD_E_GAME, "game", "there are no graphs here, so andor:%s cannot be opened",
				   text_excerpt(params, 64).text);
	struct andor *a = calloc(1, sizeof *a);
	if (!a)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a graph");
	int rc = host->graph(host->ctx, params, &a->graph, fail);
	if (!rc)
		rc = check(a->graph, fail);
	if (!rc)
		rc = sort_names(a, fail);
	if (!rc) {
		fill(a, rules, params);
		rc = measure(a, fail);
	}
	if (rc) {
		andor_close(&a->game);
		return rc;
	}
	*out = &a->game;
	return PD_OK;
}

const struct game_rules game_andor_rules = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "andor",
	.title = "AND/OR graph",
	.params = "NAME: the name of a graph file",
	.notation = "A position is the name of a node; or names from the root on, separated by /, each a child of the "
		    "one before, as in A/B/b1; nothing is the root. A move is the name of a child.",
	.example = "andor:survey-fig2",
	.open = andor_open,
	.close = andor_close,
	.start = andor_start,
	.parse = andor_parse,
	.print = andor_print,
	.picture = andor_picture,
	.move_parse = andor_move_parse,
	.move_print = andor_move_print,
	.first_to_move = andor_first_to_move,
	.terminal = andor_terminal,
	.moves = andor_moves,
	.play = andor_play,
	.key = andor_key,
	.unkey = andor_unkey,
	.unique_moves = andor_distinct,
};
