/* Quick lines: request lines in and around the shape that proto/fastpath.h reads, for tests that hold two readers
 * together. */
#ifndef FAST_LINES_H
#define FAST_LINES_H

#include <stddef.h>
#include <stdint.h>

enum { QUICKLINE_MAX = 8192 };

/* Writes a line (no newline in it, not terminated) and returns its size. Most are fact.query in the quick shape, with
 * odd values now and then; many of them are then mutated, by bytes or by tokens. */
size_t quickline(uint64_t *seed, char *line);

#endif
