/* Fast lines: request lines in and near the form that proto/fastpath.h reads, for tests that compare two readers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { QUICKLINE_MAX = 8192 };

/* Writes a line (no newline in it, not terminated) and returns its size. Half of them are fact.query in the usual
 * shape, half have their members in any order, with `moves` and other ids; odd values come now and then, and many lines
 * are then mutated, by bytes or by tokens. */
size_t quickline(uint64_t *seed, char *line);
