/* Injected facts: facts that come in while the search runs, about positions that it may have met already.
 *
 * A search asks its host for a fact when it meets a position for the first time. When more becomes known later about a
 * position that is open in its table or tree, the host injects it: the position is solved there as a fact at its
 * expansion would have solved it. Searches in a tree, which ask no host, look injected facts up when they expand. */
#pragma once

#include "solver/search.h"

/* What is known about one position. */
struct injected_fact {
	uint8_t key[GAME_KEY_MAX];
	size_t size;
	struct pd_fact fact; /* owned */
};

/* Owned by the solver; changed between steps only, when no thread searches. */
struct injected_facts {
	struct injected_fact *items; /* owned; in the order of their keys */
	size_t count, capacity;
	struct pn_host host; /* answers from them */
};

/* *facts must not move afterwards: its host points to it. */
void injected_init(struct injected_facts *facts);
void injected_fini(struct injected_facts *facts);
/* What is known about a position now, in place of what was known. NULL without memory. Borrowed until the next call. */
const struct injected_fact *injected_put(struct injected_facts *facts, const uint8_t *key, size_t size,
					 const struct pd_fact *fact);
