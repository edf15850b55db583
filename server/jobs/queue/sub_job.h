/* Under: sub-jobs, which serve another job (option `under` of job.submit).
 *
 * A sub-job searches a position that the other job, its parent, is expected to meet. Its facts are on disk like all
 * facts, so the parent finds them at positions that it meets from then on. At the sub-job's own position it is told as
 * well (pn_solver_inject): when a checkpoint with new bounds of that position is on disk, the parent takes them up
 * between two rounds of its search, in whose table or tree the position may be open. What a bound says of the parent's
 * claim decides; the claims of the two need not be the same.
 *
 * Each has its own budget, priority, group and end. Cancelled, failed or removed, neither changes the other. When the
 * parent is solved, a sub-job has nothing to serve: it is paused with the reason, and goes on alone when it is resumed.
 * So are those under it. Nothing checks that the parent's search can reach the position: where it cannot, the parent
 * gains nothing.
 *
 * A job can only be under one that was there before it, so there is no cycle. Under the core's lock. */
#ifndef SV_SUB_JOB_H
#define SV_SUB_JOB_H

#include <stddef.h>

#include "proto/base/error.h"
#include "server/jobs/model/job_spec.h"

struct sv_core;
struct sv_job;

/* Of a submission: the parent can still be solved. PD_E_PARAMS with field "under". */
int sv_sub_job_check(const struct sv_core *core, const struct sv_spec *spec, struct pd_fail *fail);
/* The solved job above this one that gives it nothing more to serve; NULL: none, or it goes on all the same. */
const struct sv_job *sv_sub_job_solved_above(const struct sv_job *job);
/* Says so. */
void sv_sub_job_reason(const struct sv_job *above, char *out, size_t size);
/* The writer looks at a queued job (settle.h): a sub-job of a solved one is paused. False when it is to be looked at
 * again. */
bool sv_sub_job_settle(struct sv_core *core, struct sv_job *job);

#endif
