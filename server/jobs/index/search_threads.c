#include "server/jobs/index/search_threads.h"

#include <stdlib.h>

#include "proto/base/assert.h"

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
	pthread_cond_init(&workers->looked, attr);
}

void sv_workers_fini(struct sv_workers *workers)
{
	PD_ASSERT(LIST_EMPTY(&workers->running));
	pthread_cond_destroy(&workers->work);
	pthread_cond_destroy(&workers->moved);
	pthread_cond_destroy(&workers->looked);
	free(workers->threads);
}
