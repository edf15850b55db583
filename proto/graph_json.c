/* Graph JSON: see graph_json.h. Two passes over the nodes: the first gives every name an index (in the order of the
 * file), the second looks the children up. */
#include "proto/graph_json.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/json.h"

struct reader {
	struct pd_graph *graph; /* owned until the reader returns it */
	json_t *nodes;          /* borrowed: the object of that name */
	uint32_t *seen;         /* owned; per node: 1 + the last node that listed it as a child */
	struct pd_fail *fail;
};

static int bad_node(struct reader *r, const char *name, const char *what)
{
	return pd_fail_set(r->fail, PD_E_GAME, "game", "node '%.64s' of the graph %s", name, what);
}

static int no_memory(struct reader *r)
{
	return pd_fail_set(r->fail, PD_E_NO_MEMORY, "game", "no memory for the graph");
}

/* The node of that name; PD_GRAPH_NONE when there is none, or no name. */
static uint32_t node_of(const struct reader *r, const char *name)
{
	return name ? pd_graph_find(r->graph, name, strlen(name)) : PD_GRAPH_NONE;
}

static bool is_value(const json_t *value, int64_t *out)
{
	return pr_json_integer(value, out) && *out >= INT16_MIN && *out <= INT16_MAX;
}

static int read_scale(struct reader *r, const json_t *root)
{
	struct pd_graph *g = r->graph;
	int64_t lo = -1, hi = 1, infinite;
	const json_t *values = json_object_get(root, "values");
	if (values && (json_array_size(values) != 2 || !is_value(json_array_get(values, 0), &lo) ||
		       !is_value(json_array_get(values, 1), &hi) || lo >= hi))
		return pd_fail_set(r->fail, PD_E_GAME, "game",
				   "'values' of the graph must be two integers, the lower first, from -32768 to 32767");
	infinite = lo <= 0 && hi >= 0 ? 0 : lo;
	const json_t *given = json_object_get(root, "infinite");
	if (given && (!is_value(given, &infinite) || infinite < lo || infinite > hi))
		return pd_fail_set(r->fail, PD_E_GAME, "game",
				   "'infinite' of the graph must be an integer on its scale");
	PD_ASSERT(lo < hi && infinite >= lo && infinite <= hi);
	g->value_min = (int16_t)lo;
	g->value_max = (int16_t)hi;
	g->infinite_value = (int16_t)infinite;
	return PD_OK;
}

/* What a node says: exactly one of or, and, value. */
static int read_kind(struct reader *r, const char *name, const json_t *node, struct pd_graph_node *out,
		     const json_t **list)
{
	const json_t *first = json_object_get(node, "or"), *second = json_object_get(node, "and");
	const json_t *value = json_object_get(node, "value");
	if (json_object_size(node) != 1 || (!first && !second && !value))
		return bad_node(r, name, "must be an object with exactly one of 'or', 'and' and 'value'");
	*list = first ? first : second;
	out->first_moves = first != NULL;
	out->terminal = value != NULL;
	int64_t number = 0;
	if (value && (!is_value(value, &number) || number < r->graph->value_min || number > r->graph->value_max))
		return bad_node(r, name, "must have an integer on the graph's scale as its 'value'");
	out->value = (int16_t)number;
	if (*list && !json_array_size(*list))
		return bad_node(r, name, "must list at least one child");
	if (json_array_size(*list) > PD_GRAPH_CHILDREN_MAX)
		return bad_node(r, name, "may list at most 4000 children");
	return PD_OK;
}

static int read_names(struct reader *r)
{
	struct pd_graph *g = r->graph;
	const char *name;
	json_t *node;
	json_object_foreach(r->nodes, name, node) {
		struct pd_graph_node out = {0};
		const json_t *list = NULL;
		if (!pd_graph_is_name(name, strlen(name)))
			return bad_node(r, name, "must have a name of 1 to 64 bytes without blanks and slashes");
		int rc = read_kind(r, name, node, &out, &list);
		if (rc)
			return rc;
		rc = pd_graph_add(g, name, strlen(name));
		PD_ASSERT(!rc || rc == PD_E_NO_MEMORY); /* an object has no name twice, and the text is short */
		if (rc)
			return no_memory(r);
		out.name = g->nodes[g->node_count - 1].name;
		g->nodes[g->node_count - 1] = out;
	}
	return PD_OK;
}

