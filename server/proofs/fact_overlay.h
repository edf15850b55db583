/* Recall: facts of one game, those of the store with those of leaves whose searches were run again.
 *
 * A leaf of the frontier says which bounded search proves it. What such a search finds is kept here, in memory, beside
 * what the store has: for lines of best play and for certificates. A search may lean on everything that is known but
 * the fact of its own root. */
#ifndef SV_FACT_OVERLAY_H
#define SV_FACT_OVERLAY_H

#include "proto/base/buf.h"
#include "solver/leaf_policy.h"
#include "solver/solver.h"
#include "store/store.h"

struct sv_overlay {
	struct st_reader *reader; /* borrowed */
	const struct game *game;  /* borrowed */
	uint32_t game_id;         /* in the store; 0: it has no facts of the game */
	uint64_t identity;        /* searches name positions with it: another one each time */
	struct pd_buf items;      /* facts that were regenerated */
	uint32_t *slots;          /* offsets of items, plus 1; 0: empty. Open addressing */
	size_t count, room;
	bool failed;        /* the map is full, or memory is: some facts were not kept */
	struct pd_fail why; /* the first fact of the store that could not be read or cannot be one; code 0: none */
	uint8_t hidden[GAME_KEY_MAX]; /* the position that is searched again: its own fact does not help */
	size_t hidden_size;
};

/* `bytes`: what regenerated facts may take. */
void sv_overlay_init(struct sv_overlay *overlay, struct st_reader *reader, const struct game *game, uint32_t game_id,
		     size_t bytes);
void sv_overlay_fini(struct sv_overlay *overlay);
/* Forgets what was regenerated. */
void sv_overlay_clear(struct sv_overlay *overlay);

/* False when nothing is known of the key, or when what is known cannot be read: `why` then says so. *out was made
 * before. */
bool sv_overlay_find(struct sv_overlay *overlay, const uint8_t *key, size_t size, struct pd_fact *out);

/* Runs the search that a reason of the position `state` names, of about `nodes` nodes, and keeps the facts of its
 * proof. The bound is then known with effort 0 and at most the reason's rank when *verdict is PN_PROVED (of a lower
 * bound) or PN_DISPROVED. */
int sv_overlay_regenerate(struct sv_overlay *overlay, const void *state, const struct pd_reason *reason, uint64_t nodes,
			  enum pn_verdict *verdict, struct pd_fail *fail);

#endif
