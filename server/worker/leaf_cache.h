/* Leaf cache: what one search thread of a worker keeps between tasks: at most WK_RUNNERS leaf runners
 * (solver/leaf_task.h), one for each game and set of options used lately. They share the thread's memory evenly. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"
#include "server/common/open_games.h"
#include "server/worker/known.h"
#include "server/worker/tasks.h"

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
