/* Games of the open desks and of the judge's cases. Each is opened once, and holds what the cluster knows of its tasks:
 * how long they take, how large they should be. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/base/error.h"
#include "proto/base/mutex.h"
#include "proto/cluster/wire.h"
#include "server/cluster/cluster_types.h"
#include "solver/games/game.h"

struct sc_game {
	struct game *game; /* the host's, until the last user releases it */
	uint64_t rules;    /* game_version */
	uint32_t number;   /* from 1, never reused */
	unsigned users;    /* under the lock of sc_games, as `link` */
	LIST_ENTRY(sc_game) link;
	atomic_uint_fast64_t grain; /* nodes */
	/* The cluster thread's: */
	unsigned threads;        /* of present workers that have the game */
	uint64_t looked_ns;      /* when its grain was last adjusted */
	double trip_ns, node_ns; /* recent tasks: from sending to result; the same for each node of the budget */
	uint64_t tasks, task_ns, trips_ns; /* results since the grain was last adjusted; their time */
};

struct sc_games {
	struct pd_mutex lock;
	const struct sv_cluster_host *host; /* borrowed */
	LIST_HEAD(, sc_game) list;
	uint32_t last;
};

void sc_games_init(struct sc_games *games, const struct sv_cluster_host *host);
/* No game may be in use. */
void sc_games_fini(struct sc_games *games);
/* Opens a game or shares it; any thread. PD_E_GAME if its rules have changed, PD_E_NO_MEMORY, and errors of the host.
 * */
int sc_games_get(struct sc_games *games, const char *name, uint64_t rules, struct sc_game **out, struct pd_fail *fail);
/* Adds a user of a game that the caller holds. */
void sc_games_share(struct sc_games *games, struct sc_game *game);
void sc_games_put(struct sc_games *games, struct sc_game *game);
