/* Sub-job: a job that serves another one, its parent (option `under` of job.submit).
 *
 * A sub-job searches a position that its parent is expected to meet. Its facts are on disk like all facts, so the
 * parent finds them at positions that it meets from then on. The sub-job's own position may already be open in the
 * parent's table or tree, so its facts are also injected there (run/injected_facts.h). Bounds decide: the claims of
 * the two jobs may differ.
 *
 * Each has its own budget, priority, group and end. Cancelled, failed or removed, neither changes the other. When the
 * parent is solved, its sub-jobs, and theirs, are paused with the reason; resumed, they go on alone. Nothing checks
 * that the parent's search can reach the position. A parent is older than its sub-jobs, so there is no cycle.
 *
 * Under the core's lock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/error.h"
#include "server/jobs/model/job_spec.h"

struct sv_core;
struct sv_job;

/* Of a submission: the parent can still be solved. PD_E_PARAMS with field "under". */
int sv_sub_job_check(const struct sv_core *core, const struct sv_spec *spec, struct pd_fail *fail);
/* The nearest solved job above that leaves this one nothing to serve; NULL: none, or it goes on alone. */
const struct sv_job *sv_sub_job_solved_above(const struct sv_job *job);
/* Whether the job is to be paused for that, and the reason. */
bool sv_sub_job_pauses(const struct sv_job *job, char *reason, size_t size);
