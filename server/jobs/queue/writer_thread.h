/* Writer thread: between two commits (write/writer.h) it looks after the queue: due jobs, what is kept on disk, and
 * room on disk and in memory (quota.h).
 *
 * The index lists a queued job as due when a job that it waits for ends or is removed, when its parent is solved, and
 * when the job is queued after either has happened. Due jobs are marked as ready, or paused (dependency.h).
 *
 * When more than config.keep_jobs jobs are over, those that ended first are removed; others on request (job.remove).
 * Record, history and table are deleted in shares, one per transaction, the record with the last one. Numbers are not
 * reused, and the facts stay. The loop thread removes a job from memory once it is gone from the disk, or once the last
 * search thread has left it.
 *
 * Exhausted and failed jobs may be resumed, so they keep their tables while these take at most config.idle_tables bytes
 * together. Beyond that, tables are dropped in the order of the jobs' ends; the last one stays, however large. A job
 * without its table starts with an empty one, and with all facts. */
#pragma once

enum { SV_SETTLE_MAX = 256 }; /* due jobs settled in one turn */

/* The thread; `arg` is the struct sv_core. */
void *sv_writer_thread(void *arg);
