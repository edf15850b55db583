/* Serve: a server from its start to its end: sockets and core are opened, it runs, they are closed. When a worker of
 * another machine has lied, the core is closed and opened again in between (server/proofs/maintenance/lies.h). */
#ifndef DM_SERVE_H
#define DM_SERVE_H

#include <stdbool.h>

#include "server/daemon/server.h"

struct dm_serving {
	const struct nt_config *server;
	const struct sv_config *core; /* its `patience` is set here */
	bool no_socket;               /* none in the data directory */
	/* Clients are served from now on; called each time the core was opened, `again` from the second time on. */
	void (*ready)(void *ctx, const struct dm_server *server, struct sv_core *core, bool again);
	void *ctx;
};

/* Returns when it was told to stop. Errors of dm_server_open and sv_core_open. */
int dm_serve(const struct dm_serving *serving, struct pd_fail *fail);

#endif
