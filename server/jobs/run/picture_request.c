#include "server/jobs/run/picture_request.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/common/core_parts.h"
#include "server/jobs/run/run.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/index/search_threads.h"

/* The pause between two pictures: each picture halts all search threads, and a requester waits at most
 * SV_PICTURE_WAIT_S. */
static const uint64_t pause_ns_min = 50000000, pause_ns_max = 1000000000;

bool sv_picture_ask(struct sv_core *core, uint32_t id, struct sv_picture_request *request)
{
	uint64_t until_ns = pd_now_ns() + SV_PICTURE_WAIT_S * UINT64_C(1000000000);
	bool late = false;
	request->picture = (struct pn_picture){0};
	request->names = NULL;
	request->fail = (struct pd_fail){0};
	request->taken = request->done = false;
	sv_lock(core);
	struct sv_job *job = sv_index_find(sv_index(core), id);
	if (!job || !job->run.group || job->run.trouble.code || sv_search_threads(core)->stop) {
		sv_unlock(core);
		return false;
	}
	TAILQ_INSERT_TAIL(&job->run.picture_requests, request, link);
	while (!request->taken && !late && !job->run.trouble.code)
		late = !sv_lock_wait_until(core, &sv_search_threads(core)->picture_made, until_ns);
	if (!request->taken)
		TAILQ_REMOVE(&job->run.picture_requests, request, link); /* the run goes on, so the job exists */
	while (request->taken && !request->done)
		sv_lock_wait(core, &sv_search_threads(core)->picture_made);
	sv_unlock(core);
	return request->done && (request->fail.code || request->picture.count);
}

bool sv_picture_due(const struct sv_job *job)
{
	return !TAILQ_EMPTY(&job->run.picture_requests) && pd_now_ns() >= job->run.picture_due_ns;
}

/* Under the lock: the request belongs to the run from now on. */
static void take_request(struct sv_job *job, struct sv_picture_request *request)
{
	PD_ASSERT(!request->taken);
	request->taken = true;
	TAILQ_REMOVE(&job->run.picture_requests, request, link);
}

static bool is_same_order(const struct pn_picture_order *a, const struct pn_picture_order *b)
{
	return a->depth == b->depth && a->nodes == b->nodes && a->lines == b->lines && a->path_count == b->path_count &&
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

/* Under the lock: copies the picture for other requests with the same order. */
static void share_picture(struct sv_job *job, const struct sv_picture_request *made)
{
	struct sv_picture_request *request = TAILQ_FIRST(&job->run.picture_requests), *next;
	size_t bytes = made->picture.count * sizeof *made->picture.nodes;
	for (; request && !made->fail.code; request = next) {
		next = TAILQ_NEXT(request, link);
		struct pn_picture_node *nodes = is_same_order(&request->order, &made->order) ? malloc(bytes) : NULL;
		if (!nodes)
			continue;
		take_request(job, request);
		memcpy(nodes, made->picture.nodes, bytes);
		request->picture = made->picture;
		request->picture.nodes = nodes;
		request->names = copy_names(made->names);
		request->progress = made->progress;
		request->done = true;
	}
}

void sv_picture_take(struct sv_run *r)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	PD_ASSERT(!r->in_round);
	sv_lock(core);
	struct sv_picture_request *request = sv_picture_due(job) ? TAILQ_FIRST(&job->run.picture_requests) : NULL;
	if (request)
		take_request(job, request);
	sv_unlock(core);
	if (!request)
		return;
	uint64_t start = pd_now_ns(), cpu = pd_cpu_ns();
	pn_solver_picture(r->solver, &request->order, &request->picture, &request->fail);
	pn_solver_progress(r->solver, &request->progress);
	request->names = find_names(r, &request->picture);
	/* Waiting for a processor counts only if it holds up members of the group. */
	uint64_t now = pd_now_ns(), took = r->group.in ? now - start : pd_cpu_ns() - cpu;
	uint64_t pause = SV_PICTURE_SHARE * took;
	pause = pause < pause_ns_min ? pause_ns_min : pause > pause_ns_max ? pause_ns_max : pause;
	sv_lock(core);
	job->run.picture_due_ns = now + pause;
	share_picture(job, request);
	request->done = true;
	pthread_cond_broadcast(&sv_search_threads(core)->picture_made);
	sv_unlock(core);
}

void sv_picture_end(struct sv_core *core, struct sv_job *job)
{
	struct sv_picture_request *request;
	PD_ASSERT(sv_locked(core) && !job->run.group);
	while ((request = TAILQ_FIRST(&job->run.picture_requests)) != NULL) {
		take_request(job, request);
		request->done = true;
	}
	pthread_cond_broadcast(&sv_search_threads(core)->picture_made);
}
