/* Send: the messages of a worker to its coordinator. What cannot be sent is lost: the coordinator asks again. */
#pragma once

#include "server/worker/worker_state.h"

/* Who it is and what it can do. */
void wk_send_hello(struct wk_worker *w);
/* What is in hand. */
void wk_send_beat(struct wk_worker *w);
void wk_send_refuse(struct wk_worker *w, uint64_t id, enum cw_refusal why, const char *words);
/* Sends all that is done. */
void wk_send_results(struct wk_worker *w);
/* It stops; what it has in hand is the coordinator's again. */
void wk_send_bye(struct wk_worker *w);
