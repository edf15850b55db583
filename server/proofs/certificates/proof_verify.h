/* Proof verify: the method proof.verify, the verdict of proofcheck on a certificate that the server keeps. */
#pragma once

#include "proto/rpc.h"

struct sv_core;

/* Runs the checker. `wanted`: false when the client has gone. PD_E_UNSUPPORTED when
 * there is no checker; else as sv_checker_run, and PD_E_IO when what it says is not a verdict. */
int sv_proof_verify(struct sv_core *core, pr_ref params, bool (*wanted)(void *ctx), void *ctx, struct pd_buf *json,
		    struct pd_fail *fail);
