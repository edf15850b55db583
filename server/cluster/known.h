/* Known positions: what workers that are believed have solved, of one game, for the others that are believed.
 *
 * The latest ones, in a ring. They steer the workers' searches and never become facts. The cluster thread's alone. */
#pragma once

#include <stdint.h>

#include "proto/cluster/wire.h"
#include "solver/games/game.h"

enum { SC_KNOWN_MAX = 256 };

struct sc_known_item {
	uint64_t serial, worker; /* rising, from 1; who gave it */
	struct cw_solved solved; /* its key is the one below */
	uint8_t key[GAME_KEY_MAX];
};

struct sc_known {
	uint64_t last; /* serial of the latest; 0: there is none */
	struct sc_known_item item[SC_KNOWN_MAX];
};

/* The key is copied. */
void sc_known_add(struct sc_known *known, uint64_t worker, const struct cw_solved *solved);
/* Those behind serial number `after` that another worker gave, those of most effort if there are more than
 * CW_SOLVED_MAX; returns how many. Borrowed until the next one is added. */
unsigned sc_known_pick(const struct sc_known *known, uint64_t worker, uint64_t after,
		       const struct sc_known_item *out[CW_SOLVED_MAX]);
