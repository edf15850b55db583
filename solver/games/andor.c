/* An explicit AND/OR graph, for teaching, for tests and for generated problems. RULES.md has the rules and the
 * notation.
 *
 * Rules. The game is given node by node (proto/base/graph.h): the side to move and the children, or the value to First
 * if the game ends there. Sides need not alternate, a child may be in several lists (in a graph that
 * is not read from a file even twice in one), and nodes that cannot be reached from the root are positions like any
 * other.
 *
 * Key. The bytes of the node's name. There are no symmetries; `unique_moves` drops repeated children.
 *
 * Opening checks the graph, because a wrong index would lead to reads out of bounds later. A depth-first search finds a
 * cycle, or the longest path if there is none. Nodes are looked up in the graph's own index. The digest of the graph is
 * the version of the rules: another graph under the same name is another game. Graphs may have 10^8 edges
 * (proto/GRAPH.md states memory and time). */
#include "solver/games/game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/text.h"

enum {
	PICTURE_CHILDREN = 20 /* children shown in a picture, so that it fits GAME_TEXT_MAX */
};

struct andor {
	struct game game;
	struct pd_graph *graph; /* owned */
};

typedef uint32_t node_index; /* the state */

static const struct andor *andor_of(const struct game *game)
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
	return &andor_of(game)->graph->nodes[index_of(state)];
}

static node_index child_of(const struct game *game, const struct pd_graph_node *node, unsigned i)
{
	return andor_of(game)->graph->children[node->child + i];
}

/* --- inner loop --------------------------------------------------------------------------- */

static void andor_start(const struct game *game, void *state)
{
	memcpy(state, &andor_of(game)->graph->root, sizeof(node_index));
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
	if (andor_of(game)->graph->no_twins)
		return andor_moves(game, state, out);
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
	PD_DEBUG_ASSERT(child < andor_of(game)->graph->node_count);
	memcpy(state, &child, sizeof child);
}

/* --- names -------------------------------------------------------------------------------- */

static const char *name_of(const struct game *game, node_index node)
{
	return pd_graph_name(andor_of(game)->graph, node);
}

/* Finds a node by its name. */
static bool find_node(const struct andor *a, const char *text, size_t size, node_index *out)
{
	node_index found = pd_graph_find(a->graph, text, size);
	if (found != PD_GRAPH_NONE)
		*out = found;
	return found != PD_GRAPH_NONE;
}

/* The index of a node in a list of children; the length of the list if it is not there. */
static unsigned place_of(const struct game *game, const struct pd_graph_node *node, node_index child)
{
	unsigned i = 0;
	while (i < node->count && child_of(game, node, i) != child)
		i++;
	return i;
}

static size_t andor_key(const struct game *game, const void *state, uint8_t *out)
{
	const char *name = name_of(game, index_of(state));
	size_t size = strlen(name);
	memcpy(out, name, size);
	return size;
}

static int andor_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	node_index i;
	if (!find_node(andor_of(game), (const char *)key, size, &i))
		return PD_E_CORRUPT;
	memcpy(state, &i, sizeof i);
	return PD_OK;
}

static int parse_path(const struct game *game, const char *text, node_index *out, struct pd_fail *fail)
{
	const struct andor *a = andor_of(game);
	node_index at = a->graph->root;
	for (const char *p = text;;) {
		size_t size = strcspn(p, "/");
		node_index next;
		if (!find_node(a, p, size, &next))
			return pd_fail_set(fail, PD_E_POSITION, "position",
					   "at index %zu (counted from 0): there is no node '%s'", (size_t)(p - text),
					   text_excerpt(p, size).text);
		bool root = p == text && next == a->graph->root;
		if (!root && place_of(game, &a->graph->nodes[at], next) == a->graph->nodes[at].count)
			return pd_fail_set(fail, PD_E_POSITION, "position",
					   "at index %zu (counted from 0): '%s' is not a child of '%s'",
					   (size_t)(p - text), name_of(game, next), name_of(game, at));
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
	const struct andor *a = andor_of(game);
	node_index i = a->graph->root;
	if (strchr(text, '/')) {
		int rc = parse_path(game, text, &i, fail);
		if (rc)
			return rc;
	} else if (*text && !find_node(a, text, strlen(text), &i)) {
		return pd_fail_set(fail, PD_E_POSITION, "position", "there is no node '%s' in this graph",
				   text_excerpt(text, PD_GRAPH_NAME_MAX).text);
	}
	memcpy(state, &i, sizeof i);
	return PD_OK;
}

static size_t andor_print(const struct game *game, const void *state, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	text_printf(&line, "%s", name_of(game, index_of(state)));
	return line.length;
}

static size_t andor_picture(const struct game *game, const void *state, char *out, size_t size)
{
	const struct pd_graph_node *node = node_of(game, state);
	const char *name = name_of(game, index_of(state));
	struct text_line line = text_line(out, size);
	if (node->terminal) {
		text_printf(&line, "%s: the game is over, First gets %d\n", name, node->value);
		return line.length;
	}
	text_printf(&line, "%s: %s to move\n ", name, node->first_moves ? "First" : "Second");
	for (unsigned i = 0; i < node->count && i < PICTURE_CHILDREN; i++)
		text_printf(&line, " %s", name_of(game, child_of(game, node, i)));
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
	unsigned place =
		find_node(andor_of(game), text, strlen(text), &child) ? place_of(game, node, child) : node->count;
	if (place == node->count)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s' is not a child of '%s'",
				   text_excerpt(text, PD_GRAPH_NAME_MAX).text, name_of(game, index_of(state)));
	*out = (game_move)place;
	return PD_OK;
}

