/* Dominance: what is proved of a position holds of every position with the same board part that dominates it
 * (game_rules.h, `dominates`). GHI.md says why that may be a fact, ranked or not.
 *
 * The table keeps solved positions by board part: hash of the board part -> a bucket of order parts with their bounds,
 * of which none follows from another. It forgets like a cache. Order parts are exact; board parts are named by 128 bits
 * (F5). Search threads of one search share it; a bucket is locked while it is read or written. Only games with
 * dominance have a table. */
#pragma once

#include <stdatomic.h>

#include "solver/question.h"
#include "solver/spin.h"

enum { DOMINANCE_ENTRIES = 8 /* a bucket */ };

struct dominance_entry {
	struct pd_id board; /* {0, 0}: free */
	uint64_t order;     /* order part, its first byte lowest */
	int16_t bound;
	uint16_t rank, move; /* the move in the key's frame, or PD_NO_MOVE */
	uint8_t side;        /* enum pd_side */
	bool fact;           /* the bound is a fact, not only solved here */
	uint32_t effort;     /* nodes of the search that found it, saturating */
};

struct dominance_bucket {
	atomic_flag lock;
	uint32_t next; /* the entry to be replaced next */
	struct dominance_entry entry[DOMINANCE_ENTRIES];
};

struct dominance {
	const struct game *game;
	struct dominance_bucket *buckets; /* owned */
	uint64_t count;
	_Atomic uint64_t asks, hits;
};

/* --- keys --------------------------------------------------------------------------------- */

/* A key by its parts. */
struct dominance_place {
	struct pd_id board; /* of the board part; never {0, 0} */
	uint64_t order;     /* the order part, its first byte lowest */
};

/* Of a key, and of the key of a state; the game has dominance. */
struct dominance_place dominance_place_of(const struct question *q, const uint8_t *key, size_t size);
static inline struct dominance_place dominance_place(const struct question *q, const void *state)
{
	uint8_t key[GAME_KEY_MAX];
	return dominance_place_of(q, key, q->game->rules->key(q->game, state, key));
}

/* Whether a position with the order part `a` dominates one with `b`, another one with the same board part, for the side
 * and the bound that it may get. */
bool dominance_holds(const struct game *game, uint64_t a, uint64_t b, int bound, enum pd_side side);

static inline bool pn_has_dominance(const struct game *game)
{
	return game->rules->dominates && game->rules->order_part(game);
}

/* Writes the key of the position that the reason of a fact is said to dominate. False when no such reason can be: the
 * game has no dominance, or the position with that key does not dominate the other one, or is the same. */
bool pn_dominated_key(const struct game *game, const uint8_t *key, size_t size, const struct pd_reason *reason,
		      uint8_t out[GAME_KEY_MAX]);

/* --- the table ---------------------------------------------------------------------------- */

/* NULL when memory runs out. The game has dominance and outlives the table. */
struct dominance *dominance_new(const struct game *game, uint64_t bytes);
/* NULL is fine. */
void dominance_free(struct dominance *table);
/* Adds a solved position with that key; `fact`: its bound is a fact. The reason's move is in the key's frame. */
void dominance_put(struct dominance *table, const struct question *q, const void *state, const struct pd_reason *reason,
		   uint64_t effort, bool fact);
/* Looks for a position that the one at `place` dominates and that answers the claim; copies its entry. `facts`: only
 * facts count. */
bool dominance_get(struct dominance *table, const struct question *q, const struct dominance_place *place, bool facts,
		   struct dominance_entry *out);
/* The reason that an entry gives for `state`, its move in the state's own frame: by dominance if the entry is a fact,
 * else with its effort. */
struct pd_reason dominance_reason(const struct question *q, const void *state, const struct dominance_entry *entry);
