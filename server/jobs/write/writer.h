/* Writer: makes tasks durable. One thread (queue/writer_thread.h) does this, and owns the store's batches (D3).
 *
 * Tasks wait in a queue (task.h). Those that wait are committed together in one transaction; then the loop thread is
 * told. When that transaction fails, each task is tried alone, so that a failure of one job does not affect the others.
 * A checkpoint for which the disk has no room is kept and tried again: its job shows as paused, its run waits at the
 * next checkpoint, and nothing is lost (D4). A request's record is not kept: the request fails, and nothing has
 * changed. Between tasks the writer moves facts in bulk. */
#pragma once

#include "server/jobs/write/task.h"

/* The writer thread's own. */
struct sv_writing {
	struct sv_tasks kept; /* tasks that wait for room on the disk */
	uint64_t retry_ns;    /* when these are tried again, even if other tasks keep arriving */
	bool idle;            /* there is time to tidy up */
	bool more_facts;      /* facts are to be moved at once */
	bool facts_stuck;     /* facts could not be moved the last time, which is logged once */
};

/* Waits for tasks (`soon`: does not wait) and commits them. False when the writer is to stop and nothing is left. */
bool sv_writer_commit(struct sv_core *core, struct sv_writing *writing, bool soon);
void sv_writer_move_facts(struct sv_core *core, struct sv_writing *writing);
