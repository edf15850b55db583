/* Answer: delivers results, has them judged first, or refuses them; and bans workers that lie. */
#pragma once

#include "server/cluster/state.h"

/* Handles a result of a worker that is not banned. */
void sc_answer_result(struct sv_cluster *c, struct sc_worker *worker, const struct cw_result *result);
/* Handles the refusal of a task. */
void sc_answer_refusal(struct sv_cluster *c, struct sc_worker *worker, const struct cw_refuse *refuse);
/* Acts on the judge's verdicts. */
void sc_answer_verdicts(struct sv_cluster *c);
/* Puts a task back at the head of the waiting ones. */
void sc_answer_again(struct sv_cluster *c, struct sc_task *task);
/* Ends a task, and cancels it at all workers that were given it except `except` (0: at all). */
void sc_answer_end(struct sv_cluster *c, struct sc_task *task, uint64_t except);
/* Takes all tasks from a worker; they wait for other workers. */
void sc_answer_free(struct sv_cluster *c, struct sc_worker *worker);

/* Bans a worker: its tasks go to others, and what it delivered is taken back. */
void sc_answer_ban(struct sv_cluster *c, struct sc_worker *w, const char *why);
