/* Clocks: the only place that asks the machine what time it is. */
#pragma once

#include <stdint.h>

/* Nanoseconds of a clock that never goes back; only differences mean anything. */
uint64_t pd_now_ns(void);

/* Nanoseconds of processor time that the calling thread has used; only differences mean anything. */
uint64_t pd_cpu_ns(void);

/* Milliseconds since 1970-01-01T00:00Z, for records that people read. */
int64_t pd_wall_ms(void);
