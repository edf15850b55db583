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
#pragma once

#include "server/cluster/cluster_types.h"

int sv_cluster_open(const struct sv_cluster_config *config, const struct sv_cluster_host *host, struct sv_cluster **out,
		    struct pd_fail *fail);
/* Tells the workers that their tasks are of no use, and ends the threads. All desks are closed. NULL is fine. */
void sv_cluster_close(struct sv_cluster *cluster);
/* A worker lied, as the job found out whose fact it contradicted: that counts in what is remembered of bans. Only while
 * no cluster is open with this configuration. */
void sv_cluster_note_lie(const struct sv_cluster_config *config, uint64_t now_ns);

/* --- what people see of it; any thread -------------------------------------------------------- */

const char *sv_worker_state_text(enum sv_worker_state state);
void sv_cluster_view(struct sv_cluster *cluster, struct sv_cluster_view *out);
/* True when another coordinator uses the same prefix, with its number as text. The cluster may be NULL. */
enum { SV_COORDINATOR_TEXT = 17 };
bool sv_cluster_other(struct sv_cluster *cluster, char out[SV_COORDINATOR_TEXT]);
/* Up to `max` workers, those that are there first, then by name; returns how many there are. */
unsigned sv_cluster_workers(struct sv_cluster *cluster, struct sv_worker_view *out, unsigned max);
