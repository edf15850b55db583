/* How a server and its workers reach each other: a transport, and the key that they share. Shared by `proofd --workers`
 * and `proofd worker --join`. */
#pragma once

#include <stdbool.h>

#include "proto/base/error.h"
#include "proto/cluster/seal.h"
#include "server/cluster/transport.h"

struct sv_cluster_connection {
	struct sv_transport transport; /* its opener opens ports */
	struct cw_seal seal;           /* of the key */
	bool sealed;                   /* there is a key */
};

/* Loads the transport and reads the shared key from the file `key` (NULL: there is none); config->log is set here.
 * Errors: those of sv_transport_open and of cw_seal_read, with field "worker-key". */
int sv_cluster_connect(const struct cp_config *config, const char *key, struct sv_cluster_connection *out,
		       struct pd_fail *fail);
/* No port may be open. A connection that was never opened (all zero) is fine. */
void sv_cluster_disconnect(struct sv_cluster_connection *connection);