static size_t andor_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	node_index child = child_of(game, node_of(game, state), move);
	return andor_print(game, &child, out, size);
}

/* --- opening ------------------------------------------------------------------------------ */

/* What is wrong with a node; NULL if nothing is. */
static const char *node_fault(const struct pd_graph *g, const struct pd_graph_node *node)
{
	if (node->name >= g->names_size || !pd_graph_is_name(g->names + node->name, strlen(g->names + node->name)))
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

/* Checks the graph, and records the sizes of its largest node and its longest name. */
static int check_graph(struct andor *a, struct pd_fail *fail)
{
	const struct pd_graph *g = a->graph;
	a->game.key_size_max = 1;
	a->game.moves_max = 1;
	if (g->root >= g->node_count || g->value_min >= g->value_max)
		return pd_fail_set(fail, PD_E_GAME, "game", "the graph has no root or no scale of values");
	if (g->infinite_value < g->value_min || g->infinite_value > g->value_max)
		return pd_fail_set(fail, PD_E_GAME, "game", "the graph's value of infinite play is off its scale");
	for (uint32_t i = 0; i < g->node_count; i++) {
		const struct pd_graph_node *node = &g->nodes[i];
		const char *wrong = node_fault(g, node),
			   *name = node->name < g->names_size ? g->names + node->name : "";
		if (wrong)
			return pd_fail_set(fail, PD_E_GAME, "game", "node '%s' of the graph: %s",
					   text_excerpt(name, PD_GRAPH_NAME_MAX).text, wrong);
		uint32_t size = (uint32_t)strlen(name), count = node->count;
		a->game.key_size_max = size > a->game.key_size_max ? size : a->game.key_size_max;
		a->game.moves_max = count > a->game.moves_max ? count : a->game.moves_max;
	}
	return PD_OK;
}

/* Makes the index of a graph; one that was read from a file has its index already. */
static int make_index(struct andor *a, struct pd_fail *fail)
{
	uint32_t at;
	int rc = a->graph->slots ? PD_OK : pd_graph_index(a->graph, &at);
	if (rc == PD_E_CONFLICT)
		return pd_fail_set(fail, PD_E_GAME, "game", "two nodes of the graph are named '%s'",
				   text_excerpt(pd_graph_name(a->graph, at), PD_GRAPH_NAME_MAX).text);
	return rc ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the names of a graph") : PD_OK;
}

/* Values of visit.longest instead of a length: the node is not visited yet, or is on the path. */
static const uint32_t NEW = UINT32_MAX, OPEN = UINT32_MAX - 1;

/* Depth-first search of a graph. */
struct visit {
	const struct pd_graph *graph;
	uint32_t *longest; /* owned; plies of the longest path from a closed node; else NEW or OPEN */
	struct place {
		uint32_t node, next, longest; /* next: number of children visited */
	} * path;                             /* owned */
	size_t depth, room;
};

/* Adds a node to the path; false if out of memory. */
static bool enter_node(struct visit *v, uint32_t node)
{
	const struct pd_graph_node *n = &v->graph->nodes[node];
	if (v->depth == v->room) {
		size_t room = 2 * v->room + 64;
		struct place *larger = realloc(v->path, room * sizeof *larger);
		if (!larger)
			return false;
		v->path = larger;
		v->room = room;
	}
	for (uint32_t i = 0; i < n->count; i++)
		__builtin_prefetch(&v->longest[v->graph->children[n->child + i]]);
	v->path[v->depth++] = (struct place){.node = node};
	v->longest[node] = OPEN;
	return true;
}

/* Visits the nodes that can be reached from a node; clears *acyclic at the first cycle. False if out of memory. */
static bool visit_nodes(struct visit *v, uint32_t from, bool *acyclic)
{
	const struct pd_graph *g = v->graph;
	PD_ASSERT(!v->depth && v->longest[from] == NEW);
	if (!enter_node(v, from))
		return false;
	while (v->depth) {
		struct place *p = &v->path[v->depth - 1];
		const struct pd_graph_node *node = &g->nodes[p->node];
		uint32_t child = NEW;
		for (; p->next < node->count; p->next++) {
			child = g->children[node->child + p->next];
			uint32_t length = v->longest[child];
			if (length == NEW || length == OPEN)
				break;
			p->longest = length + 1 > p->longest ? length + 1 : p->longest;
		}
		if (p->next == node->count) {
			v->longest[p->node] = p->longest;
			v->depth--;
		} else if (v->longest[child] == OPEN) {
			*acyclic = false;
			return true;
		} else if (!enter_node(v, child)) { /* visits the child again after it is closed */
			return false;
		}
	}
	return true;
}

/* Looks for cycles, and measures the longest path if there are none. */
static int measure_paths(struct andor *a, struct pd_fail *fail)
{
	const struct pd_graph *g = a->graph;
	struct visit v = {.graph = g, .longest = malloc(g->node_count * sizeof *v.longest)};
	uint32_t longest = 0;
	bool acyclic = true, memory = v.longest != NULL;
	for (uint32_t i = 0; memory && i < g->node_count; i++)
		v.longest[i] = NEW;
	for (uint32_t i = 0; i < g->node_count && acyclic && memory; i++) {
		if (v.longest[i] == NEW)
			memory = visit_nodes(&v, i, &acyclic);
		if (memory && acyclic)
			longest = v.longest[i] > longest ? v.longest[i] : longest;
	}
	free(v.longest);
	free(v.path);
	if (!memory)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to look for cycles in a graph");
	a->game.acyclic = acyclic;
	a->game.plies_max = acyclic ? longest : 0;
	return PD_OK;
}

/* Fills in the game after check_graph. */
static void fill_figures(struct andor *a, const struct game_rules *rules, const char *name)
{
	const struct pd_graph *g = a->graph;
	a->game = (struct game){
		.rules = rules,
		.rules_version = g->digest,
		.state_size = sizeof(node_index),
		.key_size_max = a->game.key_size_max,
		.moves_max = a->game.moves_max,
		.value_min = g->value_min,
		.value_max = g->value_max,
		.value_step = 1,
		.infinite_value = g->infinite_value,
	};
	snprintf(a->game.name, sizeof a->game.name, "andor:%s", name);
}

static void andor_close(struct game *game)
{
	struct andor *a = (struct andor *)game;
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
		return pd_fail_set(fail, PD_E_GAME, "game", "no graphs are available, so andor:%s cannot be opened",
				   text_excerpt(params, 64).text);
	struct andor *a = calloc(1, sizeof *a);
	if (!a)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a graph");
	int rc = host->graph(host->ctx, params, &a->graph, fail);
	if (!rc)
		rc = check_graph(a, fail);
	if (!rc)
		rc = make_index(a, fail);
	if (!rc) {
		fill_figures(a, rules, params);
		rc = measure_paths(a, fail);
	}
	if (rc) {
		andor_close(&a->game);
		return rc;
	}
	*out = &a->game;
	return PD_OK;
}

static uint64_t andor_reach(const struct game *game, const void *state)
{
	return andor_of(game)->graph->node_count;
}

const struct game_rules game_andor_rules = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "andor",
	.title = "AND/OR graph",
	.params = "NAME: the name of a graph file",
	.notation = "A position is the name of a node; or names from the root on, separated by /, each a child of the "
		    "one before, as in A/B/b1; an empty text is the root. A move is the name of a child.",
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
	.reach = andor_reach,
	.key = andor_key,
	.unkey = andor_unkey,
	.unique_moves = andor_distinct,
	.graph = true,
};
