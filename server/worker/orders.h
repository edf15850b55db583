/* Orders: what a coordinator tells a worker. */
#ifndef WK_ORDERS_H
#define WK_ORDERS_H

#include <stddef.h>
#include <stdint.h>

#include "server/worker/worker_state.h"

enum {
	WK_BEAT_NS = 1000000000,   /* between signs of life, and between hellos until it is welcome */
	WK_HELLO_GAP_NS = 20000000 /* at least, between hellos that are asked for */
};

/* Does what a message says. Any bytes: what is no message for this worker is passed over. */
void wk_order(struct wk_worker *w, const uint8_t *data, size_t size);

#endif
