/* After: jobs that wait until others are solved (option `after` of job.submit).
 *
 * A queued job waits while one of those jobs is not solved, and is not among the jobs that a worker can take. What
 * becomes of the others:
 *   solved, or not there when the server starts   it counts as done;
 *   failed, cancelled, or removed meanwhile       the waiting job is paused with the reason. Resumed, it runs without
 *                                                 waiting for jobs that have ended so;
 *   anything else, exhausted too                  it waits on.
 * A job can only wait for jobs that were there before it, so there is no cycle.
 *
 * Under the core's lock. */
#ifndef SV_DEPENDENCY_H
#define SV_DEPENDENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "server/jobs/model/job_spec.h"

struct sv_core;
struct sv_job;

/* Of a submission: the jobs are there, and can still be solved. PD_E_PARAMS with field "after". */
int sv_dependency_check(const struct sv_core *core, const struct sv_spec *spec, struct pd_fail *fail);
/* Whether the job waits for one that has ended unsolved. */
bool sv_dependency_broken(const struct sv_job *job);
/* The writer looks at a job that waits (settle.h): it is queued as one that can run, or paused, where others have
 * ended. False when it is to be looked at again. */
bool sv_dependency_settle(struct sv_core *core, struct sv_job *job);

#endif
