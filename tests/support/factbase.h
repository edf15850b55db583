/* Fact base: the facts of a search in plain memory, and a check of each (F2, F3) that shares only the rules with the
 * search. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/fact.h"
#include "solver/games/game.h"
#include "solver/solver.h"

struct factbase_item {
	uint8_t key[GAME_KEY_MAX];
	uint16_t size;
	struct pd_fact fact;
};

struct factbase {
	struct factbase_item *items; /* owned; open addressing, count 0 is empty */
	size_t count, capacity;
	unsigned conflicts; /* reasons that contradicted a fact */
};

void factbase_init(struct factbase *base);
void factbase_fini(struct factbase *base);
/* Matches pn_solver_take_facts; ctx is the base. */
void factbase_add(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason);
/* Matches pn_host.fact. */
bool factbase_get(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out);

/* Checks every reason of every fact: one ply down where effort is 0, by a bounded search elsewhere. Returns the number
 * of bad reasons and prints the first few; *leaves counts those with effort. */
unsigned factbase_check(const struct factbase *base, const struct game *game, unsigned *leaves);

/* Runs a solver to its end, keeping its facts in base (may be NULL); returns the last state. */
enum pn_state solve_all(struct pn_solver *solver, uint64_t slice, struct factbase *base);
