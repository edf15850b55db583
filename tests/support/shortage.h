/* Shortage: allocations that fail on purpose. For tests that are linked with --wrap for malloc, calloc, realloc and
 * strdup (tests/CMakeLists.txt): the linker leads every call of the programs' own code here, jansson's by way of
 * proto/. So this works with sanitizers, which have an allocator of theirs. */
#pragma once

#include <stdbool.h>

/* The k-th allocation from now on fails, and those behind it, `count` in all. */
void shortage_arm(long k, long count);
/* None fails any more. How many have failed. */
long shortage_end(void);
/* How many of these in the thread that has armed it. */
long shortage_here(void);
/* Whether the calling thread's allocations are spared, and not counted; at first they are not. */
void shortage_spare(bool spare);
