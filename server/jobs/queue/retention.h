/* Retention: which finished jobs and which of their transposition tables are kept on disk.
 *
 * Finished jobs are removed when there are more than config.keep_jobs of them, the one that ended first before the
 * others, and on request (job.remove): record, history and table are deleted, a share in each transaction, the record
 * with the last share. Numbers are not used again, and the facts that the jobs found stay. The loop thread removes a
 * job from memory when it is gone from the disk; a worker that is still leaving it keeps it until then.
 *
 * Exhausted and failed jobs keep their tables, because they may be resumed, while these need no more than
 * config.idle_tables bytes together. Beyond that the table of the job that ended first is dropped; the last one stays,
 * however large it is. A job without its table starts with an empty one, and with all facts. */
#ifndef SV_RETENTION_H
#define SV_RETENTION_H

struct sv_core;

/* Under the lock, the writer: hands out tasks that remove the oldest jobs and tables beyond what is kept. */
void sv_retention_apply(struct sv_core *core);

#endif
