/* Life: the thread of a worker that communicates with the coordinator and waits in the port.
 *
 *	hello every second -> welcome -> heartbeat every second -> bye
 *
 * The worker says hello again when the port reconnects, when the coordinator calls, and after 10 s of silence. */
#pragma once

#include "server/worker/worker_state.h"

/* Events of the port; `ctx` is the worker. */
void wk_life_message(void *ctx, const uint8_t *data, size_t size);
void wk_life_connected(void *ctx, bool connected, const char *what);
/* Sets the port that the life waits in; called before its thread starts. NULL: the port is about to be closed. */
void wk_life_port(struct wk_worker *w, struct cp_port *port);
/* The main function; `worker`: a wk_worker. */
void *wk_life_main(void *worker);
