/* Fact buffer: the facts that a search has found and the host has not taken yet.
 *
 * A byte string of records, in the order found. It grows when a full proof is written out at once; a search asks
 * `fact_buffer_full` between two evaluations and lets the host take the facts when it is. */
#pragma once

#include "solver/question.h"
#include "solver/search.h"

struct fact_buffer {
	uint8_t *bytes; /* owned */
	size_t size, capacity;
	uint64_t count;             /* facts put in since the start, including those taken */
	bool failed;                /* out of memory: facts were lost, and the search must not go on */
	const struct pn_host *host; /* borrowed; notified of each fact. NULL: none */
};

enum { FACT_BUFFER_SOFT_LIMIT = 4 << 20 }; /* bytes from which on the host should take the facts */

void fact_buffer_init(struct fact_buffer *facts);
void fact_buffer_fini(struct fact_buffer *facts);
/* Records a reason for the position `state`; reason->move is in the state's own frame and is turned into the key's
 * here. */
void fact_buffer_put(struct fact_buffer *facts, const struct question *q, const void *state, struct pd_reason reason);
/* Calls `each` for every fact in the order found, and empties the buffer. */
void fact_buffer_take(struct fact_buffer *facts,
		      void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason),
		      void *ctx);

static inline bool fact_buffer_full(const struct fact_buffer *facts)
{
	return facts->size >= FACT_BUFFER_SOFT_LIMIT;
}
