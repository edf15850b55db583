/* Answer: what becomes of results: they are delivered, judged first, or refused; and what a lie leads to. */
#pragma once

#include "server/cluster/state.h"

/* A result of a worker that is there and not banned. */
void sc_answer_result(struct sv_cluster *c, struct sc_worker *worker, const struct cw_result *result);
/* A worker refused a task. */
void sc_answer_refusal(struct sv_cluster *c, struct sc_worker *worker, const struct cw_refuse *refuse);
/* Takes the judge's verdicts. */
void sc_answer_verdicts(struct sv_cluster *c);
/* Puts a task back to those that wait, in front. */
void sc_answer_again(struct sv_cluster *c, struct sc_task *task);
/* The task is of no use any more: those that were given it are told, all but `except` (0: all are). */
void sc_answer_end(struct sv_cluster *c, struct sc_task *task, uint64_t except);
/* All tasks of a worker wait for others. */
void sc_answer_free(struct sv_cluster *c, struct sc_worker *worker);

/* The worker is not believed any more: its tasks go to others, and what it gave is taken back. */
void sc_answer_ban(struct sv_cluster *c, struct sc_worker *w, const char *why);
