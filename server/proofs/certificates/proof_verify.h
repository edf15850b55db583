/* Proof verify: the method proof.verify, the verdict of proofcheck on a certificate that the server keeps. */
#pragma once

#include "proto/rpc.h"

struct sv_core;

/* Runs the checker. `wanted` returns false once the client has disconnected. PD_E_UNSUPPORTED without a checker,
 * PD_E_IO if the checker's output is not a verdict, and the errors of sv_checker_run. */
int sv_proof_verify(struct sv_core *core, pr_ref params, bool (*wanted)(void *ctx), void *ctx, struct pd_buf *json,
		    struct pd_fail *fail);
