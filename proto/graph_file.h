/* Graph files: AND/OR graphs (games `andor:NAME`) in a directory; GRAPH.md describes the two formats.
 *
 * The graph NAME is in the file NAME.json or NAME.graph. Text whose first character that is not blank is '{' is JSON;
 * any other text is lines, whatever the name of the file. */
#pragma once

#include <stdio.h>

#include "proto/base/hash.h"
#include "proto/graph_json.h"
#include "proto/graph_lines.h"

/* Reads a graph from text; fails as pr_graph_json_parse and pr_graph_lines_read do. */
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

/* Gives `put` the bytes of a file in pieces. When `put` does not return 0, it stops and returns that. PD_E_STATE with
 * field "game" when the file has changed since it was read, which is only known at the end. */
int pr_graph_copy(const struct pr_graph_file *file, int (*put)(void *ctx, const char *data, size_t size), void *ctx,
		  struct pd_fail *fail);
