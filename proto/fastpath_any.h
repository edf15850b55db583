/* Fast path, any order: the same query with its members in any order, blanks of any kind, ids that are texts or null,
 * and with `moves` and `each_move`. Still without escapes; every other line is left to the general reader. */
#pragma once

#include "proto/fastpath_shape.h"

/* As pr_fastpath_read, which asks it about lines that do not have the usual shape. */
bool pr_fastpath_read_any(const char *line, size_t size, struct pr_fastpath *out);
