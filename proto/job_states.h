/* Job states: the one list of them. A job's record, the protocol and the command line use the text.
 * server/jobs/model/job_state.h draws the arrows between them.
 *
 * X(enumerator without its prefix, text, the job is over) */
#pragma once

#define PR_JOB_STATES(X)                                                                                               \
	X(QUEUED, "queued", false)                                                                                     \
	X(RUNNING, "running", false)                                                                                   \
	X(PAUSED, "paused", false)                                                                                     \
	X(SOLVED, "solved", true)                                                                                      \
	X(EXHAUSTED, "exhausted", true)                                                                                \
	X(CANCELLED, "cancelled", true)                                                                                \
	X(FAILED, "failed", true)
