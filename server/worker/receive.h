/* Receive: the messages of a coordinator to a worker. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "server/worker/worker_state.h"

enum {
	WK_BEAT_NS = 1000000000,   /* between signs of life, and between hellos until it is welcome */
	WK_HELLO_GAP_NS = 20000000 /* at least, between hellos that are asked for */
};

/* Acts on a message. Any bytes: those that are not a message for this worker are ignored. */
void wk_receive(struct wk_worker *w, const uint8_t *data, size_t size);
