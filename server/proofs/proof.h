/* Proof: the methods proof.export and proof.read, which make and deliver certificates for clients.
 *
 * `proof.export` runs on a read thread, one export at a time, and keeps the certificate as a file in the data directory
 * (certificate_store.h), named by a hash of what it proves. A certificate never becomes false, so the same request is
 * answered from the file, and a client that lost its connection continues with `proof.read` at any offset. A retraction
 * removes all files (retraction.h). */
#ifndef SV_PROOF_H
#define SV_PROOF_H

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "proto/rpc.h"

struct sv_core;

/* Makes the certificate unless it is there, and prints the reply's result to *json. Takes as long as it takes. */
int sv_proof_export(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail);
/* Prints one piece of a certificate, in base64, to *json. */
int sv_proof_read(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail);

#endif
