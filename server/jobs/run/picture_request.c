#include "server/jobs/run/picture_request.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/jobs/run/run.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/index/search_threads.h"

/* Between two pictures: each halts all search threads, and an asker waits no longer than SV_PICTURE_WAIT_S. */
static const uint64_t pause_ns_min = 50000000, pause_ns_max = 1000000000;

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

bool sv_picture_ask(struct sv_core *core, uint32_t id, struct sv_picture_request *look)
{
	struct timespec until = to_timespec(pd_now_ns() + SV_PICTURE_WAIT_S * UINT64_C(1000000000));
	bool late = false;
	look->picture = (struct pn_picture){0};
	look->names = NULL;
	look->fail = (struct pd_fail){0};
	look->taken = look->done = false;
	pd_mutex_lock(&core->lock);
	struct sv_job *job = sv_index_find(core->index, id);
	if (!job || !job->run.group || job->run.trouble.code || core->stop_search) {
		pd_mutex_unlock(&core->lock);
		return false;
	}
	TAILQ_INSERT_TAIL(&job->run.picture_requests, look, link);
	while (!look->taken && !late && !job->run.trouble.code)
		late = !pd_mutex_wait_until(&core->lock, &core->search_threads->picture_made, &until);
	if (!look->taken)
		TAILQ_REMOVE(&job->run.picture_requests, look, link); /* the run goes on, so the job exists */
	while (look->taken && !look->done)
		pd_mutex_wait(&core->lock, &core->search_threads->picture_made);
	pd_mutex_unlock(&core->lock);
	return look->done && (look->fail.code || look->picture.count);
}

bool sv_picture_due(const struct sv_job *job)
{
	return !TAILQ_EMPTY(&job->run.picture_requests) && pd_now_ns() >= job->run.picture_due_ns;
}

/* Under the lock: it is the run's from now on. */
static void take_request(struct sv_job *job, struct sv_picture_request *look)
{
	PD_ASSERT(!look->taken);
	look->taken = true;
	TAILQ_REMOVE(&job->run.picture_requests, look, link);
}

static bool is_same_order(const struct pn_picture_order *a, const struct pn_picture_order *b)
{
	return a->depth == b->depth && a->nodes == b->nodes && a->path_count == b->path_count &&
	       (!a->path_count || !memcmp(a->path, b->path, a->path_count * sizeof *a->path));
}

/* The workers that search leaves of the picture; NULL: none, or no memory. */
static struct sv_picture_names *find_names(const struct sv_run *r, const struct pn_picture *picture)
{
	uint32_t count = 0, most = 0;
	for (uint32_t i = 0; i < picture->count; i++)
		most += picture->nodes[i].waiting > 0;
	struct sv_picture_names *names = most ? calloc(most + 1, sizeof *names) : NULL;
	for (uint32_t i = 0; names && i < picture->count; i++) {
		if (!picture->nodes[i].waiting)
			continue;
		names[count].node = i;
		sv_remote_worker(&r->remote, picture->nodes[i].waiting, names[count].name);
		count += names[count].name[0] != 0;
	}
	if (names)
		names[count].name[0] = 0;
	return names;
}

static struct sv_picture_names *copy_names(const struct sv_picture_names *names)
{
	size_t count = 1;
	for (const struct sv_picture_names *n = names; n && n->name[0]; n++)
		count++;
	struct sv_picture_names *copy = names ? malloc(count * sizeof *copy) : NULL;
	if (copy)
		memcpy(copy, names, count * sizeof *copy);
	return copy;
}

/* Under the lock: copies for those who ask for the same. */
static void share_picture(struct sv_job *job, const struct sv_picture_request *made)
{
	struct sv_picture_request *look = TAILQ_FIRST(&job->run.picture_requests), *next;
	size_t bytes = made->picture.count * sizeof *made->picture.nodes;
	for (; look && !made->fail.code; look = next) {
		next = TAILQ_NEXT(look, link);
		struct pn_picture_node *nodes = is_same_order(&look->order, &made->order) ? malloc(bytes) : NULL;
		if (!nodes)
			continue;
		take_request(job, look);
		memcpy(nodes, made->picture.nodes, bytes);
		look->picture = made->picture;
		look->picture.nodes = nodes;
		look->names = copy_names(made->names);
		look->progress = made->progress;
		look->done = true;
	}
}

void sv_picture_take(struct sv_run *r)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	PD_ASSERT(!r->in_round);
	pd_mutex_lock(&core->lock);
	struct sv_picture_request *look = sv_picture_due(job) ? TAILQ_FIRST(&job->run.picture_requests) : NULL;
	if (look)
		take_request(job, look);
	pd_mutex_unlock(&core->lock);
	if (!look)
		return;
	uint64_t start = pd_now_ns(), cpu = pd_cpu_ns();
	pn_solver_picture(r->solver, &look->order, &look->picture, &look->fail);
	pn_solver_progress(r->solver, &look->progress);
	look->names = find_names(r, &look->picture);
	/* Time without a processor delays only the members. */
	uint64_t now = pd_now_ns(), took = r->group.in ? now - start : pd_cpu_ns() - cpu;
	uint64_t pause = SV_PICTURE_SHARE * took;
	pause = pause < pause_ns_min ? pause_ns_min : pause > pause_ns_max ? pause_ns_max : pause;
	pd_mutex_lock(&core->lock);
	job->run.picture_due_ns = now + pause;
	share_picture(job, look);
	look->done = true;
	pthread_cond_broadcast(&core->search_threads->picture_made);
	pd_mutex_unlock(&core->lock);
}

void sv_picture_end(struct sv_core *core, struct sv_job *job)
{
	struct sv_picture_request *look;
	PD_ASSERT(pd_mutex_held(&core->lock) && !job->run.group);
	while ((look = TAILQ_FIRST(&job->run.picture_requests)) != NULL) {
		take_request(job, look);
		look->done = true;
	}
	pthread_cond_broadcast(&core->search_threads->picture_made);
}
