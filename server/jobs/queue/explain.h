/* Explain: why a job is not being searched, or that it is, for job.explain. */
#pragma once

#include "proto/out.h"
#include "server/jobs/queue/judgement.h"

struct sv_core;
struct sv_job;

/* Under the lock: where the job stands, of a queued one what sv_judge says. */
enum sv_wait sv_explain_reason(const struct sv_core *core, const struct sv_job *job);
/* Under the lock: the result of job.explain. */
void sv_explain_print(struct sv_core *core, const struct sv_job *job, struct pr_out *out);
