/* Loop memory: libuv aborts when the table of watched descriptors of a loop cannot grow (uv__io_start in its
 * src/unix/core.c, up to 1.48 at least). So memory for it is reserved at the start. */
#pragma once

#include "proto/base/error.h"

/* Reserves memory for a table of `descriptors` descriptors, never freed, and gives libuv an allocator that falls back
 * on it. To be called before any other function of libuv; a second call does nothing. PD_E_NO_MEMORY. */
int dm_loop_memory_init(unsigned descriptors, struct pd_fail *fail);
