/* Completion: a message from another thread to the loop thread.
 *
 * A completion is the first member of a larger struct that says what has ended (a task of the writer, a call that a
 * reader thread answered). Any thread posts it (core_parts.h); the loop thread calls `deliver`, without the lock. From
 * then on the completion belongs to `deliver`, which frees it unless it is part of something that lives on. */
#pragma once

#include <sys/queue.h>

struct sv_core;

struct sv_completion {
	void (*deliver)(struct sv_core *core, struct sv_completion *completion);
	STAILQ_ENTRY(sv_completion) link;
};
STAILQ_HEAD(sv_completions, sv_completion);
