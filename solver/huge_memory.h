/* Memory: large blocks straight from the system, zeroed, touched only when used. */
#ifndef PN_HUGE_MEMORY_H
#define PN_HUGE_MEMORY_H

#include <stddef.h>

/* NULL when it cannot be had. */
void *memory_map(size_t bytes);
/* NULL is fine. `bytes` as it was mapped. */
void memory_unmap(void *block, size_t bytes);

#endif
