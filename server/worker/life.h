/* Life: the thread of a worker that speaks with the coordinator, and waits in the port.
 *
 *	hello, each second -> welcome -> signs of life, each second -> bye
 *
 * It says hello again when the port has come back, when it is called, and when it has heard nothing for ten seconds. */
#pragma once

#include "server/worker/worker_state.h"

/* What the port tells; `ctx` is the worker. */
void wk_life_message(void *ctx, const uint8_t *data, size_t size);
void wk_life_connected(void *ctx, bool connected, const char *what);
/* The port that the life waits in, before its thread starts; NULL: it is about to be closed. */
void wk_life_port(struct wk_worker *w, struct cp_port *port);
/* The main function; `worker`: a wk_worker. */
void *wk_life_main(void *worker);
