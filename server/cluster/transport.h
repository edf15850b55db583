/* Transport: selects the implementation of ports for an address (transports.def, port.h).
 *
 * The port over NATS is a module and a package of its own, so that a server without workers does not depend on libnats.
 * A module is loaded from the directory in PROOFD_MODULE_DIR, or else from the directory of the program or from where
 * `cmake --install` puts it (LIBDIR/proofd). */
#pragma once

#include "proto/base/error.h"
#include "server/cluster/port.h"

struct sv_transport {
	struct cp_opener opener;
	const struct cp_transport *type; /* NULL: never opened */
};

/* Loads the module, which stays loaded until the process ends, and checks the configuration. PD_E_UNSUPPORTED with
 * field "workers" if the module is missing or of another version; errors of cp_transport.opener. */
int sv_transport_open(const struct cp_config *config, struct sv_transport *out, struct pd_fail *fail);
/* No port may be open. A transport that was never opened (all zero) is fine. */
void sv_transport_close(struct sv_transport *transport);
/* The servers, for people, without user and password; borrowed. */
const char *sv_transport_where(const struct sv_transport *transport);
