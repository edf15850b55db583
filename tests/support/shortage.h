/* Shortage: allocations that fail on purpose, for tests linked with --wrap for malloc, calloc, realloc and strdup
 * (tests/CMakeLists.txt). The linker redirects every call of the product's code here, jansson's by way of proto/. So it
 * works with sanitizers, which replace the allocator. */
#pragma once

#include <stdbool.h>

/* Makes `count` allocations fail, beginning with the k-th from now. */
void shortage_arm(long k, long count);
/* Ends the failures; returns their number. */
long shortage_end(void);
/* The failures in the thread that called shortage_arm. */
long shortage_here(void);
/* Whether allocations of the calling thread are exempt; by default they are not. */
void shortage_spare(bool spare);
