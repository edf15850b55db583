/* Found: the facts that a search has found and nobody has taken yet.
 *
 * A byte string of records, in the order found. It grows when a full proof is written out at once; a search asks `found_full` between
 * two evaluations and lets the host take the facts when it is. */
#ifndef PN_FOUND_H
#define PN_FOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/fact.h"
#include "solver/question.h"

struct found {
	uint8_t *bytes;    /* owned */
	size_t size, capacity;
	uint64_t count;    /* facts put in since the start, taken ones included */
	bool failed;       /* memory could not be had: facts were lost, the search must not go on */
};

enum { FOUND_SOFT_LIMIT = 4 << 20 }; /* bytes from which the host should take */

void found_init(struct found *found);
void found_fini(struct found *found);
/* Records a reason for the position `state`; reason->move is in the state's own frame and is turned into the key's here. */
void found_put(struct found *found, const struct question *q, const void *state, struct pd_reason reason);
void found_take(struct found *found, void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason),
		void *ctx);

static inline bool found_full(const struct found *found)
{
	return found->size >= FOUND_SOFT_LIMIT;
}

#endif
