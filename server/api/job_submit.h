/* Job submission: job.submit, keys included, and the submission of several jobs together. Loop thread. */
#pragma once

#include "server/api/request.h"
#include "server/jobs/write/task.h"

/* Appends the task that submits a job of *spec, whose strings it may take, to `tasks`; the call then waits for it. No
 * task when the key belongs to a job: then the call is answered with that job, or waits for it. `alone`: it may also be
 * carried out again, when a change of that job is settled; else it comes before that change. Errors as of
 * job.submit. */
int sv_submit_prepare(struct sv_request *r, struct sv_spec *spec, bool alone, struct sv_tasks *tasks);
/* Hands the tasks to the writer, which carries out all or none of them. */
void sv_submit_post(struct sv_core *core, struct sv_tasks *tasks);
/* Frees the tasks and their jobs, and answers the calls that wait for them with the error. */
void sv_submit_drop(struct sv_core *core, struct sv_tasks *tasks, const struct pd_fail *why);
