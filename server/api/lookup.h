/* Look-up: the facts of a core's store, for solver/known.h. */
#pragma once

#include "solver/known.h"

struct st_reader;
struct sv_core;

enum {
	SV_LOOP_LOOKUPS = 64,       /* limit for one request on the loop thread; a reader thread makes more (V3) */
	SV_READER_LOOKUPS = INT_MAX /* no limit */
};

struct sv_lookup {
	struct pn_lookup base;
	struct st_reader *reader;
	uint32_t game_id; /* in the store; 0: it has no facts of the game */
};

/* For a request that this reader serves. Leaves `base.unique` alone. */
void sv_lookup_init(struct sv_lookup *lookup, const struct sv_core *core, struct st_reader *reader);
/* Sets the game of the next look-ups. */
void sv_lookup_game(struct sv_lookup *lookup, const struct sv_core *core, const struct game *game);
