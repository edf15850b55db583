/* Dependency: jobs that wait until others are solved (option `after` of job.submit).
 *
 * A queued job waits, and no search thread takes it, while one of those jobs is not solved. The others may be:
 *   solved, or not there when the server starts   done;
 *   failed, cancelled, or removed meanwhile       the waiting job is paused with the reason. Once resumed, it no longer
 *                                                 waits for jobs that have ended so;
 *   anything else, exhausted too                  it waits on.
 * A job can only wait for older jobs, so there is no cycle. Under the core's lock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/error.h"
#include "server/jobs/model/job_spec.h"

struct sv_core;
struct sv_job;

/* Of a submission: the jobs exist and can still be solved. PD_E_PARAMS with field "after". */
int sv_dependency_check(const struct sv_core *core, const struct sv_spec *spec, struct pd_fail *fail);
/* Whether the job waits for one that has ended unsolved. */
bool sv_dependency_broken(const struct sv_job *job);
/* Whether a queued job is to be paused for that, and the reason. */
bool sv_dependency_pauses(const struct sv_job *job, char *reason, size_t size);
