/* Job state: the state of a job, as in its record on disk (V4).
 *
 *	submit -> queued <-> running -> solved | exhausted | failed
 *	            |  \        |
 *	            |   paused <+          paused, exhausted, failed -> queued (resume)
 *	            |                      queued -> failed (it cannot begin)
 *	            +-> cancelled <- running, paused, exhausted, failed (cancel)
 *
 * sv_arrow is this diagram; only sv_job_move (index/job_index.h) changes a job's state. The exception is sv_retract
 * (proofs/maintenance/retraction.h), which queues jobs again, failed ones too, while no server has the directory
 * open. */
#pragma once

#include <stdbool.h>

#include "proto/job_states.h"

enum sv_state {
#define X(name, ...) SV_##name,
	PR_JOB_STATES(X)
#undef X
};
#define X(...) +1
enum { SV_STATE_COUNT = 0 PR_JOB_STATES(X) };
#undef X

const char *sv_state_text(enum sv_state state);
/* Solved, exhausted, cancelled or failed. */
bool sv_state_over(enum sv_state state);
bool sv_state_parse(const char *text, enum sv_state *out);
/* True when there is an arrow between the states. */
bool sv_arrow(enum sv_state from, enum sv_state to);
