/* Retraction marks: the set of reasons that are treated as absent.
 *
 * A reason is named by 128 bits of game, key and contents under a secret key (proto/base/identity.h). A collision would
 * retract one reason too many, never one too few. The set is an open-addressing hash table that only grows. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/fact.h"
#include "proto/base/identity.h"

struct sv_marks {
	struct pd_identity identity;
	struct pd_id *slot; /* owned; {0, 0} is free */
	uint64_t capacity;  /* 0 or a power of two */
	uint64_t count;     /* at most half of it */
};

/* Begins an empty set with a key of its own. */
void sv_marks_init(struct sv_marks *marks);
void sv_marks_fini(struct sv_marks *marks);

/* The name of a reason of that position. Any thread. */
struct pd_id sv_mark_of(const struct sv_marks *marks, uint32_t game, const uint8_t *key, size_t size,
			const struct pd_reason *reason);
/* True when the reason of that name is in the set. Any thread, as long as none adds. */
bool sv_marked(const struct sv_marks *marks, struct pd_id name);
/* Adds a name; false without memory. */
bool sv_mark(struct sv_marks *marks, struct pd_id name);
