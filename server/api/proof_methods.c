/* Proof methods: certificates made and read. */
#include "server/api/methods.h"

#include "proto/base/assert.h"
#include "server/proofs/proof.h"

int sv_method_proof_export(struct sv_request *r)
{
	PD_ASSERT(!r->on_loop);
	return sv_proof_export(r->core, r->params, &r->json, &r->fail);
}

int sv_method_proof_read(struct sv_request *r)
{
	PD_ASSERT(!r->on_loop);
	return sv_proof_read(r->core, r->params, &r->json, &r->fail);
}
