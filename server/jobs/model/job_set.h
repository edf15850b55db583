/* Job set: jobs in order of their numbers, and how many of them show each state: all jobs, those of a group, those with
 * a tag. Under the core's lock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/jobs/model/job_state.h"

struct sv_job;

/* Zeroed: empty. */
struct sv_job_set {
	struct sv_job **jobs; /* owned; the jobs are not */
	uint32_t count, capacity;
	uint32_t states[SV_STATE_COUNT]; /* kept by job_index.c */
};

/* The place of the first job with at least that number; set->count when there is none. */
uint32_t sv_set_place(const struct sv_job_set *set, int64_t id);
/* Adds a job that is not in the set. False without memory. */
bool sv_set_add(struct sv_job_set *set, struct sv_job *job);
/* Removes a job that is in the set. */
void sv_set_remove(struct sv_job_set *set, const struct sv_job *job);
