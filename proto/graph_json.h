/* Graph JSON: reads an AND/OR graph (games `andor:NAME`) from JSON; GRAPH.md describes the format.
 *
 *   {"root": "A", "values": [-1, 1], "infinite": 0,
 *    "nodes": {"A": {"or": ["B", "C"]}, "B": {"and": ["b1", "b2"]}, "b1": {"value": 1}, ...}}
 *
 * Callers use graph_file.h, which reads both formats. */
#pragma once

#include "proto/base/error.h"
#include "proto/base/graph.h"

enum { PR_GRAPH_JSON_NODES_MAX = 1 << 20, PR_GRAPH_JSON_BYTES_MAX = 64 << 20 };

/* *out is to be freed with pd_graph_free. PD_E_GAME or PD_E_PARSE with the place on failure: unknown child, node with
 * no or several of or/and/value, value off the scale, empty list, bad name, ... */
int pr_graph_json_parse(const char *text, size_t size, struct pd_graph **out, struct pd_fail *fail);
