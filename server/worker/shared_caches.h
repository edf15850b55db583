/* Shared caches: the solved positions that all search threads of a worker share, one cache for each game, rules and
 * options used lately. What one thread solves, the others need not search again: on machines of many threads this is
 * what decides the number of nodes.
 *
 * At most WK_CACHES exist, each of a fixed share of the worker's memory. A thread holds the cache of the task that it
 * searches; the least recently used one that nobody holds makes room for another. */
#pragma once

#include "proto/base/mutex.h"
#include "server/common/open_games.h"
#include "server/worker/tasks.h"

enum { WK_CACHES = 4 };

struct wk_shared_cache {
	struct pn_leaf_cache *solved; /* owned; NULL: this place is free */
	const struct game *game;      /* held as long as `solved` exists */
	char name[GAME_NAME_MAX];     /* as tasks name it */
	uint64_t rules;
	uint32_t options; /* CW_WEAK ... */
	uint64_t number;  /* of this cache, from 1; another cache in the same place has another number */
	uint64_t used;    /* value of `served` when it was last held */
	unsigned holders;
	bool stale; /* no task gets it any more */
};

struct wk_shared_caches {
	struct pd_mutex lock; /* guards the places; taken before that of the open games */
	pthread_cond_t released;
	struct wk_shared_cache place[WK_CACHES];
	uint64_t served, numbers;
	struct sv_open_games *games;
	uint64_t memory;   /* bytes of each cache */
	uint64_t identity; /* key of the position hashes */
};

void wk_caches_init(struct wk_shared_caches *caches);
/* Nobody may hold a cache. */
void wk_caches_fini(struct wk_shared_caches *caches);

/* The cache for a task; waits while other threads hold all places. To be released with wk_caches_release. NULL: the
 * task was refused (wk_task_refuse). */
struct wk_shared_cache *wk_caches_hold(struct wk_shared_caches *caches, struct wk_task *task);
void wk_caches_release(struct wk_shared_caches *caches, struct wk_shared_cache *cache);
/* Adds positions to the caches of their game. The caller is responsible for their truth; those that no search can have
 * found are ignored. */
void wk_caches_learn(struct wk_shared_caches *caches, const struct cw_known *known);
/* Empties all caches. Threads that hold one keep it until they release it. */
void wk_caches_forget(struct wk_shared_caches *caches);
