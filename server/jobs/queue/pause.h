/* Pause: jobs that wait in the queue are paused by the server itself, with a reason. */
#ifndef SV_PAUSE_H
#define SV_PAUSE_H

#include <stdbool.h>

struct sv_core;
struct sv_job;

/* Under the lock, by the writer: hands over the record that pauses a queued job. `reason`: at most SV_REASON_MAX bytes
 * are kept. False when that has to be tried again: a change of the job is under way, or there is no memory. */
bool sv_pause_job(struct sv_core *core, struct sv_job *job, const char *reason);

#endif
