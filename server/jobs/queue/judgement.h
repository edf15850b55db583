/* Judgement: whether a search thread can take a queued job now, and what the job waits for otherwise.
 *
 * sv_judge alone decides: the scheduler takes no job that it refuses, and job.explain reports what it says. */
#pragma once

#include "proto/job_states.h"
#include "server/jobs/model/job.h"

struct sv_core;
struct sv_job;

enum sv_wait {
#define X(name, ...) SV_WAIT_##name,
	PR_WAIT_REASONS(X)
#undef X
};

const char *sv_wait_text(enum sv_wait wait);
/* What a job on hold waits for. */
enum sv_wait sv_wait_of_hold(enum sv_hold hold);
/* Under the lock, of a queued job: SV_WAIT_READY when a free search thread can take it. `gone` (may be NULL): as if
 * that running job had left. */
enum sv_wait sv_judge(const struct sv_core *core, const struct sv_job *job, const struct sv_job *gone);
/* Under the lock: the queued job that a free search thread should take; NULL: none. */
struct sv_job *sv_find_ready(const struct sv_core *core, const struct sv_job *gone);
