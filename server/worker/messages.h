/* Messages: what a worker sends to its coordinator, and what it does about the messages of a coordinator. A message
 * that cannot be sent is lost: the coordinator asks again. All functions are called under `sending`, wk_send_results by
 * any thread, the others by the life's. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "server/worker/worker_state.h"

enum {
	WK_BEAT_NS = 1000000000,   /* between heartbeats, and between hellos until the worker is welcome */
	WK_HELLO_GAP_NS = 20000000 /* at least, between hellos that are asked for */
};

/* True the first time that it is called for this warning. */
bool wk_first_time(struct wk_worker *w, enum wk_said what);
void wk_send_hello(struct wk_worker *w);
void wk_send_beat(struct wk_worker *w);
/* Sends the results and refusals of all tasks that are done. */
void wk_send_results(struct wk_worker *w);
void wk_send_bye(struct wk_worker *w);
/* Acts on a message. Accepts any bytes, and ignores those that are not a message for this worker. */
void wk_receive(struct wk_worker *w, const uint8_t *data, size_t size);
