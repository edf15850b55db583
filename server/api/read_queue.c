#include "server/api/read_queue.h"

#include "proto/base/assert.h"
#include "proto/doc.h"
#include "server/common/core_parts.h"
#include "server/common/core_state.h"
#include "store/store.h"

enum { QUERIES_MAX = 1000, PROOFS_MAX = 16, CHECKS_MAX = 16 };

static const struct {
	unsigned threads, count_max;
	bool single;
} settings[SV_READ_QUEUES] = {
	[SV_QUERIES] = {2, QUERIES_MAX, false}, [SV_LINES] = {2, QUERIES_MAX, true},
	[SV_PROOFS] = {1, PROOFS_MAX, true},    [SV_TREES] = {2, QUERIES_MAX, true},
	[SV_CHECKS] = {1, CHECKS_MAX, true},
};

/* Under the lock. */
static bool has_request_of(const struct sv_read_queue *queue, uint64_t client)
{
	const struct sv_read_request *request;
	TAILQ_FOREACH(request, &queue->requests, link)
		if (request->client == client)
			return true;
	return false;
}

/* Under the lock: inserts the request behind those whose turn comes no later. */
static void insert_request(struct sv_read_queue *queue, struct sv_read_request *request, struct sv_read_client *client)
{
	uint64_t last = client ? client->turns[queue->number] : 0;
	struct sv_read_request *before = TAILQ_LAST(&queue->requests, sv_read_requests);
	PD_ASSERT(sv_locked(queue->core) && request->run);
	request->turn = (last > queue->turn ? last : queue->turn) + 1;
	if (client)
		client->turns[queue->number] = request->turn;
	while (before && before->turn > request->turn)
		before = TAILQ_PREV(before, sv_read_requests, link);
	if (before)
		TAILQ_INSERT_AFTER(&queue->requests, before, request, link);
	else
		TAILQ_INSERT_HEAD(&queue->requests, request, link);
	queue->count++;
	pthread_cond_signal(&queue->come);
}

int sv_read_request_send(struct sv_core *core, unsigned number, struct sv_read_client *client,
			 struct sv_read_request *request, struct pd_fail *fail)
{
	PD_ASSERT(number < SV_READ_QUEUES);
	PD_ASSERT(request->base.deliver && request->run);
	struct sv_read_queue *queue = &core->read_queues->queue[number];
	request->client = client ? client->number : 0;
	request->gone = request->cancelled = false;
	sv_lock(core);
	request->suspended = client && client->suspended;
	bool taken = queue->count < queue->count_max || !has_request_of(queue, request->client);
	if (taken)
		insert_request(queue, request, client);
	sv_unlock(core);
	return taken ? PD_OK : pd_fail_set(fail, PD_E_BUSY, "", "too many such requests wait; try again");
}

void sv_read_request_free(struct sv_core *core, struct sv_read_request *request, sv_read_run *run)
{
	*request = (struct sv_read_request){.run = run};
	sv_lock(core);
	bool taken = core->read_queues->thread_count && !core->closing;
	if (taken)
		insert_request(&core->read_queues->queue[SV_QUERIES], request, NULL);
	sv_unlock(core);
	if (!taken)
		run(core, NULL, request, true);
}

void sv_read_queues_suspend(struct sv_core *core, struct sv_read_client *client, bool suspended)
{
	struct sv_read_request *request;
	PD_ASSERT(client->number);
	sv_lock(core);
	client->suspended = suspended;
	for (unsigned i = 0; i < SV_READ_QUEUES; i++) {
		struct sv_read_queue *queue = &core->read_queues->queue[i];
		TAILQ_FOREACH(request, &queue->requests, link)
			if (request->client == client->number)
				request->suspended = suspended;
		if (!suspended && queue->count)
			pthread_cond_broadcast(&queue->come);
	}
	sv_unlock(core);
}

void sv_read_queues_forget(struct sv_core *core, const struct sv_read_client *client)
{
	struct sv_read_request *request;
	PD_ASSERT(client->number);
	sv_lock(core);
	for (unsigned i = 0; i < SV_READ_QUEUES; i++) {
		struct sv_read_queue *queue = &core->read_queues->queue[i];
		TAILQ_FOREACH(request, &queue->requests, link)
			request->gone |= request->client == client->number;
		if (client->suspended && queue->count)
			pthread_cond_broadcast(&queue->come);
		for (unsigned k = 0; k < SV_READERS_MAX; k++)
			if (queue->serving[k] && queue->serving[k]->client == client->number)
				queue->serving[k]->gone = true;
	}
	sv_unlock(core);
}

unsigned sv_read_queues_cancel(struct sv_core *core, const struct sv_read_client *client)
{
	static const unsigned numbers[] = {SV_PROOFS, SV_CHECKS};
	struct sv_read_request *request;
	unsigned count = 0;
	PD_ASSERT(client->number);
	sv_lock(core);
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct sv_read_queue *queue = &core->read_queues->queue[numbers[i]];
		for (unsigned k = 0; k < SV_READERS_MAX; k++)
			if (queue->serving[k] && queue->serving[k]->client == client->number) {
				queue->serving[k]->cancelled = true;
				count++;
			}
		TAILQ_FOREACH(request, &queue->requests, link)
			if (request->client == client->number) {
				request->cancelled = true;
				count++;
			}
	}
	sv_unlock(core);
	return count;
}

