/* Values that the calls of the cluster (cluster.h) take and return. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "proto/cluster/seal.h"
#include "server/cluster/port.h"

struct game;
struct sv_cluster;

enum { SV_VERIFY_ALL = 100 };

/* What is remembered of bans, from one cluster to the next as well. The caller owns it. */
struct sv_cluster_past {
	uint64_t since_ns, last_ns; /* the first and the latest of those less than an hour apart; 0: there was none */
	unsigned retractions;       /* for how many of them facts were to be retracted */
	bool sealed;                /* one of those workers had the key */
};

struct sv_cluster_config {
	struct cp_opener port;
	const struct cw_seal *seal;   /* copied; NULL: no key */
	unsigned verify_sealed;       /* percent of the solved leaves of workers with the key that are searched again */
	unsigned verify_others;       /* of the others */
	const char *where;            /* for people: "nats://host:4222", without password; copied */
	struct sv_cluster_past *past; /* zeroed before the first cluster; NULL: none is remembered */
	uint64_t seed;                /* of what is drawn, for tests; 0: from the kernel */
};

/* What the cluster needs of those who own it. Any thread. */
struct sv_cluster_host {
	void *ctx;
	/* A worker gave a false result, and solved leaves of it were delivered before without being searched again, or
	 * may have been in an earlier life of the coordinator: all facts whose job is `giver` are to be retracted.
	 * Called once a worker. */
	void (*lied)(void *ctx, uint32_t giver, const char *name);
	/* Whether a worker lied in an earlier life of this coordinator: it is refused. */
	bool (*banned)(void *ctx, uint32_t giver);
	int (*game_get)(void *ctx, const char *name, struct game **out, struct pd_fail *fail);
	void (*game_put)(void *ctx, const struct game *game);
};

/* --- what people see of it -------------------------------------------------------------------- */

enum sv_worker_state { SV_WORKER_THERE, SV_WORKER_SILENT, SV_WORKER_GONE, SV_WORKER_REFUSED, SV_WORKER_BANNED };

struct sv_worker_view {
	uint64_t worker;
	char name[64], version[32];
	char why[120]; /* refused or banned: a sentence; else "" */
	enum sv_worker_state state;
	bool sealed;
	unsigned threads, in_hand;
	uint64_t memory;
	uint64_t since_ns, seen_ns; /* of pd_now_ns */
	uint64_t tasks, solved, verified, refused, sent_again, nodes, cpu_ns;
	double rate; /* nodes a second, lately */
};

struct sv_cluster_view {
	uint64_t coordinator; /* number of this life of the coordinator, its epoch */
	uint64_t other;       /* that of another coordinator which uses the same prefix; 0: none was heard lately */
	bool connected;
	char where[128];
	uint64_t connected_ns;     /* of pd_now_ns: since when it is as it is */
	unsigned workers, threads; /* that are there */
	uint64_t out, waiting;     /* tasks with workers; leaves that wait for one */
	uint64_t tasks, results, late, sent_again, cancelled, verified, refuted, undecided, banned, refused;
	uint64_t nodes, cpu_ns; /* of results that counted */
	uint64_t busy_ns;       /* processor time of the cluster thread */
	uint64_t grain;         /* nodes, the latest */
};
