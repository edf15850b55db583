#include "server/api/read_queue.h"

#include <stdlib.h>

#include "server/api/fast_query.h"
#include "server/api/listing.h"
#include "server/api/query.h"
#include "server/api/service.h"
#include "server/api/session.h"
#include "server/common/core_state.h"
#include "server/common/loop.h"
#include "server/common/mutex.h"
#include "server/common/open_games.h"
#include "server/proofs/proof.h"
#include "store/store.h"

enum {
	QUERIES_MAX = 1000, /* errands that may wait at a desk; each client may have one there in any case */
	PROOFS_MAX = 16
};

static const struct {
	unsigned threads, count_max;
	bool single;
} read_queues[SV_READ_QUEUES] = {
	[SV_QUERIES] = {2, QUERIES_MAX, false},
	[SV_LINES] = {2, QUERIES_MAX, true},
	[SV_PROOFS] = {1, PROOFS_MAX, true},
};

/* --- coming ------------------------------------------------------------------------------- */

/* Under the lock. */
static bool has_one(const struct sv_read_queue *read_queue, uint64_t client)
{
	const struct sv_read_request *read_request;
	TAILQ_FOREACH(read_request, &read_queue->read_requests, link)
	if (read_request->client == client)
		return true;
	return false;
}

/* Under the lock: puts the errand behind those whose turn comes no later. */
static void line_up(struct sv_read_queue *read_queue, struct sv_read_request *read_request, struct sv_session *session)
{
	uint64_t last = session ? session->turns[read_queue->number] : 0;
	struct sv_read_request *before = TAILQ_LAST(&read_queue->read_requests, sv_read_requests);
	read_request->turn = (last > read_queue->turn ? last : read_queue->turn) + 1;
	if (session)
		session->turns[read_queue->number] = read_request->turn;
	while (before && before->turn > read_request->turn)
		before = TAILQ_PREV(before, sv_read_requests, link);
	if (before)
		TAILQ_INSERT_AFTER(&read_queue->read_requests, before, read_request, link);
	else
		TAILQ_INSERT_HEAD(&read_queue->read_requests, read_request, link);
	read_queue->count++;
	pthread_cond_signal(&read_queue->come);
}

int sv_read_request_send(struct sv_core *core, unsigned number, enum sv_completion_kind kind,
			 struct sv_inflight *pending, struct pr_call *call, struct pd_fail *fail)
{
	struct sv_read_queue *read_queue = &core->read_queues->queue[number];
	struct sv_session *session = pending->session;
	struct sv_read_request *read_request = calloc(1, sizeof *read_request);
	struct sv_call_completion *completion = calloc(1, sizeof *completion);
	if (!read_request || !completion) {
		free(read_request);
		free(completion);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the query");
	}
	*completion = (struct sv_call_completion){
		.base.deliver = sv_call_completion_deliver, .kind = kind, .pending = pending, .call = call};
	*read_request = (struct sv_read_request){.completion = completion, .client = session ? session->number : 0};
	sv_mutex_lock(&core->lock);
	bool taken = read_queue->count < read_queue->count_max || !has_one(read_queue, read_request->client);
	if (taken)
		line_up(read_queue, read_request, session);
	sv_mutex_unlock(&core->lock);
	if (taken)
		return PD_OK;
	free(read_request);
	free(completion);
	return pd_fail_set(fail, PD_E_BUSY, "", "too many such requests wait; try again");
}

void sv_read_request_free_exchange(struct sv_core *core, struct sv_read_request *read_request,
				   struct pr_exchange *exchange)
{
	if (!read_request || !exchange) {
		pr_exchange_free(exchange);
		free(read_request);
		return;
	}
	sv_mutex_lock(&core->lock);
	bool taken = core->read_queues->thread_count && !core->stop_readers;
	if (taken) {
		*read_request = (struct sv_read_request){.exchange = exchange};
		line_up(&core->read_queues->queue[SV_QUERIES], read_request, NULL);
	}
	sv_mutex_unlock(&core->lock);
	if (taken)
		return;
	pr_exchange_free(exchange);
	free(read_request);
}

void sv_read_queues_forget(struct sv_core *core, const struct sv_session *session)
{
	struct sv_read_request *read_request;
	sv_mutex_lock(&core->lock);
	for (unsigned i = 0; i < SV_READ_QUEUES; i++)
		TAILQ_FOREACH(read_request, &core->read_queues->queue[i].read_requests, link)
	read_request->gone |= read_request->client == session->number;
	sv_mutex_unlock(&core->lock);
}

/* --- served ------------------------------------------------------------------------------- */

/* The thread's reader, opened when it is first needed: while there is no memory for one, each errand that needs it is
 * answered so. */
static int need_reader(struct sv_core *core, struct st_reader **reader, struct pd_fail *fail)
{
	return *reader ? PD_OK : st_reader_open(core->store, reader, fail);
}

static int answer_fast(struct sv_core *core, struct st_reader **reader, struct sv_call_completion *completion)
{
	struct pr_fastpath query;
	int rc = need_reader(core, reader, &completion->fail);
	if (rc)
		return rc;
	pd_buf_init(&completion->json, SV_FAST_REPLY_MAX);
	return pr_fastpath_read(completion->pending->line, completion->pending->size, &query)
		       ? sv_query_fast(core, *reader, &query, &completion->json)
		       : PD_E_INTERNAL;
}

