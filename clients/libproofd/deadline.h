/* Deadline: a moment in pd_now_ns, until which something may be waited for; 0: for ever (private to
 * clients/libproofd). */
#ifndef PC_DEADLINE_H
#define PC_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/* That many seconds from now. 0 for what is not above 0 and for what is longer than a program runs, INFINITY
 * included. */
uint64_t pc_deadline(double seconds);
/* Seconds until then; below 0: for ever. */
double pc_left(uint64_t deadline);
bool pc_is_past(uint64_t deadline);
uint64_t pc_earlier(uint64_t a, uint64_t b);

#endif
