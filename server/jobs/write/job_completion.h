/* Job completion: tells the loop thread what has become of a job's tasks (struct sv_job_completion in job.h). */
#ifndef SV_JOB_COMPLETION_H
#define SV_JOB_COMPLETION_H

#include "server/jobs/model/job.h"

/* For sv_completion.deliver: passes it to the hooks (job_hooks.h). */
void sv_job_completion_deliver(struct sv_core *core, struct sv_completion *base);
/* Under the lock: tells the loop thread that the run of a job has stopped without a last record, or that it cannot be
 * written for now. */
void sv_job_report_trouble(struct sv_core *core, struct sv_job *job, const struct pd_fail *fail);

#endif
