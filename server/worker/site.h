/* Site: what one search thread of a worker keeps from task to task: leaf runners (solver/leaf_task.h), one for each
 * game and set of options that it met lately, WK_RUNNERS at most, which share the thread's memory evenly. */
#ifndef WK_SITE_H
#define WK_SITE_H

#include <stdint.h>

#include "proto/base/error.h"
#include "server/common/open_games.h"
#include "server/worker/known.h"
#include "server/worker/tasks.h"

enum { WK_RUNNERS = 4 };

struct wk_site_setup {
	struct wk_tasks *tasks;
	struct wk_known *known;
	struct sv_open_games *games; /* shared by all sites */
	uint64_t memory;             /* bytes for this one, at least WK_RUNNERS * PN_MEMORY_MIN */
	uint64_t identity;           /* key of the position hashes */
	int nice;
};

struct wk_site;

/* NULL: there is no memory. The setup is copied. */
struct wk_site *wk_site_new(const struct wk_site_setup *setup);
void wk_site_free(struct wk_site *site);
/* Searches a task, or refuses it, or leaves it when it is dropped. */
void wk_site_serve(struct wk_site *site, struct wk_task *task);
/* The main function of a search thread: serves tasks until there are none for it any more. `site`: a wk_site. */
void *wk_site_main(void *site);

#endif
