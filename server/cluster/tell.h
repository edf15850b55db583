/* Tell: the messages to workers. Tasks and cancels for a worker are collected, and sent in one message of each kind. */
#pragma once

#include "server/cluster/state.h"

/* How long solved positions are gathered before they are sent to all workers. */
#define SC_SHARE_NS UINT64_C(5000000)

/* Asks a worker, or all (CP_ALL), to say hello. */
void sc_tell_call(struct sv_cluster *c, uint64_t worker);
/* Welcomes a worker, and tells it whether it may share solved positions. */
void sc_tell_welcome(struct sv_cluster *c, struct sc_worker *worker);
/* Whether it may share now; alone it need not. */
bool sc_tell_shares(const struct sv_cluster *c, const struct sc_worker *worker);
/* Refuses a worker, with the reason. */
void sc_tell_refuse(struct sv_cluster *c, uint64_t worker, enum cw_refusal why, const char *text);
/* Cancels a task at a worker, at the latest with the next sc_tell_all. */
void sc_tell_cancel(struct sv_cluster *c, struct sc_worker *worker, uint64_t task);
/* Gathers a body of solved positions for all workers (cw_next_shared); drops it when there are as many as
 * the bound permits. Its time is that of a copy: nobody looks into it but the workers. */
void sc_tell_share(struct sv_cluster *c, const uint8_t *body, size_t size);
/* When the positions that were gathered are due; UINT64_MAX: there are none. */
uint64_t sc_tell_due(const struct sv_cluster *c);
/* Sends all cancels and tasks, and the solved positions that are due. */
void sc_tell_all(struct sv_cluster *c);
