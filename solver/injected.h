/* Injected facts: facts that arrive while the search runs, about positions that it may have visited already.
 *
 * A search asks its host for a fact when it visits a position for the first time. When more becomes known later about a
 * position that is open in its table or tree, the host injects the fact. The position is then solved there, just as a
 * fact known at its expansion would have solved it. Searches in a tree, which do not ask the host, look up injected
 * facts when they expand a node. */
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
/* Replaces what is known about a position. Returns the new item, borrowed until the next call; NULL when memory runs
 * out. */
const struct injected_fact *injected_put(struct injected_facts *facts, const uint8_t *key, size_t size,
					 const struct pd_fact *fact);
