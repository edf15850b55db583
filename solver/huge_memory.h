/* Huge memory: large zeroed blocks from the operating system, in huge pages where it offers them. */
#pragma once

#include <stddef.h>

/* NULL when memory runs out. */
void *pn_memory_map(size_t bytes);
/* `block` may be NULL; `bytes` is its size when it was mapped. */
void pn_memory_unmap(void *block, size_t bytes);
/* Returns bytes from..to - 1 of a block (multiples of a page) to the system; they then read as zero. */
void pn_memory_drop(void *block, size_t from, size_t to);
