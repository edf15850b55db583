#include "proto/base/graph.h"

#include <stdlib.h>

void pd_graph_free(struct pd_graph *graph)
{
	if (!graph)
		return;
	for (uint32_t i = 0; graph->nodes && i < graph->node_count; i++)
		free(graph->nodes[i].name);
	free(graph->nodes);
	free(graph->children);
	free(graph);
}
