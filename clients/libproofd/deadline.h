/* Deadline: a time of pd_now_ns until which to wait; 0: no limit (private to clients/libproofd). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* That many seconds from now. 0 if `seconds` is not positive, or longer than a program runs (INFINITY). */
uint64_t pc_deadline(double seconds);
/* Seconds until then; negative: no limit. */
double pc_left(uint64_t deadline);
bool pc_is_past(uint64_t deadline);
uint64_t pc_earlier(uint64_t a, uint64_t b);
