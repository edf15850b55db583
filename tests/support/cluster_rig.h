/* Cluster rig: a cluster on a port double, with worker doubles, and a driver that uses a desk as a job's run does. */
#pragma once

#include <stdatomic.h>

#include "server/cluster/cluster.h"
#include "server/cluster/desk.h"
#include "tests/support/port_double.h"
#include "tests/support/worker_double.h"

enum { RIG_WORKERS_MAX = 8, RIG_SLOTS_MAX = 256 };

struct cluster_rig {
	struct port_double net;
	struct sv_cluster *cluster;
	struct worker_double worker[RIG_WORKERS_MAX];
	unsigned workers;
	atomic_uint lied, giver; /* calls of host.lied; its last giver */
	atomic_bool spread;      /* its last argument */
	atomic_uint banned;      /* a giver that lied before; 0: none */
	atomic_int open_games;
	/* Opens a game of that name; NULL: game_open. Set after cluster_rig_open. */
	struct game *(*open_game)(const char *name);
};

/* Of `config`, only verify_* and seal are used. */
void cluster_rig_open(struct cluster_rig *rig, const struct sv_cluster_config *config, uint64_t seed);
/* Adds a worker with the number 1000 + its index; waits until it is connected or refused. */
struct worker_double *cluster_rig_worker(struct cluster_rig *rig, const struct worker_double_setup *setup);
/* Stops the workers, closes the cluster, and checks that nothing is left. */
void cluster_rig_close(struct cluster_rig *rig);
/* Closes the cluster and opens another on the same net. */
void cluster_rig_again(struct cluster_rig *rig, const struct sv_cluster_config *config);
/* A second coordinator on the same net; the caller closes it before the rig. */
struct sv_cluster *cluster_rig_another(struct cluster_rig *rig, const struct sv_cluster_config *config);
/* Opens a desk; the first, third, ... of a test is prompt. */
struct sv_desk *cluster_rig_desk(struct cluster_rig *rig, const struct game *game, unsigned slots, int priority);
struct sv_cluster_view cluster_rig_view(struct cluster_rig *rig);
/* The view of the worker with that index; state -1 if it is not on the roster. */
struct sv_worker_view cluster_rig_seen(struct cluster_rig *rig, unsigned index);
/* Waits until the worker is in that state. */
void cluster_rig_await(struct cluster_rig *rig, unsigned index, enum sv_worker_state state);
/* Waits until the desk wants that many. */
void cluster_rig_wants(const struct sv_desk *desk, unsigned wanted);
void cluster_rig_sleep(unsigned ms);

/* A job's run: posts random leaves and takes each result once. */
struct driver {
	struct sv_desk *desk;
	const struct game *game; /* leaves are its positions; NULL: arbitrary bytes and numbers */
	unsigned slots, plies;   /* largest depth of leaves; 0: eight */
	uint64_t seed, serial, budget;
	struct pn_leaf_task out[RIG_SLOTS_MAX]; /* serial 0: none */
	unsigned answered, solved, cancelled;
	/* Called for each result after its comparison with the leaf. May be NULL. */
	void (*result)(struct driver *driver, const struct pn_leaf_task *leaf, const struct pn_leaf_result *result);
};

void driver_init(struct driver *driver, struct sv_desk *desk, const struct game *game, unsigned slots, uint64_t seed);
void driver_post(struct driver *driver, unsigned slot);
/* Takes the results, waiting at most `ms`; returns their number. */
unsigned driver_take(struct driver *driver, unsigned ms);
/* Posts leaves and cancels `cancel` percent of them, until `tasks` more are answered and none is out. */
void driver_run(struct driver *driver, unsigned tasks, unsigned cancel);
unsigned driver_out(const struct driver *driver);
