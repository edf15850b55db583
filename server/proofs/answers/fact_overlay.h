/* Fact overlay: the facts of one game in the store, plus regenerated facts in memory.
 *
 * A leaf names the bounded search that proves it. sv_overlay_regenerate runs that search and keeps the facts of its
 * proof in memory, on top of those of the store, for lines of best play and for certificates. The search may use all
 * known facts except that of its own root. One thread at a time. */
#pragma once

#include "proto/base/buf.h"
#include "solver/bounded.h"
#include "solver/solver.h"
#include "store/store.h"

struct sv_overlay {
	struct st_reader *reader;       /* borrowed */
	const struct game *game;        /* borrowed */
	uint32_t game_id;               /* in the store; 0: the store has no facts of the game */
	struct pn_bounded_room *memory; /* owned; of the searches; NULL before the first */
	uint64_t identity;              /* key of the searches' position identities, drawn at random */
	struct pd_buf items;            /* regenerated facts */
	uint32_t *slots;                /* owned; offsets of items plus 1; 0: empty. Open addressing */
	size_t count, room;
	bool failed;                  /* the limit or memory was reached: some facts were not kept */
	struct pd_fail why;           /* the first fact that could not be read or is malformed; code 0: none */
	uint8_t hidden[GAME_KEY_MAX]; /* key of the position that is searched; its own fact is not used */
	size_t hidden_size;
};

/* `bytes`: limit of the regenerated facts, at most 4 GiB - 1. */
void sv_overlay_init(struct sv_overlay *overlay, struct st_reader *reader, const struct game *game, uint32_t game_id,
		     size_t bytes);
void sv_overlay_fini(struct sv_overlay *overlay);
/* Drops the regenerated facts. */
void sv_overlay_clear(struct sv_overlay *overlay);

/* Reads all reasons of a key into *out, which the caller has initialized. False when nothing is known, or when the fact
 * cannot be read (then `why` is set). */
bool sv_overlay_find(struct sv_overlay *overlay, const uint8_t *key, size_t size, struct pd_fact *out);

/* Keeps a fact of a leaf's proof, as sv_overlay_regenerate does (pn_fact_sink). `overlay`: the overlay. */
void sv_overlay_keep(void *overlay, const uint8_t *key, size_t size, const struct pd_reason *reason);
/* Repeats the search of a leaf at the position `state` and keeps the facts of its proof. If *verdict confirms the leaf
 * (pn_leaf_confirmed), its bound is then known with effort 0 and at most the leaf's rank. */
int sv_overlay_regenerate(struct sv_overlay *overlay, const void *state, const struct pd_reason *leaf,
			  const struct pn_leaf_policy *policy, enum pn_verdict *verdict, struct pd_fail *fail);
