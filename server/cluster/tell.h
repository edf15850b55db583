/* Tell: the messages to workers. Tasks and cancels for a worker are collected, and sent in one message of each kind. */
#pragma once

#include "server/cluster/state.h"

/* Calls (CW_CALL) or welcomes (CW_WELCOME) a worker, or all (CP_ALL). */
void sc_tell(struct sv_cluster *c, enum cw_kind kind, uint64_t worker);
/* Refuses a worker, with the reason. */
void sc_tell_refuse(struct sv_cluster *c, uint64_t worker, enum cw_refusal why, const char *text);
/* Cancels a task at a worker, at the latest with the next sc_tell_all. */
void sc_tell_cancel(struct sv_cluster *c, struct sc_worker *worker, uint64_t task);
/* Sends all cancels and tasks, with the known positions that the workers lack. */
void sc_tell_all(struct sv_cluster *c);
