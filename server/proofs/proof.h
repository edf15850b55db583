/* Proof: certificates made for clients.
 *
 * `proof.export` makes a certificate on a thread of its own, one at a time, and keeps it as a file in the data
 * directory, named by what it proves. It stays true for good, so whoever asks for the same again gets it at once, and a
 * client that lost its connection reads on where it was. Facts that are taken back (taint.h) take all the files with
 * them; else those that are used least go when there are too many (shelf.c). */
#ifndef SV_PROOF_H
#define SV_PROOF_H

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "proto/rpc.h"

struct sv_core;

/* Removes the certificates that a data directory keeps: they may rest on facts that are taken back. */
int sv_proofs_drop(const char *dir, struct pd_fail *fail);
int sv_proof_export(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail);
int sv_proof_read(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail);

#endif
