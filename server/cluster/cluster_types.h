/* Types of the cluster's calls (cluster.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "proto/cluster/seal.h"
#include "server/cluster/port.h"
#include "solver/leaf_task.h"

struct game;
struct sv_cluster;

/* Instead of a percentage: a solved leaf is believed only with a proof, which is checked, or when it was searched
 * again, which is done for few of those without one. */
enum { SV_VERIFY_ALL = 100, SV_VERIFY_PROOFS = 101 };

/* Bans of this cluster and of earlier ones. The caller owns it. */
struct sv_cluster_past {
	uint64_t since_ns, last_ns; /* the first and the last ban of a series less than an hour apart; 0: none */
	unsigned retractions;       /* bans of the series that made facts be retracted */
	bool sealed;                /* a banned worker had the key */
	bool apart;                 /* a lie may have spread: solved positions are not shared any more */
	bool shared;                /* solved positions were shared in an earlier run of the server */
};

struct sv_cluster_config {
	struct cp_opener port;
	const struct cw_seal *seal; /* copied; NULL: no key */
	/* SV_VERIFY_PROOFS, or the percentage of the solved leaves that are searched again, */
	unsigned verify_sealed;       /* of workers with the key */
	unsigned verify_others;       /* of workers without it */
	uint64_t share;               /* bytes a second of solved positions that workers get from others; 0: none */
	const char *where;            /* for people: "nats://host:4222", without the password; copied */
	struct sv_cluster_past *past; /* zeroed before the first cluster; NULL: bans are forgotten */
	uint64_t seed;                /* of random draws, for tests; 0: from the kernel */
};

/* What the cluster needs from its owner. Called by any thread. */
struct sv_cluster_host {
	void *ctx;
	/* A worker gave a false result after solved leaves of it were delivered unchecked, or may have been in an
	 * earlier epoch: all facts whose job is `giver` must be retracted. Called once for each worker. `spread`: other
	 * workers had solved positions from it, so the facts of all workers must be. */
	void (*lied)(void *ctx, uint32_t giver, const char *name, bool spread);
	/* Whether a worker lied in an earlier epoch: then it is refused. */
	bool (*banned)(void *ctx, uint32_t giver);
	int (*game_get)(void *ctx, const char *name, struct game **out, struct pd_fail *fail);
	void (*game_put)(void *ctx, const struct game *game);
};

struct sv_desk_result {
	unsigned slot;
	struct pn_leaf_result leaf;
	uint64_t cpu_ns;
	bool unsearched; /* it is solved and was not searched again */
};

/* --- for people -------------------------------------------------------------------------------- */

enum sv_worker_state { SV_WORKER_THERE, SV_WORKER_SILENT, SV_WORKER_GONE, SV_WORKER_REFUSED, SV_WORKER_BANNED };

struct sv_worker_view {
	uint64_t worker;
	char name[64], version[32];
	char why[120]; /* why it was refused or banned; else "" */
	enum sv_worker_state state;
	bool sealed;
	unsigned threads, in_hand;
	uint64_t memory;
	uint64_t since_ns, seen_ns; /* pd_now_ns when it joined, and when it was last heard */
	uint64_t tasks, solved, verified, refused, sent_again, nodes, cpu_ns;
	double rate; /* recent nodes a second */
};

/* What the judge has done. */
struct sv_cluster_judged {
	uint64_t proofs, proof_bytes; /* proofs of leaves that were checked and hold; bytes of all that were checked */
	uint64_t check_ns, search_ns; /* processor time, for proofs and for searches */
};

struct sv_cluster_view {
	uint64_t coordinator; /* this coordinator's epoch */
	uint64_t other;       /* epoch of another coordinator with the same prefix; 0: none was heard lately */
	bool connected;
	char where[128];
	uint64_t connected_ns;     /* pd_now_ns when `connected` last changed */
	unsigned workers, threads; /* present ones */
	uint64_t out, waiting;     /* tasks at workers; leaves that wait for a worker */
	uint64_t tasks, results, late, sent_again, cancelled, verified, refuted, undecided, banned, refused;
	uint64_t nodes, cpu_ns; /* of results that counted */
	struct sv_cluster_judged judged;
	uint64_t busy_ns; /* processor time of the cluster thread */
	uint64_t grain;   /* the latest, in nodes */
};
