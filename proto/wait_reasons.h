/* Wait reasons: why a job is not being searched, or that it is; `reason` of job.explain.
 *
 * X(enumerator without its prefix, text, meaning) */
#pragma once

#define PR_WAIT_REASONS(X)                                                                                             \
	X(READY, "ready", "the next search thread takes it")                                                           \
	X(THREAD, "thread", "all search threads search other jobs")                                                    \
	X(MEMORY, "memory", "its memory does not fit next to that of the running jobs")                                \
	X(AFTER, "after", "it waits until another job is solved")                                                      \
	X(DISK_RESERVE, "disk-reserve", "less of the disk is free than is reserved; it goes on by itself")             \
	X(MEMORY_SHORT, "memory-short", "the server has nearly all the memory that it may have; it goes on by itself") \
	X(GROUP_FULL, "group-full", "its group has as many running jobs as it may")                                    \
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
