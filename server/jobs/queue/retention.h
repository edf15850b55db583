/* Retention: which jobs that are over, and which of their transposition tables, are kept on disk.
 *
 * When there are more than config.keep_jobs jobs that are over, those that ended first are removed; others on request
 * (job.remove). Record, history and table are deleted, a share in each transaction, the record with the last share.
 * Numbers are not reused, and the facts stay. The loop thread removes a job from memory once it is gone from the disk,
 * or once the last search thread has left it.
 *
 * Exhausted and failed jobs may be resumed, so they keep their tables while these take at most config.idle_tables
 * bytes together. Beyond that, tables are dropped in the order of the jobs' ends; the last one stays, however large.
 * A job without its table starts with an empty one, and with all facts. */
#pragma once

struct sv_core;

/* The writer thread, under the lock: posts tasks that remove the oldest jobs and tables beyond what is kept. */
void sv_retention_apply(struct sv_core *core);
