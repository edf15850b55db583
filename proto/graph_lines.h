/* Graph lines: reads an AND/OR graph (games `andor:NAME`) from lines; GRAPH.md describes the format.
 *
 *   values -1 1
 *   A or B C
 *   B and b1 b2
 *   b1 = 1
 *
 * The text is read twice, in pieces: first the names, then the children, so that memory is needed for the graph alone
 * (and a buffer of a megabyte). Callers use graph_file.h, which reads both formats. */
#pragma once

#include "proto/base/error.h"
#include "proto/base/graph.h"

enum { PR_GRAPH_LINE_MAX = 1 << 20 }; /* bytes of a line of a source that is read in pieces */

/* Where the text comes from: `text` as a whole, or, when that is NULL, the function `read`. */
struct pr_graph_source {
	const char *text; /* borrowed */
	size_t size;
	/* Reads the next bytes, at most `size`; *got is 0 at the end only. `again`: starts over at the first byte. */
	int (*read)(void *ctx, bool again, char *to, size_t size, size_t *got, struct pd_fail *fail);
	void *ctx;
};

/* *out is to be freed with pd_graph_free. PD_E_GAME, or PD_E_LIMIT, with the number of the line and what would be
 * right. */
int pr_graph_lines_read(const struct pr_graph_source *source, struct pd_graph **out, struct pd_fail *fail);
