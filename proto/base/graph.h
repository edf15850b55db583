/* Graph: an explicit AND/OR graph as plain data.
 *
 * Read from JSON by proto/graph_json.c, played by solver/games/andor.c; it lies on the ground floor because those two
 * do not know each other. */
#ifndef PD_GRAPH_H
#define PD_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

struct pd_graph_node {
	char *name;       /* owned, unique in the graph, 1..64 bytes without blanks and slashes */
	bool first_moves; /* an OR node: First is to move */
	bool terminal;    /* the game ends here with `value` */
	int16_t value;    /* of a terminal node, First's view */
	uint32_t child;   /* index into `children` of the first child */
	uint32_t count;   /* children; 0 exactly for terminal nodes */
};

struct pd_graph {
	struct pd_graph_node *nodes; /* owned */
	uint32_t *children;          /* owned; node indices */
	uint32_t node_count, child_count;
	uint32_t root;                /* index of the initial position */
	int16_t value_min, value_max; /* the value scale, value_min < value_max */
	int16_t infinite_value;       /* what infinite play is worth to First; matters only where there are cycles */
	uint64_t digest;              /* hash of the content: another graph under the same name is another game */
};

/* Frees a graph made with malloc, its parts included; NULL is fine. */
void pd_graph_free(struct pd_graph *graph);

#endif
