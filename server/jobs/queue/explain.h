/* Explain: whether a job is being searched, and if not, why not (job.explain). */
#pragma once

#include "proto/out.h"
#include "server/jobs/queue/judgement.h"

struct sv_core;
struct sv_job;

/* Under the lock: the result of job.explain. */
void sv_explain_print(struct sv_core *core, const struct sv_job *job, struct pr_out *out);
