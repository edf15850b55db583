/* Fact queue: blocks of facts on their way from one reading thread to the threads that verify them.
 *
 * A bounded queue: the reader waits while it is full, the verifying threads while it is empty. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/fact.h"
#include "proto/base/mutex.h"
#include "solver/games/game.h"

enum { SV_FACT_BLOCK = 256, SV_FACT_QUEUE_BLOCKS = 64 };

struct sv_queued_fact {
	uint32_t game; /* its number in the store */
	uint16_t size;
	uint8_t key[GAME_KEY_MAX];
	struct pd_fact fact;
};

struct sv_fact_block {
	unsigned count;
	struct sv_queued_fact item[SV_FACT_BLOCK];
};

struct sv_fact_queue {
	struct pd_mutex lock; /* guards what follows */
	pthread_cond_t ready, room;
	struct sv_fact_block *queue[SV_FACT_QUEUE_BLOCKS]; /* owned; a ring */
	unsigned head, queued;
	bool closed; /* no more blocks will come */
};

void sv_fact_queue_init(struct sv_fact_queue *queue);
/* The queue must be closed. Frees blocks that are left. */
void sv_fact_queue_fini(struct sv_fact_queue *queue);
/* Adds a block, which the queue then owns; waits while the queue is full. */
void sv_fact_queue_give(struct sv_fact_queue *queue, struct sv_fact_block *block);
/* Removes the oldest block; waits while the queue is empty. NULL when it is closed and empty. To be freed with
 * sv_fact_block_free. */
struct sv_fact_block *sv_fact_queue_take(struct sv_fact_queue *queue);
void sv_fact_queue_close(struct sv_fact_queue *queue);
/* Frees a block with its facts; NULL is allowed. */
void sv_fact_block_free(struct sv_fact_block *block);
