/* Loop: what other threads tell the loop thread, and in what order it hears of it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sv_completion;
struct sv_core;

/* Under the lock: queues it and wakes the loop. */
void sv_completion_post(struct sv_core *core, struct sv_completion *completion);
/* The loop thread: delivers in order, at least one, until the clock passes `until_ns` (UINT64_MAX: all). True when
 * there are more. */
bool sv_completions_deliver(struct sv_core *core, uint64_t until_ns);
