/* Graph files: AND/OR graphs (games `andor:NAME`) in a directory; GRAPH.md describes the two formats.
 *
 * The graph NAME is in the file NAME.json or NAME.graph. Text whose first character that is not blank is '{' is JSON,
 * any other is lines, whatever the file is called. */
#pragma once

#include <stdio.h>

#include "proto/base/hash.h"
#include "proto/graph_json.h"
#include "proto/graph_lines.h"

/* Reads a graph from text; the two formats' own functions tell what fails how. */
int pr_graph_parse(const char *text, size_t size, struct pd_graph **out, struct pd_fail *fail);

/* A file as it was when it was read. */
struct pr_graph_file {
	char path[4096];
	uint64_t bytes;
	struct pd_id hash; /* of its bytes */
};

/* Reads the graph `name` from a directory (NULL: none is configured). *file may be NULL. PD_E_GAME with field "game"
 * when there is no such graph, or two; PD_E_IO; or as above. */
int pr_graph_load(const char *directory, const char *name, struct pd_graph **out, struct pr_graph_file *file,
		  struct pd_fail *fail);

/* Gives `put` the bytes of a file in pieces; PD_E_STATE with field "game" when they are not those that were read, which
 * is known at the end. What `put` returns ends it, unless it is zero. */
int pr_graph_copy(const struct pr_graph_file *file, int (*put)(void *ctx, const char *data, size_t size), void *ctx,
		  struct pd_fail *fail);
