/* Known: solved positions that the coordinator has told, the latest WK_KNOWN_MAX of them, for the search threads. They
 * are as true as the coordinator is trusted; who adds one answers for that. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/mutex.h"
#include "proto/cluster/wire.h"
#include "solver/games/game.h"
#include "solver/leaf_task.h"

enum { WK_KNOWN_MAX = 2048 };

struct wk_known_position {
	char game[GAME_NAME_MAX];
	uint64_t rules;
	struct pn_leaf_solved solved;
};

struct wk_known {
	struct pd_mutex lock;
	uint64_t count;                 /* told so far; the one of number n, from 0, stands at n % WK_KNOWN_MAX */
	struct wk_known_position *ring; /* owned; WK_KNOWN_MAX */
};

/* False: no memory; wk_known_fini is due all the same. */
bool wk_known_init(struct wk_known *known);
void wk_known_fini(struct wk_known *known);
/* One whose name or key is too long, or that no search can have found, is passed over. */
void wk_known_add(struct wk_known *known, const struct cw_text *game, uint64_t rules, const struct cw_solved *solved);
/* The next one of that game from number *at on. False: no more; *at goes on either way. */
bool wk_known_next(struct wk_known *known, const char *game, uint64_t rules, uint64_t *at, struct pn_leaf_solved *out);
