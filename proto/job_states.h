/* Job states: the lists of a job's states and of the reasons why it waits. */
#pragma once

/* The states of a job. Its record, the protocol and the command line use the text; server/jobs/model/job_state.h draws
 * the arrows between them. X(enumerator without its prefix, text, the job is over) */
#define PR_JOB_STATES(X)                                                                                               \
	X(QUEUED, "queued", false)                                                                                     \
	X(RUNNING, "running", false)                                                                                   \
	X(PAUSED, "paused", false)                                                                                     \
	X(SOLVED, "solved", true)                                                                                      \
	X(EXHAUSTED, "exhausted", true)                                                                                \
	X(CANCELLED, "cancelled", true)                                                                                \
	X(FAILED, "failed", true)

/* What running jobs are paused for; `lack` of server.stats. X(enumerator without its prefix, text) */
#define PR_QUOTA_LACKS(X)                                                                                              \
	X(NONE, "none")                                                                                                \
	X(DISK, "disk")                                                                                                \
	X(MEMORY, "memory")

/* The states of an experiment. X(enumerator without its prefix, text) */
#define PR_EXPERIMENT_STATES(X)                                                                                        \
	X(WAITING, "waiting")                                                                                          \
	X(RUNNING, "running")                                                                                          \
	X(DONE, "done")                                                                                                \
	X(STOPPED, "stopped")                                                                                          \
	X(FAILED, "failed")

/* Why a job is not being searched, or that it is; `reason` of job.explain.
 * X(enumerator without its prefix, text, meaning) */
#define PR_WAIT_REASONS(X)                                                                                             \
	X(READY, "ready", "the next search thread takes it")                                                           \
	X(THREAD, "thread", "all search threads search other jobs")                                                    \
	X(MEMORY, "memory", "its memory does not fit next to that of the running jobs")                                \
	X(AFTER, "after", "it waits until another job is solved")                                                      \
	X(DISK_RESERVE, "disk-reserve", "less of the disk is free than is reserved; it goes on by itself")             \
	X(MEMORY_SHORT, "memory-short", "the server has nearly all the memory that it may have; it goes on by itself") \
	X(GROUP_FULL, "group-full", "its group has as many running jobs as its limit allows")                          \
	X(GROUP_PAUSED, "group-paused", "its group is paused")                                                         \
	X(SUSPECT, "suspect", "it may have ended the server twice, and waits until no other job is queued")            \
	X(WRITTEN, "written", "a change of it is being written to the disk")                                           \
	X(NO_THREADS, "no-threads", "the server has no search threads")                                                \
	X(RUNNING, "running", "it is being searched")                                                                  \
	X(STOPPING, "stopping", "its search ends: what it found is being written")                                     \
	X(DISK, "disk", "its checkpoint cannot be written for now")                                                    \
	X(PAUSED, "paused", "it is paused until it is resumed")                                                        \
	X(BUDGET, "budget", "its budget is used up")                                                                   \
	X(EXHAUSTED, "exhausted", "its search could not go on")                                                        \
	X(SOLVED, "solved", "it is solved")                                                                            \
	X(CANCELLED, "cancelled", "it is cancelled")                                                                   \
	X(FAILED, "failed", "it has failed")
