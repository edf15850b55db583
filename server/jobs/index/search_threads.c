#include "server/jobs/index/search_threads.h"

#include <stdlib.h>

#include "proto/base/mutex.h"
#include "proto/base/assert.h"

void sv_search_threads_count(struct sv_search_threads *threads, int searching, int helping)
{
	threads->searching += (unsigned)searching;
	threads->helping += (unsigned)helping;
	PD_ASSERT(threads->searching + threads->helping <= threads->count_max);
	pthread_cond_broadcast(&threads->moved);
}

void sv_search_threads_init(struct sv_search_threads *threads)
{
	*threads = (struct sv_search_threads){0};
	LIST_INIT(&threads->running);
	pd_cond_init(&threads->work);
	pd_cond_init(&threads->moved);
	pd_cond_init(&threads->picture_made);
}

void sv_search_threads_fini(struct sv_search_threads *threads)
{
	PD_ASSERT(LIST_EMPTY(&threads->running));
	pthread_cond_destroy(&threads->work);
	pthread_cond_destroy(&threads->moved);
	pthread_cond_destroy(&threads->picture_made);
	free(threads->threads);
}
