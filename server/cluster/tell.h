/* Tell: the messages to workers. What there is for one worker is gathered, and goes in one message of each kind. */
#pragma once

#include "server/cluster/state.h"

/* Asks who is there: one worker, or all (CP_ALL). */
void sc_tell_call(struct sv_cluster *c, uint64_t worker);
void sc_tell_welcome(struct sv_cluster *c, uint64_t worker);
/* The worker itself is refused, in words. */
void sc_tell_refuse(struct sv_cluster *c, uint64_t worker, enum cw_refusal why, const char *text);
/* A task is of no use any more; told with the next sc_tell_all, at the latest. */
void sc_tell_cancel(struct sv_cluster *c, struct sc_worker *worker, uint64_t task);
/* Sends all that was gathered: cancels, and tasks with the positions that their workers do not know yet. */
void sc_tell_all(struct sv_cluster *c);
