/* Tell: the messages to workers. Tasks and cancels for a worker are collected, and sent in one message of each kind. */
#pragma once

#include "server/cluster/state.h"

/* Asks a worker, or all (CP_ALL), to say hello. */
void sc_tell_call(struct sv_cluster *c, uint64_t worker);
void sc_tell_welcome(struct sv_cluster *c, uint64_t worker);
/* Refuses a worker, with the reason. */
void sc_tell_refuse(struct sv_cluster *c, uint64_t worker, enum cw_refusal why, const char *text);
/* Cancels a task at a worker, at the latest with the next sc_tell_all. */
void sc_tell_cancel(struct sv_cluster *c, struct sc_worker *worker, uint64_t task);
/* Sends all cancels and tasks, with the known positions that the workers lack. */
void sc_tell_all(struct sv_cluster *c);
