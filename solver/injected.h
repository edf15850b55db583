/* Told: positions of which the host has said that facts have come in while the search runs, with those facts.
 *
 * A search asks for a fact when it meets a position for the first time. What becomes known later, of a position that is
 * open in its table or tree, the host tells (pn_solver_tell); then the position is solved there as a fact at its
 * expansion would have solved it. Searches in a tree, which ask no host, look positions up here when they expand. */
#ifndef PN_TOLD_H
#define PN_TOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "solver/game.h"
#include "solver/search.h"

struct told_item {
	uint8_t key[GAME_KEY_MAX];
	size_t size;
	struct pd_fact fact; /* owned */
};

struct told {
	struct told_item *items; /* owned; in the order of their keys */
	size_t count, capacity;
	struct pn_host host; /* answers from them */
};

/* *told must not move afterwards: its host points to it. */
void told_init(struct told *told);
void told_fini(struct told *told);
/* What is known of a position now, instead of what was known. NULL without memory. Borrowed until the next call. */
const struct told_item *told_put(struct told *told, const uint8_t *key, size_t size, const struct pd_fact *fact);

#endif
