/* Cluster: the coordinator's side of searching on many machines (proto/CLUSTER.md).
 *
 * The cluster thread owns the roster of workers, the book of tasks and the trust in workers. Input (messages of the
 * port, leaves of the jobs' desks) waits in an inbox until that thread takes it. Another thread, the judge, searches
 * solved leaves again. No other thread ever waits for these two.
 *
 * Only the coordinator knows which tasks are out. A task is sent again after its deadline (20 times what such tasks
 * take, at least 1 s, doubled with each try), when its worker is gone, and when the port has reconnected; the first
 * result counts. So no crash of a worker, of the message server or of the coordinator can lose or falsify an answer.
 *
 * Trust. A solved leaf of a worker is delivered with a proof that holds (solver/leaf_proof.h); or all of them, or a
 * share, are searched again before they are delivered. If one is refuted, its worker is banned, and everything that it
 * delivered is retracted (cluster_host.lied). For an hour after a ban more leaves are searched again (trust.h), because
 * a liar may return under another number. */
#pragma once

#include "server/cluster/cluster_types.h"

int sv_cluster_open(const struct sv_cluster_config *config, const struct sv_cluster_host *host, struct sv_cluster **out,
		    struct pd_fail *fail);
/* Cancels the workers' tasks and ends the threads. All desks must be closed. NULL is fine. */
void sv_cluster_close(struct sv_cluster *cluster);
/* Whether workers get one another's solved positions, so that a false fact of one may be the fault of another. They get
 * none any more after the first lie that may have spread. */
bool sv_cluster_shares(const struct sv_cluster_config *config);
/* Records a lie that a job found out by a contradiction, like a ban. Only while no cluster is open with this
 * configuration. */
void sv_cluster_note_lie(const struct sv_cluster_config *config, uint64_t now_ns);

/* --- for people; any thread -------------------------------------------------------------------- */

const char *sv_worker_state_text(enum sv_worker_state state);
void sv_cluster_view(struct sv_cluster *cluster, struct sv_cluster_view *out);
/* True if another coordinator uses the same prefix; prints its number. The cluster may be NULL. */
enum { SV_COORDINATOR_TEXT = 17 };
bool sv_cluster_other(struct sv_cluster *cluster, char out[SV_COORDINATOR_TEXT]);
/* Lists up to `max` workers, present ones first, then by name; returns the number of all. */
unsigned sv_cluster_workers(struct sv_cluster *cluster, struct sv_worker_view *out, unsigned max);
