/* Clocks: only this file reads the time of the machine. */
#pragma once

#include <stdint.h>

/* Nanoseconds of a monotonic clock with an arbitrary start. */
uint64_t pd_now_ns(void);

/* Nanoseconds of processor time of the calling thread. */
uint64_t pd_cpu_ns(void);

/* Milliseconds since 1970-01-01T00:00Z, for records that people read. */
int64_t pd_wall_ms(void);
