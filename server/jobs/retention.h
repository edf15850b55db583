/* Retention: what of the past is kept.
 *
 * Jobs that are over are forgotten when there are more than config.keep_jobs of them, the one that ended first before
 * the others, and whenever somebody asks for it: record, history and table go from the disk, a share at a time, the
 * record with the last share. Their numbers are not given again, and the facts that they found stay. A job is forgotten
 * in memory by the loop thread, when it is gone from the disk; a worker that is still clearing up behind its run keeps
 * it until then.
 *
 * Jobs that are exhausted or have failed keep their tables, because they may be resumed, as long as these take no more
 * than config.idle_tables bytes together. Beyond that the table goes whose job ended first; the last one stays, however
 * large it is. A job without its table begins with an empty one, and with all facts. */
#ifndef SV_RETENTION_H
#define SV_RETENTION_H

struct sv_core;

/* Under the lock, the writer: hands out tasks that remove the oldest jobs and tables beyond what is kept. */
void sv_retain(struct sv_core *core);

#endif
