/* Completion: a message from another thread to the loop thread.
 *
 * A completion is the first member of a larger struct that says what has come to its end (a task of the writer, a call
 * that a reader thread answered). Any thread posts it under the core's lock; sv_completions_deliver calls `deliver` on
 * the loop thread, without the lock. From then on the completion belongs to `deliver`, which frees it unless it is part
 * of something that lives on. */
#ifndef SV_COMPLETION_H
#define SV_COMPLETION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct sv_core;

struct sv_completion {
	void (*deliver)(struct sv_core *core, struct sv_completion *completion);
	STAILQ_ENTRY(sv_completion) link;
};
STAILQ_HEAD(sv_completions, sv_completion);

/* Under the lock: queues it and wakes the loop. */
void sv_completion_post(struct sv_core *core, struct sv_completion *completion);
/* The loop thread: delivers in order, at least one, until the clock passes `until_ns` (UINT64_MAX: all). True when
 * there are more. */
bool sv_completions_deliver(struct sv_core *core, uint64_t until_ns);

#endif
