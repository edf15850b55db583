#include "server/proofs/maintenance/fact_queue.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/mutex.h"

void sv_fact_queue_init(struct sv_fact_queue *q)
{
	*q = (struct sv_fact_queue){0};
	pd_mutex_init(&q->lock, PD_LOCK_FACT_QUEUE);
	pthread_cond_init(&q->ready, NULL);
	pthread_cond_init(&q->room, NULL);
}

void sv_fact_queue_fini(struct sv_fact_queue *q)
{
	PD_ASSERT(q->closed);
	while (q->queued) { /* blocks that no thread was there to take */
		sv_fact_block_free(q->queue[q->head]);
		q->head = (q->head + 1) % SV_FACT_QUEUE_BLOCKS;
		q->queued--;
	}
	pthread_cond_destroy(&q->room);
	pthread_cond_destroy(&q->ready);
	pd_mutex_fini(&q->lock);
}

void sv_fact_queue_give(struct sv_fact_queue *q, struct sv_fact_block *block)
{
	PD_ASSERT(block->count >= 1 && block->count <= SV_FACT_BLOCK);
	pd_mutex_lock(&q->lock);
	PD_ASSERT(!q->closed);
	while (q->queued == SV_FACT_QUEUE_BLOCKS)
		pd_mutex_wait(&q->lock, &q->room);
	q->queue[(q->head + q->queued++) % SV_FACT_QUEUE_BLOCKS] = block;
	pthread_cond_signal(&q->ready);
	pd_mutex_unlock(&q->lock);
}

struct sv_fact_block *sv_fact_queue_take(struct sv_fact_queue *q)
{
	struct sv_fact_block *block = NULL;
	pd_mutex_lock(&q->lock);
	while (!q->queued && !q->closed)
		pd_mutex_wait(&q->lock, &q->ready);
	PD_ASSERT(q->head < SV_FACT_QUEUE_BLOCKS && q->queued <= SV_FACT_QUEUE_BLOCKS);
	if (q->queued) {
		block = q->queue[q->head];
		q->head = (q->head + 1) % SV_FACT_QUEUE_BLOCKS;
		q->queued--;
		pthread_cond_signal(&q->room);
	}
	pd_mutex_unlock(&q->lock);
	return block;
}

void sv_fact_queue_close(struct sv_fact_queue *q)
{
	pd_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_broadcast(&q->ready);
	pd_mutex_unlock(&q->lock);
}

void sv_fact_block_free(struct sv_fact_block *block)
{
	for (unsigned i = 0; block && i < block->count; i++)
		pd_fact_fini(&block->item[i].fact);
	free(block);
}
