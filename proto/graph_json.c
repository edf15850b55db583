/* Graph JSON: see graph_json.h. Two passes over the nodes: the first gives every name an index (in the order of the
 * file) and counts the children, the second looks the children up. The digest covers everything that the game can see,
 * names and order included, because moves and keys are made of them. */
#include "proto/graph_json.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "proto/json.h"

enum { NAME_MAX_BYTES = 64 };

struct reader {
	struct pd_graph *graph; /* owned until it is given out */
	json_t *nodes;          /* borrowed: the object of that name */
	uint32_t *slots;        /* owned; open addressing by the hash of the name: index + 1, 0 when free */
	uint32_t mask;          /* slots - 1 */
	uint32_t *seen;         /* owned; per node: 1 + the last node that listed it as a child */
	struct pd_fail *fail;
};

static int bad_node(struct reader *r, const char *name, const char *what)
{
	return pd_fail_set(r->fail, PD_E_GAME, "game", "node '%.64s' of the graph %s", name, what);
}

static bool is_name(const char *name)
{
	size_t size = strlen(name);
	if (!size || size > NAME_MAX_BYTES)
		return false;
	for (const unsigned char *p = (const unsigned char *)name; *p; p++)
		if (*p <= ' ' || *p == '/' || *p == 0x7f)
			return false;
	return true;
}

/* The slot of a name: the one that has it, or the free one where it would go. */
static uint32_t *slot_of(const struct reader *r, const char *name)
{
	uint32_t at = (uint32_t)pd_bucket_hash(name, strlen(name)) & r->mask;
	while (r->slots[at] && strcmp(r->graph->nodes[r->slots[at] - 1].name, name) != 0)
		at = (at + 1) & r->mask;
	PD_ASSERT(at <= r->mask);
	return &r->slots[at];
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
	return PD_OK;
}

static int read_names(struct reader *r)
{
	struct pd_graph *g = r->graph;
	const char *name;
	json_t *node;
	uint64_t children = 0;
	json_object_foreach(r->nodes, name, node)
	{
		struct pd_graph_node *out = &g->nodes[g->node_count];
		const json_t *list = NULL;
		if (!is_name(name))
			return bad_node(r, name, "must have a name of 1 to 64 bytes without blanks and slashes");
		int rc = read_kind(r, name, node, out, &list);
		if (rc)
			return rc;
		out->name = strdup(name);
		if (!out->name)
			return pd_fail_set(r->fail, PD_E_NO_MEMORY, "game", "no memory for the graph");
		*slot_of(r, name) = ++g->node_count;
		children += json_array_size(list);
	}
	g->children = malloc(children ? children * sizeof *g->children : 1);
	if (!g->children)
		return pd_fail_set(r->fail, PD_E_NO_MEMORY, "game", "no memory for the graph");
	return PD_OK;
}

static int read_children(struct reader *r, uint32_t index, const json_t *list)
{
	struct pd_graph *g = r->graph;
	struct pd_graph_node *node = &g->nodes[index];
	node->child = g->child_count;
	node->count = (uint32_t)json_array_size(list);
	for (uint32_t i = 0; i < node->count; i++) {
		const char *name = json_string_value(json_array_get(list, i));
		uint32_t found = name ? *slot_of(r, name) : 0;
		if (!found)
			return pd_fail_set(r->fail, PD_E_GAME, "game",
					   "node '%.64s' of the graph has the child '%.64s', which is not there",
					   node->name, name ? name : "(not a string)");
		if (r->seen[found - 1] == index + 1)
			return pd_fail_set(r->fail, PD_E_GAME, "game",
					   "node '%.64s' of the graph lists the child '%.64s' twice", node->name, name);
		r->seen[found - 1] = index + 1;
		g->children[g->child_count++] = found - 1;
	}
	return PD_OK;
}

static uint64_t mix(uint64_t digest, uint64_t more)
{
	uint8_t bytes[16];
	pd_put_le64(bytes, digest);
	pd_put_le64(bytes + 8, more);
	return pd_hash64(bytes, sizeof bytes);
}