bool sv_read_request_cancelled(struct sv_core *core, const struct sv_read_request *request)
{
	sv_lock(core);
	bool cancelled = request->cancelled;
	sv_unlock(core);
	return cancelled;
}

bool sv_read_request_wanted(struct sv_core *core, const struct sv_read_request *request)
{
	sv_lock(core);
	bool wanted = !request->gone && !request->cancelled && !core->closing;
	sv_unlock(core);
	return wanted;
}

bool sv_read_request_awaited(struct sv_core *core, unsigned number, const struct sv_read_request *request)
{
	const struct sv_read_request *other;
	PD_ASSERT(number < SV_READ_QUEUES && request->params);
	sv_lock(core);
	TAILQ_FOREACH(other, &core->read_queues->queue[number].requests, link)
		if (!other->gone && !other->cancelled && pr_equal(other->params, request->params))
			break;
	sv_unlock(core);
	return other != NULL;
}

unsigned sv_read_queue_waiting(struct sv_core *core, unsigned number)
{
	PD_ASSERT(number < SV_READ_QUEUES);
	sv_lock(core);
	unsigned count = core->read_queues->queue[number].count;
	sv_unlock(core);
	return count;
}

/* Under the lock: whether a thread serves the client. */
static bool is_served(const struct sv_read_queue *queue, uint64_t client)
{
	for (unsigned i = 0; i < SV_READERS_MAX; i++)
		if (queue->served[i] == client)
			return true;
	return false;
}

/* Under the lock: whether a free thread may serve it. */
static bool may_serve(const struct sv_read_queue *queue, const struct sv_read_request *request)
{
	if (queue->single && request->client && is_served(queue, request->client))
		return false;
	return !request->suspended || request->gone || queue->number == SV_PROOFS || queue->core->closing;
}

/* Under the lock: the request whose turn it is; NULL when there is none for this thread. */
static struct sv_read_request *take_request(struct sv_read_queue *queue)
{
	struct sv_read_request *request;
	TAILQ_FOREACH(request, &queue->requests, link)
		if (may_serve(queue, request))
			break;
	if (!request)
		return NULL;
	PD_ASSERT(queue->count);
	TAILQ_REMOVE(&queue->requests, request, link);
	queue->count--;
	if (queue->turn < request->turn - 1)
		queue->turn = request->turn - 1;
	return request;
}

/* Under the lock, which is released meanwhile. */
static void serve_request(struct sv_read_queue *queue, struct st_reader **reader, struct sv_read_request *request)
{
	struct sv_core *core = queue->core;
	bool cancelled = core->closing || (request->gone && queue->number != SV_PROOFS);
	bool deliver = request->base.deliver; /* otherwise `run` frees the request */
	unsigned place = 0;
	while (place + 1 < SV_READERS_MAX && queue->served[place])
		place++;
	queue->served[place] = request->client;
	queue->serving[place] = deliver ? request : NULL;
	sv_unlock(core);
	request->run(core, reader, request, cancelled);
	sv_lock(core);
	queue->served[place] = 0;
	queue->serving[place] = NULL;
	if (deliver)
		sv_completion_post(core, &request->base);
	if (queue->single && queue->count)
		pthread_cond_broadcast(&queue->come);
}

static void *reader_main(void *arg)
{
	struct sv_read_queue *queue = arg;
	struct sv_core *core = queue->core;
	struct st_reader *reader = NULL;
	sv_lock(core);
	for (;;) {
		struct sv_read_request *request = take_request(queue);
		if (request)
			serve_request(queue, &reader, request);
		else if (core->closing && !queue->count)
			break;
		else
			sv_lock_wait(core, &queue->come);
	}
	sv_unlock(core);
	if (reader)
		st_reader_close(reader);
	return NULL;
}

void sv_read_queues_init(struct sv_core *core)
{
	for (unsigned i = 0; i < SV_READ_QUEUES; i++) {
		struct sv_read_queue *queue = &core->read_queues->queue[i];
		PD_ASSERT(settings[i].threads && settings[i].threads <= SV_READERS_MAX);
		*queue = (struct sv_read_queue){
			.core = core, .number = i, .count_max = settings[i].count_max, .single = settings[i].single};
		TAILQ_INIT(&queue->requests);
		pd_cond_init(&queue->come);
	}
}

void sv_read_queues_fini(struct sv_core *core)
{
	for (unsigned i = 0; i < SV_READ_QUEUES; i++) {
		PD_ASSERT(!core->read_queues->queue[i].count);
		pthread_cond_destroy(&core->read_queues->queue[i].come);
	}
}

bool sv_read_queues_start(struct sv_core *core)
{
	struct sv_read_queues *all = core->read_queues;
	for (unsigned i = 0; i < SV_READ_QUEUES; i++)
		for (unsigned k = 0; k < settings[i].threads; k++) {
			if (pthread_create(&all->threads[all->thread_count], NULL, reader_main, &all->queue[i]))
				return false;
			all->thread_count++;
		}
	return true;
}
