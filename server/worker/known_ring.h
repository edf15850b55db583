/* Known: the latest WK_KNOWN_MAX solved positions from the coordinator, for the search threads. They are believed: the
 * caller of wk_known_add is responsible for their truth. */
#pragma once

#include "proto/base/mutex.h"
#include "proto/cluster/wire.h"
#include "solver/games/game.h"
#include "solver/leaf.h"

enum { WK_KNOWN_MAX = 2048 };

struct wk_known_position {
	char game[GAME_NAME_MAX];
	uint64_t rules;
	struct pn_leaf_solved solved;
};

struct wk_known {
	struct pd_mutex lock;
	uint64_t count;                 /* added so far; number n, from 0, is at n % WK_KNOWN_MAX */
	struct wk_known_position *ring; /* owned; WK_KNOWN_MAX */
};

/* False: no memory; wk_known_fini must be called in any case. */
bool wk_known_init(struct wk_known *known);
void wk_known_fini(struct wk_known *known);
/* Ignores a position with a name or key that is too long, or that no search can have found. */
void wk_known_add(struct wk_known *known, const struct cw_text *game, uint64_t rules, const struct cw_solved *solved);
/* The next position of that game from number *at on, which advances. False: there is no other. */
bool wk_known_next(struct wk_known *known, const char *game, uint64_t rules, uint64_t *at, struct pn_leaf_solved *out);
