/* Job log: a log line for each step of a job, once the step is on disk.
 *
 * The words are those of the job's history: submitted, started, resumed, paused, solved, exhausted, cancelled, failed.
 * There are at most 50 such lines a second, because clients may submit thousands of jobs; the rest is counted, and the
 * count is logged. All under the lock. */
#pragma once

#include "server/jobs/model/job.h"

/* How many lines this second has. */
struct sv_job_log {
	uint64_t start_ns;        /* of the second */
	unsigned lines, left_out; /* in it */
};

void sv_job_log_submitted(struct sv_job_log *log, const struct sv_job *job);
/* `from`: the state that the job was in. */
void sv_job_log_moved(struct sv_job_log *log, const struct sv_job *job, enum sv_state from);
/* The job's checkpoint cannot be written, so the job shows as paused; and the checkpoint was written after all. */
void sv_job_log_trouble(const struct sv_job *job, const char *why);
void sv_job_log_trouble_over(const struct sv_job *job);
/* Log the number of omitted lines: once their second is over; and at the end. */
void sv_job_log_tick(struct sv_job_log *log);
void sv_job_log_end(struct sv_job_log *log);
