#include "server/jobs/model/job_set.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "server/jobs/model/job.h"

enum { JOBS_FIRST = 16 };

uint32_t sv_set_place(const struct sv_job_set *set, int64_t id)
{
	uint32_t low = 0, high = set->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (set->jobs[middle]->record.id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool sv_set_add(struct sv_job_set *set, struct sv_job *job)
{
	if (set->count == set->capacity) {
		uint32_t capacity = set->capacity ? 2 * set->capacity : JOBS_FIRST;
		struct sv_job **jobs = realloc(set->jobs, capacity * sizeof *jobs);
		if (!jobs)
			return false;
		set->jobs = jobs;
		set->capacity = capacity;
	}
	uint32_t place = sv_set_place(set, job->record.id);
	PD_ASSERT(place == set->count || set->jobs[place]->record.id != job->record.id);
	memmove(set->jobs + place + 1, set->jobs + place, (set->count - place) * sizeof *set->jobs);
	set->jobs[place] = job;
	set->count++;
	return true;
}

void sv_set_remove(struct sv_job_set *set, const struct sv_job *job)
{
	uint32_t place = sv_set_place(set, job->record.id);
	PD_ASSERT(place < set->count && set->jobs[place] == job);
	set->count--;
	memmove(set->jobs + place, set->jobs + place + 1, (set->count - place) * sizeof *set->jobs);
}
