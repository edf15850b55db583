/* Cluster: the coordinator's side of searching on many machines (proto/CLUSTER.md).
 *
 * One thread of its own, the cluster thread, owns all of it: the roster of workers, the book of tasks that are out,
 * trust. What comes in (messages of the port, leaves of the jobs' desks) waits in an inbox until that thread takes it.
 * Another thread, the judge, searches solved leaves again. No other thread ever waits for either.
 *
 * The coordinator alone knows what is out. A task without an answer after its deadline (20 times what such tasks take,
 * at least 1 s, doubling with each try), one whose worker is gone, and those that were out when the port came back,
 * are sent again; the first result counts. So no crash of a worker, of the engine or of the coordinator can lose or
 * falsify anything.
 *
 * Trust. Solved leaves of workers are searched again before they are delivered, all of them or a share; when one is
 * refuted, its worker is banned, and what that worker gave before is to be retracted (cluster_host.lied). For an hour
 * after a ban more is searched again (trust.h), because a liar may come again under another number. */
#ifndef SV_CLUSTER_H
#define SV_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "proto/cluster/seal.h"
#include "server/cluster/port.h"

struct game;
struct sv_cluster;

#define SV_GIVER_BIT PD_GIVER_BIT

enum { SV_VERIFY_ALL = 100 };

/* What is remembered of bans, from one cluster to the next as well. The caller owns it. */
struct sv_cluster_past {
	uint64_t since_ns, last_ns; /* the first and the latest of those less than an hour apart; 0: there was none */
	unsigned retractions;       /* for how many of them facts were to be retracted */
	bool sealed;                /* one of those workers had the key */
};

struct sv_cluster_config {
	struct cp_opener port;
	const struct cw_seal *seal;   /* copied; NULL: there is no key */
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

int sv_cluster_open(const struct sv_cluster_config *config, const struct sv_cluster_host *host, struct sv_cluster **out,
		    struct pd_fail *fail);
/* Tells the workers that their tasks are of no use, and ends the threads. All desks are closed. NULL is fine. */
void sv_cluster_close(struct sv_cluster *cluster);
/* A worker lied, as the job found out whose fact it contradicted: that counts in what is remembered of bans. Only while
 * no cluster is open with this configuration. */
void sv_cluster_note_lie(const struct sv_cluster_config *config, uint64_t now_ns);

/* The `job` of facts that come from a worker. */
static inline uint32_t sv_giver_of(uint64_t worker)
{
	return pd_giver_of(worker);
}

/* --- what people see of it; any thread -------------------------------------------------------- */

enum sv_worker_state { SV_WORKER_THERE, SV_WORKER_SILENT, SV_WORKER_GONE, SV_WORKER_REFUSED, SV_WORKER_BANNED };
const char *sv_worker_state_text(enum sv_worker_state state);

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

void sv_cluster_view(struct sv_cluster *cluster, struct sv_cluster_view *out);
/* True when another coordinator uses the same prefix, with its number as text. The cluster may be NULL. */
enum { SV_COORDINATOR_TEXT = 17 };
bool sv_cluster_other(struct sv_cluster *cluster, char out[SV_COORDINATOR_TEXT]);
/* Up to `max` workers, those that are there first, then by name; returns how many there are. */
unsigned sv_cluster_workers(struct sv_cluster *cluster, struct sv_worker_view *out, unsigned max);

#endif
