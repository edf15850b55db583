/* Loop memory: libuv ends the process when the table of watched descriptors of a loop cannot grow (uv__io_start in its
 * src/unix/core.c, up to 1.48 at least). Memory for that is reserved at the start, so that it is never needed. */
#ifndef DM_LOOP_MEMORY_H
#define DM_LOOP_MEMORY_H

#include "proto/base/error.h"

/* Reserves memory for a table of `descriptors` descriptors and gives libuv an allocator that falls back on it. To be
 * called before any other function of libuv; again does nothing. PD_E_NO_MEMORY. Never freed. */
int dm_loop_memory_init(unsigned descriptors, struct pd_fail *fail);

#endif