static int read_children(struct reader *r, uint32_t index, const json_t *list)
{
	struct pd_graph *g = r->graph;
	struct pd_graph_node *node = &g->nodes[index];
	node->child = g->child_count;
	node->count = (uint16_t)json_array_size(list);
	for (uint32_t i = 0; i < node->count; i++) {
		const char *name = json_string_value(json_array_get(list, i));
		uint32_t found = node_of(r, name);
		if (found == PD_GRAPH_NONE)
			return pd_fail_set(r->fail, PD_E_GAME, "game",
					   "node '%.64s' of the graph has the child '%.64s', which is not a node",
					   pd_graph_name(g, index), name ? name : "(not a string)");
		if (r->seen[found] == index + 1)
			return pd_fail_set(r->fail, PD_E_GAME, "game",
					   "node '%.64s' of the graph lists the child '%.64s' twice",
					   pd_graph_name(g, index), name);
		r->seen[found] = index + 1;
		if (pd_graph_add_child(g, found))
			return no_memory(r);
	}
	return PD_OK;
}

static int read_nodes(struct reader *r, const json_t *root)
{
	struct pd_graph *g = r->graph;
	r->seen = calloc(json_object_size(r->nodes), sizeof *r->seen);
	if (!r->seen)
		return no_memory(r);
	int rc = read_names(r);
	const char *name;
	json_t *node;
	uint32_t index = 0;
	if (!rc)
		json_object_foreach(r->nodes, name, node) {
			const json_t *list = json_object_get(node, "or");
			rc = read_children(r, index++, list ? list : json_object_get(node, "and"));
			if (rc)
				break;
		}
	if (rc)
		return rc;
	g->root = node_of(r, json_string_value(json_object_get(root, "root")));
	if (g->root == PD_GRAPH_NONE)
		return pd_fail_set(r->fail, PD_E_GAME, "game",
				   "'root' of the graph must be the name of one of its nodes");
	g->no_twins = true;
	g->digest = pd_graph_digest(g);
	pd_graph_trim(g);
	return PD_OK;
}

static int read_graph(struct reader *r, const json_t *root)
{
	const char *key;
	json_t *value;
	if (!json_is_object(root))
		return pd_fail_set(r->fail, PD_E_GAME, "game", "a graph must be a JSON object with 'root' and 'nodes'");
	json_object_foreach((json_t *)root, key, value)
		if (strcmp(key, "root") && strcmp(key, "nodes") && strcmp(key, "values") && strcmp(key, "infinite"))
			return pd_fail_set(r->fail, PD_E_GAME, "game",
					   "a graph has no member '%.40s'; it has root, "
					   "nodes, values and infinite",
					   key);
	r->nodes = json_object_get(root, "nodes");
	size_t count = json_object_size(r->nodes);
	if (!count || count > PR_GRAPH_JSON_NODES_MAX)
		return pd_fail_set(
			r->fail, PD_E_GAME, "game",
			"'nodes' of the graph must be an object with 1 to %d members; a graph of lines may have more",
			(int)PR_GRAPH_JSON_NODES_MAX);
	r->graph = calloc(1, sizeof *r->graph);
	if (!r->graph)
		return pd_fail_set(r->fail, PD_E_NO_MEMORY, "game", "no memory for the graph");
	int rc = read_scale(r, root);
	return rc ? rc : read_nodes(r, root);
}

int pr_graph_json_parse(const char *text, size_t size, struct pd_graph **out, struct pd_fail *fail)
{
	struct pd_fail why;
	if (size > PR_GRAPH_JSON_BYTES_MAX)
		return pd_fail_set(fail, PD_E_LIMIT, "game",
				   "the graph has more than %d bytes of JSON; a graph of lines may have more",
				   (int)PR_GRAPH_JSON_BYTES_MAX);
	json_t *root = pr_json_load(text, size, &why);
	if (!root)
		return pd_fail_set(fail, (enum pd_error)why.code, "game", "the graph: %.280s", why.text);
	struct reader r = {.fail = fail};
	int rc = read_graph(&r, root);
	if (rc) {
		pd_graph_free(r.graph);
	} else {
		*out = r.graph;
	}
	free(r.seen);
	json_decref(root);
	return rc;
}
