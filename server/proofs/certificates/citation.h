/* Citation: the method proof.cite, what a paper or a page says of a certificate that the server keeps.
 *
 * A file is read as a whole for its SHA-256, once: the last SV_DIGESTS digests are kept in memory. */
#pragma once

#include "proto/rpc.h"

struct sv_core;

/* Prints the citation to *json. PD_E_PARAMS (`proof`), PD_E_IO, PD_E_NO_MEMORY; PD_E_SHUTDOWN once `wanted` returns
 * false. */
int sv_proof_cite(struct sv_core *core, pr_ref params, bool (*wanted)(void *ctx), void *ctx, struct pd_buf *json,
		  struct pd_fail *fail);
