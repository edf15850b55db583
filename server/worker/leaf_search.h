/* Leaf search: one search thread of a worker. It takes tasks and searches them with a shared cache (shared_caches.h)
 * and a leaf runner of its own (solver/leaf_task.h) for each of those caches. */
#pragma once

#include <stdint.h>

#include "server/worker/shared_caches.h"

enum {
	/* An arena has 16 bytes a node; a runner takes tasks of at most its memory divided by this many nodes. */
	WK_BYTES_A_NODE = 24
};

struct wk_leaf_search_setup {
	struct wk_tasks *tasks;
	struct wk_shared_caches *caches; /* borrowed */
	uint64_t memory;                 /* bytes for each of its WK_CACHES arenas, at least PN_MEMORY_MIN */
	int nice;
	void (*send)(void *ctx); /* sends the results of all done tasks */
	void *ctx;
};

struct wk_leaf_search;

/* NULL: no memory. The setup is copied. */
struct wk_leaf_search *wk_leaf_search_new(const struct wk_leaf_search_setup *setup);
void wk_leaf_search_free(struct wk_leaf_search *search);
/* The main function of a search thread: serves tasks until wk_tasks_end. `search`: a wk_leaf_search. */
void *wk_leaf_search_main(void *search);
