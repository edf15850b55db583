/* Graph: an explicit AND/OR graph as plain data.
 *
 * proto/graph_file.c reads it from JSON or from lines; solver/games/andor.c plays it. It is designed for 10^8 edges: 4
 * bytes an edge; 12 bytes a node, its name with a zero, and 6 to 12 bytes of index. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PD_GRAPH_NAME_MAX = 64,             /* bytes of a name */
	PD_GRAPH_CHILDREN_MAX = 4000,       /* of one node */
	PD_GRAPH_NODES_MAX = (1 << 28) - 2, /* a slot has 28 bits for the index plus one */
};
#define PD_GRAPH_EDGES_MAX       UINT32_MAX /* of the whole graph */
#define PD_GRAPH_NAMES_BYTES_MAX UINT32_MAX /* of all names, each with a zero */
#define PD_GRAPH_NONE            UINT32_MAX /* no node */

struct pd_graph_node {
	uint32_t name;        /* where it begins in `names` */
	uint32_t child;       /* index into `children` of the first child */
	uint16_t count : 14;  /* children; 0 exactly for terminal nodes */
	bool first_moves : 1; /* an OR node: First is to move */
	bool terminal : 1;    /* the game ends here with `value` */
	int16_t value;        /* of a terminal node, First's view */
};
_Static_assert(sizeof(struct pd_graph_node) == 12, "12 bytes a node");

/* All zero is an empty graph to add nodes to. */
struct pd_graph {
	struct pd_graph_node *nodes; /* owned */
	uint32_t *children;          /* owned; node indices */
	char *names;                 /* owned; each name is terminated */
	uint32_t *slots;             /* owned; the index by name, see graph.c; NULL: there is none */
	uint32_t node_count, child_count, names_size, slot_mask;
	size_t node_room, child_room, names_room; /* of the arrays, which the functions below enlarge */
	uint32_t root;                            /* index of the initial position */
	int16_t value_min, value_max;             /* the value scale, value_min < value_max */
	int16_t infinite_value; /* what infinite play is worth to First; matters only where there are cycles */
	bool no_twins;          /* no node lists a child twice; false: unknown */
	uint64_t digest;        /* hash of the content: another graph under the same name is another game */
};

static inline const char *pd_graph_name(const struct pd_graph *graph, uint32_t node)
{
	return graph->names + graph->nodes[node].name;
}

/* True for 1 to 64 bytes of UTF-8 without blanks, slashes and control characters: names of nodes. */
bool pd_graph_is_name(const char *text, size_t size);

/* Adds a node without checking that its name is new. PD_OK, PD_E_LIMIT or PD_E_NO_MEMORY. */
int pd_graph_append(struct pd_graph *graph, const char *name, size_t size);
/* Adds a node to a graph with an index, or an empty graph, and to the index; PD_E_CONFLICT when the name exists. */
int pd_graph_add(struct pd_graph *graph, const char *name, size_t size);
/* Adds a child to the end of the list of all children. PD_OK, PD_E_LIMIT or PD_E_NO_MEMORY. */
int pd_graph_add_child(struct pd_graph *graph, uint32_t child);
/* Makes the index of a graph that has none. PD_E_CONFLICT when two nodes have the name of node *at. */
int pd_graph_index(struct pd_graph *graph, uint32_t *at);
/* Frees memory that was reserved in advance. */
void pd_graph_trim(struct pd_graph *graph);

/* The node of that name, which may be any bytes; PD_GRAPH_NONE when there is none. The graph must have an index. */
uint32_t pd_graph_find(const struct pd_graph *graph, const char *name, size_t size);
/* The same for many names at once, several times as fast because of prefetching. */
struct pd_graph_word {
	const char *text;
	uint32_t size;
	uint32_t node; /* out */
	uint64_t hash; /* scratch */
};
void pd_graph_find_all(const struct pd_graph *graph, struct pd_graph_word *words, unsigned count);

/* The hash of everything that the game uses, including names and order, because moves and keys are made of them. */
uint64_t pd_graph_digest(const struct pd_graph *graph);

/* Bytes of memory in use. */
uint64_t pd_graph_bytes(const struct pd_graph *graph);

/* Frees a graph made with malloc, its parts included; NULL is fine. */
void pd_graph_free(struct pd_graph *graph);