static int answer_call(struct sv_core *core, struct st_reader **reader, struct sv_call_completion *completion)
{
	pr_ref params = completion->call->params;
	int rc;
	pd_buf_init(&completion->json, PR_REPLY_MAX);
	switch (completion->call->method) {
	case PR_PROOF_EXPORT:
		return sv_proof_export(core, params, &completion->json, &completion->fail);
	case PR_PROOF_READ:
		return sv_proof_read(core, params, &completion->json, &completion->fail);
	case PR_JOB_HISTORY:
		return sv_job_history(core, params, &completion->json, &completion->fail);
	default:
		rc = need_reader(core, reader, &completion->fail);
		if (rc)
			return rc;
		return completion->call->method == PR_FACT_LINE
			       ? sv_query_line(core, *reader, params, &completion->json, &completion->fail)
			       : sv_query(core, *reader, params, &completion->json, &completion->fail);
	}
}

/* Does what the errand asks; its mail is then to be posted. `idle`: nobody wants it any more, or the server stops. */
static void carry_out(struct sv_core *core, struct st_reader **reader, struct sv_call_completion *completion, bool idle)
{
	struct sv_inflight *pending = completion->pending;
	int rc;
	if (idle)
		rc = pd_fail_set(&completion->fail, PD_E_SHUTDOWN, "", "the server is stopping");
	else if (completion->kind == SV_COMPLETION_FAST)
		rc = answer_fast(core, reader, completion);
	else if (completion->kind == SV_COMPLETION_REPLY)
		rc = answer_call(core, reader, completion);
	else if (completion->kind == SV_COMPLETION_OPENED)
		rc = sv_game_get(core, pr_get_str(completion->call->params, "game", ""), &completion->game,
				 &completion->fail);
	else
		rc = (completion->exchange = pr_exchange_new(pending->line, pending->size)) ? PD_OK : PD_E_NO_MEMORY;
	completion->fail.code = rc;
}

/* Under the lock: the errand whose turn it is; NULL when there is none for this thread. */
static struct sv_read_request *take(struct sv_read_queue *read_queue)
{
	struct sv_read_request *read_request;
	TAILQ_FOREACH(read_request, &read_queue->read_requests, link)
	{
		bool served = false;
		for (unsigned i = 0; read_queue->single && read_request->client && i < SV_READERS_MAX; i++)
			served |= read_queue->served[i] == read_request->client;
		if (!served)
			break;
	}
	if (!read_request)
		return NULL;
	TAILQ_REMOVE(&read_queue->read_requests, read_request, link);
	read_queue->count--;
	if (read_queue->turn < read_request->turn - 1)
		read_queue->turn = read_request->turn - 1;
	return read_request;
}

/* Under the lock, which is given up meanwhile. */
static void serve(struct sv_read_queue *read_queue, struct st_reader **reader, struct sv_read_request *read_request)
{
	struct sv_core *core = read_queue->core;
	struct sv_call_completion *completion = read_request->completion;
	bool idle = core->stop_readers || (read_request->gone && read_queue->number != SV_PROOFS);
	unsigned place = 0;
	while (place + 1 < SV_READERS_MAX && read_queue->served[place])
		place++;
	read_queue->served[place] = read_request->client;
	sv_mutex_unlock(&core->lock);
	if (completion)
		carry_out(core, reader, completion, idle);
	else
		pr_exchange_free(read_request->exchange);
	bool reading = completion && completion->kind == SV_COMPLETION_READ;
	if (reading)
		completion->read_request = read_request; /* frees the exchange one day */
	else
		free(read_request);
	sv_mutex_lock(&core->lock);
	read_queue->served[place] = 0;
	if (completion)
		sv_completion_post(core, &completion->base);
	if (read_queue->single && read_queue->count)
		pthread_cond_broadcast(&read_queue->come);
}

static void *reader_main(void *arg)
{
	struct sv_read_queue *read_queue = arg;
	struct sv_core *core = read_queue->core;
	struct st_reader *reader = NULL;
	sv_mutex_lock(&core->lock);
	for (;;) {
		struct sv_read_request *read_request = take(read_queue);
		if (read_request)
			serve(read_queue, &reader, read_request);
		else if (core->stop_readers && !read_queue->count)
			break;
		else
			sv_mutex_wait(&core->lock, &read_queue->come);
	}
	sv_mutex_unlock(&core->lock);
	if (reader)
		st_reader_close(reader);
	return NULL;
}

/* --- opening ------------------------------------------------------------------------------ */

void sv_read_queues_init(struct sv_core *core, const pthread_condattr_t *attr)
{
	for (unsigned i = 0; i < SV_READ_QUEUES; i++) {
		struct sv_read_queue *read_queue = &core->read_queues->queue[i];
		*read_queue = (struct sv_read_queue){.core = core,
						     .number = i,
						     .count_max = read_queues[i].count_max,
						     .single = read_queues[i].single};
		TAILQ_INIT(&read_queue->read_requests);
		pthread_cond_init(&read_queue->come, attr);
	}
}

void sv_read_queues_fini(struct sv_core *core)
{
	for (unsigned i = 0; i < SV_READ_QUEUES; i++)
		pthread_cond_destroy(&core->read_queues->queue[i].come);
}

bool sv_read_queues_start(struct sv_core *core)
{
	for (unsigned i = 0; i < SV_READ_QUEUES; i++)
		for (unsigned k = 0; k < read_queues[i].threads; k++) {
			if (pthread_create(&core->read_queues->threads[core->read_queues->thread_count], NULL,
					   reader_main, &core->read_queues->queue[i]))
				return false;
			core->read_queues->thread_count++;
		}
	return true;
}
