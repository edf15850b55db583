/* Meeting: how a server and its workers reach each other: the port over NATS, and the key that they share. What `proofd
 * --workers` and `proofd worker --join` have in common. */
#ifndef SV_MEETING_H
#define SV_MEETING_H

#include <stdbool.h>

#include "proto/base/error.h"
#include "proto/cluster/seal.h"
#include "server/cluster/nats_module.h"

struct sv_meeting_options {
	const char *url;                         /* server/cluster/nats/nats_url.h */
	const char *tls_ca, *tls_cert, *tls_key; /* PEM files; NULL: not given */
	const char *creds;                       /* NKey seed or .creds file; NULL: none */
	const char *key;                         /* file of the shared key; NULL: none */
	const char *program;                     /* what the NATS server shows of this one */
};

struct sv_meeting {
	struct sv_nats nats; /* its opener opens ports */
	struct cw_seal seal; /* of the key */
	bool sealed;         /* there is a key */
};

/* Loads the port and reads the key. Errors: those of sv_nats_open and of cw_seal_read, with field "worker-key". */
int sv_meeting_open(const struct sv_meeting_options *options, struct sv_meeting *out, struct pd_fail *fail);
/* When no port is open any more. One that was never opened (all zero) is fine. */
void sv_meeting_close(struct sv_meeting *meeting);

#endif
