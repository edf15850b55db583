/* Leaf cache: what one search thread of a worker keeps between tasks: at most WK_RUNNERS leaf runners
 * (solver/leaf_task.h), one for each game and set of options used lately. They share the thread's memory evenly. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/mutex.h"
#include "server/common/open_games.h"
#include "server/worker/tasks.h"

/* Known: the latest WK_KNOWN_MAX solved positions from the coordinator, for the search threads. They are believed: the
 * caller of wk_known_add is responsible for their truth. */
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

enum { WK_RUNNERS = 4 };

struct wk_leaf_cache_setup {
	struct wk_tasks *tasks;
	struct wk_known *known;
	struct sv_open_games *games; /* shared by all caches */
	uint64_t memory;             /* bytes for this one, at least WK_RUNNERS * PN_MEMORY_MIN */
	uint64_t identity;           /* key of the position hashes */
	int nice;
};

struct wk_leaf_cache;

/* NULL: no memory. The setup is copied. */
struct wk_leaf_cache *wk_leaf_cache_new(const struct wk_leaf_cache_setup *setup);
void wk_leaf_cache_free(struct wk_leaf_cache *cache);
/* The main function of a search thread: serves tasks until wk_tasks_end. `cache`: a wk_leaf_cache. */
void *wk_leaf_cache_main(void *cache);
