/* Games: those of the desks that are open, and of what the judge searches. Each is opened once, and has what the
 * cluster knows of its tasks: how long they take, how large they should be, what is solved. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/base/error.h"
#include "proto/base/mutex.h"
#include "server/cluster/cluster_types.h"
#include "server/cluster/known.h"

struct sc_game {
	struct game *game;          /* the host's, until the last user gives it back */
	uint64_t rules;             /* game_version */
	uint32_t number;            /* from 1, never given twice */
	unsigned users;             /* under the lock of the games */
	LIST_ENTRY(sc_game) link;   /* likewise */
	atomic_uint_fast64_t grain; /* nodes */
	/* The cluster thread's: */
	struct sc_known known;
	unsigned threads;        /* of workers that are there and can do it */
	uint64_t looked_ns;      /* when its grain was looked at */
	double trip_ns, node_ns; /* of tasks lately: from sending to result; the same for each node of the budget */
	uint64_t tasks, task_ns, trips_ns; /* results since the last look at the grain; their time */
};

struct sc_games {
	struct pd_mutex lock;
	const struct sv_cluster_host *host; /* borrowed */
	LIST_HEAD(, sc_game) list;
	uint32_t last;
};

void sc_games_init(struct sc_games *games, const struct sv_cluster_host *host);
/* None is in use. */
void sc_games_fini(struct sc_games *games);
/* Opens a game, or shares it; any thread. PD_E_GAME when it has other rules by now, PD_E_NO_MEMORY, and what the host
 * says. */
int sc_games_get(struct sc_games *games, const char *name, uint64_t rules, struct sc_game **out, struct pd_fail *fail);
/* Once more, of a game that the caller has. */
void sc_games_share(struct sc_games *games, struct sc_game *game);
void sc_games_put(struct sc_games *games, struct sc_game *game);
