/* Transport: finds what carries messages to an address (transports.def, port.h).
 *
 * The port over NATS is a module, so that a server without workers needs none of it: it is a package of its own, and
 * the server depends on nothing new. A module is looked for in the directory that PROOFD_MODULE_DIR names, or else next
 * to the program and where `cmake --install` puts it (LIBDIR/proofd). */
#pragma once

#include "proto/base/error.h"
#include "server/cluster/port.h"

struct sv_transport {
	struct cp_opener opener;
	const struct cp_transport *type; /* NULL: never opened */
};

/* Loads the module if there is one, which stays loaded as long as the process lives, and checks the configuration.
 * Errors: PD_E_UNSUPPORTED with field "workers" when the module is missing or of another version; those of
 * cp_transport.opener. */
int sv_transport_open(const struct cp_config *config, struct sv_transport *out, struct pd_fail *fail);
/* No port is open any more. One that was never opened (all zero) is fine. */
void sv_transport_close(struct sv_transport *transport);
/* The servers, for people, without user and password; borrowed. */
const char *sv_transport_where(const struct sv_transport *transport);
