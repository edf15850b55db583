/* Voice: what a worker says to its coordinator. What cannot be sent now is lost: the coordinator asks again. */
#ifndef WK_VOICE_H
#define WK_VOICE_H

#include "server/worker/worker_state.h"

/* Who it is and what it can do. */
void wk_say_hello(struct wk_worker *w);
/* What is in hand. */
void wk_say_beat(struct wk_worker *w);
void wk_say_refuse(struct wk_worker *w, uint64_t id, enum cw_refusal why, const char *words);
/* Sends all that is done. */
void wk_say_results(struct wk_worker *w);
/* It stops; what it has in hand is the coordinator's again. */
void wk_say_bye(struct wk_worker *w);

#endif
