#include "server/jobs/scheduler.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "server/common/core_state.h"
#include "server/jobs/crashes.h"
#include "server/jobs/job.h"
#include "server/jobs/job_index.h"

struct sv_job *sv_next_job(struct sv_core *core)
{
	PD_ASSERT(sv_mutex_held(&core->lock));
	uint64_t most = core->config.memory, room = core->workers->reserved < most ? most - core->workers->reserved : 0;
	struct sv_job *job = sv_index_next(core->index, core->workers->searching ? room : UINT64_MAX), *other;
	if (!job || job->crashes < SV_CRASHES_BEHIND)
		return job;
	if (sv_index_first(core->index)->crashes < SV_CRASHES_BEHIND)
		return NULL;
	LIST_FOREACH(other, &core->workers->running, running)
	if (other->crashes >= SV_CRASHES_BEHIND)
		return NULL;
	return job;
}

void sv_workers_count(struct sv_workers *workers, int searching, int helping)
{
	workers->searching += (unsigned)searching;
	workers->helping += (unsigned)helping;
	PD_ASSERT(workers->searching + workers->helping <= workers->count_max);
	pthread_cond_broadcast(&workers->moved);
}

void sv_workers_init(struct sv_workers *workers, const pthread_condattr_t *attr)
{
	*workers = (struct sv_workers){0};
	LIST_INIT(&workers->running);
	pthread_cond_init(&workers->work, attr);
	pthread_cond_init(&workers->moved, attr);
}

void sv_workers_fini(struct sv_workers *workers)
{
	PD_ASSERT(LIST_EMPTY(&workers->running));
	pthread_cond_destroy(&workers->work);
	pthread_cond_destroy(&workers->moved);
	free(workers->threads);
}