static uint64_t digest_of(const struct pd_graph *g)
{
	uint64_t d = mix(g->node_count, g->root);
	d = mix(d, (uint64_t)(int64_t)g->value_min);
	d = mix(d, (uint64_t)(int64_t)g->value_max);
	d = mix(d, (uint64_t)(int64_t)g->infinite_value);
	for (uint32_t i = 0; i < g->node_count; i++) {
		const struct pd_graph_node *n = &g->nodes[i];
		d = mix(d, pd_hash64(n->name, strlen(n->name)));
		d = mix(d, (uint64_t)n->count << 2 | (uint64_t)n->terminal << 1 | n->first_moves);
		d = mix(d, (uint64_t)(int64_t)n->value);
		for (uint32_t k = 0; k < n->count; k++)
			d = mix(d, g->children[n->child + k]);
	}
	return d;
}

static int read_nodes(struct reader *r, const json_t *root)
{
	struct pd_graph *g = r->graph;
	size_t count = json_object_size(r->nodes);
	uint32_t slots = 4;
	while (slots < 2 * count)
		slots *= 2;
	r->mask = slots - 1;
	r->slots = calloc(slots, sizeof *r->slots);
	r->seen = calloc(count, sizeof *r->seen);
	g->nodes = calloc(count, sizeof *g->nodes);
	if (!r->slots || !r->seen || !g->nodes)
		return pd_fail_set(r->fail, PD_E_NO_MEMORY, "game", "no memory for the graph");
	int rc = read_names(r);
	const char *name;
	json_t *node;
	uint32_t index = 0;
	if (!rc)
		json_object_foreach(r->nodes, name, node)
		{
			const json_t *list = json_object_get(node, "or");
			rc = read_children(r, index++, list ? list : json_object_get(node, "and"));
			if (rc)
				break;
		}
	if (rc)
		return rc;
	const char *start = json_string_value(json_object_get(root, "root"));
	uint32_t found = start ? *slot_of(r, start) : 0;
	if (!found)
		return pd_fail_set(r->fail, PD_E_GAME, "game",
				   "'root' of the graph must be the name of one of its nodes");
	g->root = found - 1;
	g->digest = digest_of(g);
	return PD_OK;
}

static int read_graph(struct reader *r, const json_t *root)
{
	const char *key;
	json_t *value;
	if (!json_is_object(root))
		return pd_fail_set(r->fail, PD_E_GAME, "game", "a graph must be a JSON object with 'root' and 'nodes'");
	json_object_foreach(
		(json_t *)root, key,
		value) if (strcmp(key, "root") && strcmp(key, "nodes") && strcmp(key, "values") &&
			   strcmp(key, "infinite")) return pd_fail_set(r->fail, PD_E_GAME, "game",
								       "a graph has no member '%.40s'; it has root, "
								       "nodes, values and infinite",
								       key);
	r->nodes = json_object_get(root, "nodes");
	size_t count = json_object_size(r->nodes);
	if (!count || count > PR_GRAPH_NODES_MAX)
		return pd_fail_set(r->fail, PD_E_GAME, "game",
				   "'nodes' of the graph must be an object with 1 to %d members",
				   (int)PR_GRAPH_NODES_MAX);
	r->graph = calloc(1, sizeof *r->graph);
	if (!r->graph)
		return pd_fail_set(r->fail, PD_E_NO_MEMORY, "game", "no memory for the graph");
	int rc = read_scale(r, root);
	return rc ? rc : read_nodes(r, root);
}

int pr_graph_parse(const char *text, size_t size, struct pd_graph **out, struct pd_fail *fail)
{
	struct pd_fail why;
	if (size > PR_GRAPH_BYTES_MAX)
		return pd_fail_set(fail, PD_E_LIMIT, "game", "the graph is longer than %d bytes",
				   (int)PR_GRAPH_BYTES_MAX);
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
	free(r.slots);
	free(r.seen);
	json_decref(root);
	return rc;
}
