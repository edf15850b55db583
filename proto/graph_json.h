/* Graph JSON: reads an explicit AND/OR graph (games `andor:NAME`).
 *
 *   {"root": "A", "values": [-1, 1], "infinite": 0,
 *    "nodes": {"A": {"or": ["B", "C"]}, "B": {"and": ["b1", "b2"]}, "b1": {"value": 1}, ...}}
 *
 * `or`: First moves there; `and`: Second does; `value`: the game ends. `values` (default [-1, 1]: loss to win) is the
 * scale and `infinite` (default 0, or the low end when 0 is off the scale) what infinite play is worth to First. */
#ifndef PR_GRAPH_JSON_H
#define PR_GRAPH_JSON_H

#include <stddef.h>

#include "proto/base/error.h"
#include "proto/base/graph.h"

enum { PR_GRAPH_NODES_MAX = 1 << 20, PR_GRAPH_BYTES_MAX = 64 << 20 };

/* *out is to be freed with pd_graph_free. PD_E_GAME or PD_E_PARSE with the place on failure: unknown child, node with
 * no or several of or/and/value, value off the scale, empty list, bad name, ... */
int pr_graph_parse(const char *text, size_t size, struct pd_graph **out, struct pd_fail *fail);

#endif
