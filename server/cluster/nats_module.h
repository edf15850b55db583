/* NATS module: finds and loads libproofd-nats.so, the port over NATS (server/cluster/nats/nats_port.h).
 *
 * A module, so that a server without workers needs none of it: it is a package of its own, and the server depends on
 * nothing new. It is looked for in the directory that PROOFD_MODULE_DIR names, or else next to the program and where
 * `cmake --install` puts it (LIBDIR/proofd). */
#ifndef SV_NATS_MODULE_H
#define SV_NATS_MODULE_H

#include "proto/base/error.h"
#include "server/cluster/nats/nats_port.h"

struct sv_nats {
	struct cp_opener opener;
	const struct cn_module *module;
};

/* Loads the module, which stays loaded as long as the process lives, and checks the configuration (cn_opener). Errors:
 * PD_E_UNSUPPORTED with field "workers" when there is no module or one of another version; those of cn_opener. */
int sv_nats_open(const struct cn_config *config, struct sv_nats *out, struct pd_fail *fail);
/* No port is open any more. One that was never opened (all zero) is fine. */
void sv_nats_close(struct sv_nats *nats);
/* The servers, for people, without user and password; borrowed. */
const char *sv_nats_where(const struct sv_nats *nats);

#endif
