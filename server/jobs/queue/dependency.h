/* Dependency: jobs that wait until others are solved (option `after` of job.submit), and jobs that serve another one
 * (option `under`).
 *
 * After: a queued job waits, and no search thread takes it, while one of those jobs is not solved. Each of them may be:
 *   solved, or absent when the server starts      done;
 *   failed, cancelled, or removed meanwhile       the waiting job is paused with the reason. Once resumed, it no longer
 *                                                 waits for jobs that have ended so;
 *   anything else, even exhausted                  it waits on.
 *
 * Under: a sub-job searches a position that its parent is expected to reach. Its facts are on disk like all facts, so
 * the parent finds them at positions that it reaches from then on. The sub-job's own position may already be open in
 * the parent's table or tree, so its facts are also injected there (run/injected_facts.h). Facts are bounds, so the
 * claims of the two jobs may differ. Each has its own budget, priority, group and end. When one is cancelled, fails or
 * is removed, the other is not affected. When the parent is solved, its sub-jobs, and theirs, are paused with the
 * reason; resumed, they go on alone. Nothing checks that the parent's search can reach the position.
 *
 * A job can only name older jobs, so there is no cycle. All under the core's lock. */
#pragma once

#include "server/jobs/model/job_spec.h"

struct sv_job;
struct sv_job_index;

/* Checks that the jobs that a submission names exist and can still be solved. PD_E_PARAMS with field "after" or
 * "under". */
int sv_dependency_check(const struct sv_job_index *index, const struct sv_spec *spec, struct pd_fail *fail);
/* Whether the job waits for one that has ended unsolved. */
bool sv_dependency_broken(const struct sv_job *job);
/* The nearest solved ancestor, which no longer needs this job; NULL: none, or the job goes on alone. */
const struct sv_job *sv_dependency_solved_above(const struct sv_job *job);
/* Whether a queued job is to be paused because a job that it waits for ended unsolved, or because a job above it is
 * solved; and the reason. */
bool sv_dependency_pauses(const struct sv_job *job, char *reason, size_t size);
bool sv_dependency_serves_none(const struct sv_job *job, char *reason, size_t size);
